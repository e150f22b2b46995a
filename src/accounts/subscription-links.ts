import type { SubscriptionView } from "../contract/accounts/alerts.ts";
import { SCHEMA } from "../contract/versions.ts";
import { digestItem, enqueueVerification } from "../delivery/email/messages.ts";
import { scopeWords } from "../delivery/scope-words.ts";
import { PublicError } from "../kernel/errors.ts";
import { isoTime } from "../kernel/time.ts";
import type { StateParts } from "../state/open-state.ts";
import type { Confirmation, RequestLookup } from "../state/subscriptions/subscription-requests.ts";
import type { Subscription } from "../state/subscriptions/subscription-row.ts";
import type { AccountParts } from "./account-parts.ts";
import { recentMatches, subscriptionFields } from "./subscribe.ts";

/** What the links of mails do. A token that is not good, or not any more, is a 404: it says no more to whoever tries some. */

export type ManageAction = "pause" | "resume" | "unsubscribe";

export interface Confirmed {
  readonly view: SubscriptionView;
  readonly signingSecret: string | undefined; // of the endpoint, for channel webhook; told once
}

export async function pendingView(parts: AccountParts, token: string): Promise<SubscriptionView> {
  const { subscriptions } = await parts.state.get();
  return viewOf(good(await subscriptions.byConfirmationToken(token)));
}

export async function managedView(parts: AccountParts, token: string): Promise<SubscriptionView> {
  const { subscriptions } = await parts.state.get();
  return viewOf(found(await subscriptions.byManageToken(token)));
}

/** Activates the subscription that a mail asked about, and queues what waited for it: the first digest, or the challenge of its endpoint. */
export async function confirm(parts: AccountParts, token: string): Promise<Confirmed> {
  const state = await parts.state.get();
  return state.transaction(async (within) => {
    const subscription = good(await within.subscriptions.confirm(token));
    const signingSecret =
      subscription.channel === "webhook" ? await startEndpoint(parts, within, subscription) : undefined;
    if (subscription.channel === "email" && isNew(subscription))
      await enqueueFirstDigest(parts, within, subscription);
    return { view: viewOf(subscription), signingSecret };
  });
}

/** One that was active before has been told of these events already. */
function isNew({ createdAt, confirmedAt }: Subscription): boolean {
  return createdAt === confirmedAt;
}

async function enqueueFirstDigest(
  parts: AccountParts,
  { outbox }: StateParts,
  subscription: Subscription,
): Promise<void> {
  const snapshot = parts.snapshot();
  const city = snapshot.city(subscription.city);
  const events = recentMatches(snapshot, subscription);
  if (city === undefined || events.length === 0) return;
  const { entityPublicId, industryCode } = subscription;
  const record = entityPublicId === null ? undefined : snapshot.record(entityPublicId);
  const scope = scopeWords({ city: city.name, record: record?.name ?? null, industryCode });
  const { releaseId } = snapshot.release();
  await outbox.enqueue([digestItem(subscription.publicId, releaseId, { scope, city: city.slug, events })]);
}

async function startEndpoint(
  { clock }: AccountParts,
  { webhooks, outbox }: StateParts,
  { publicId, webhookUrl, eventTypes, city }: Subscription,
): Promise<string | undefined> {
  if (webhookUrl === null) return undefined;
  const owner = { kind: "subscription", publicId } as const;
  for (const other of await webhooks.of(owner)) {
    if (other.endpointUrl !== webhookUrl) await webhooks.remove(other.publicId);
  }
  const made = await webhooks.upsert({ owner, endpointUrl: webhookUrl, eventTypes, city });
  if (made.outcome === "limit_reached") throw new Error("a subscription has one endpoint");
  await enqueueVerification(outbox, made.webhook, isoTime(clock()));
  return made.signingSecret;
}

export async function manage(
  parts: AccountParts,
  token: string,
  action: ManageAction,
): Promise<SubscriptionView> {
  const { subscriptions } = await parts.state.get();
  return viewOf(found(await subscriptions[action](token)));
}

/** Takes the token of either link. */
export function unsubscribe(parts: AccountParts, token: string): Promise<SubscriptionView> {
  return manage(parts, token, "unsubscribe");
}

function good(lookup: RequestLookup | Confirmation): Subscription {
  if ("subscription" in lookup) return lookup.subscription;
  throw new PublicError(404, LINK_FAULT[lookup.outcome], { reason: lookup.outcome });
}

const LINK_FAULT = {
  unknown: "the link is invalid or incomplete: copy the whole link from the email",
  expired: "the link has expired: subscribe again",
  used: "the link has already been used",
} as const;

function found(subscription: Subscription | undefined): Subscription {
  if (subscription === undefined) throw new PublicError(404, LINK_FAULT.unknown, { reason: "unknown" });
  return subscription;
}

function viewOf(subscription: Subscription): SubscriptionView {
  const { email, status, webhookUrl } = subscription;
  return {
    schema: SCHEMA.alertSubscription,
    ok: true,
    subscription: {
      ...subscriptionFields(subscription),
      status,
      address: email === null ? null : masked(email),
      webhook_url: webhookUrl,
    },
  };
}

/** Enough for the owner to know which of his addresses it is. */
export function masked(address: string): string {
  const at = address.lastIndexOf("@");
  return `${address.slice(0, 1)}…@${address.slice(at + 1)}`;
}
