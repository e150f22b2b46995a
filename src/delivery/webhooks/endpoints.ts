import type { Delivery } from "../../state/delivery/outbox.ts";
import type { Webhook } from "../../state/delivery/webhooks.ts";
import type { State } from "../../state/open-state.ts";
import type { Endpoint } from "./deliver-webhook.ts";

export interface Endpoints {
  of(publicId: string): Endpoint;
}

/** Looks the endpoints of a batch up once: those disabled or removed since an item was queued get nothing. */
export async function endpointsOf(state: State, batch: readonly Delivery[]): Promise<Endpoints> {
  const known = new Map<string, Endpoint>();
  for (const { kind, target } of batch)
    if (kind === "webhook" && !known.has(target)) known.set(target, await endpointOf(state, target));
  return { of: (publicId) => known.get(publicId) ?? { refusal: "the endpoint is gone" } };
}

async function endpointOf(state: State, publicId: string): Promise<Endpoint> {
  const webhook = await state.webhooks.get(publicId);
  if (webhook === undefined) return { refusal: "the endpoint is gone" };
  if (webhook.status === "disabled") return { refusal: "the endpoint is disabled" };
  return (await isOwnerActive(state, webhook)) ? webhook : { refusal: "the owner is not active" };
}

async function isOwnerActive(state: State, { ownerKind, ownerId }: Webhook): Promise<boolean> {
  const endpoint =
    ownerKind === "client" ? await state.partners.client(ownerId) : await state.subscriptions.get(ownerId);
  return endpoint?.status === "active";
}
