/** The actions of emailed links. An invalid or expired token is a 404, which reveals nothing to a guesser. */

import { ACCOUNT_OPERATIONS } from "../contract/accounts/account-operations.ts";
import type { SubscriptionView } from "../contract/accounts/alerts.ts";
import { SCHEMA } from "../contract/versions.ts";
import { digestItem, enqueueVerification } from "../delivery/email/messages.ts";
import { scopeWords } from "../delivery/match-events.ts";
import { PublicError } from "../kernel/errors.ts";
import { isoTime } from "../kernel/time.ts";
import type { Confirmation, RequestLookup, Subscription } from "../state/delivery/subscription-requests.ts";
import type { StateStores } from "../state/open-state.ts";
import { type AccountDeps, defineAccountOperation } from "./define.ts";
import { recentMatches, subscriptionFields } from "./subscribe.ts";

/** `unsubscribe` has a function of its own. */
export type ManageAction = "pause" | "resume";

export interface Confirmed {
  readonly view: SubscriptionView;
  readonly signingSecret: string | undefined; // of the endpoint, for channel webhook; told once
}

/** The subscription that a confirmation link would confirm. */
export const getPendingAlert = defineAccountOperation(
  ACCOUNT_OPERATIONS.getPendingAlert,
  async (deps, { token }) => {
    const { subscriptions } = await deps.state.get();
    return { status: 200, body: viewOf(confirmable(await subscriptions.byConfirmationToken(token))) };
  },
);

export const getAlertSubscription = defineAccountOperation(
  ACCOUNT_OPERATIONS.getAlertSubscription,
  async (deps, { token }) => {
    const { subscriptions } = await deps.state.get();
    return { status: 200, body: viewOf(existing(await subscriptions.byManageToken(token))) };
  },
);

/** Activates a subscription and queues its first delivery: the first digest, or the challenge of its endpoint. */
export async function confirm(deps: AccountDeps, token: string): Promise<Confirmed> {
  const state = await deps.state.get();
  return state.transaction(async (within) => {
    const subscription = confirmable(await within.subscriptions.confirm(token));
    const signingSecret =
      subscription.channel === "webhook" ? await startEndpoint(deps, within, subscription) : undefined;
    if (subscription.channel === "email" && isNew(subscription))
      await enqueueFirstDigest(deps, within, subscription);
    return { view: viewOf(subscription), signingSecret };
  });
}

/** A subscription that was active before has received these events already. */
function isNew({ createdAt, confirmedAt }: Subscription): boolean {
  return createdAt === confirmedAt;
}

async function enqueueFirstDigest(
  deps: AccountDeps,
  { outbox }: StateStores,
  subscription: Subscription,
): Promise<void> {
  const snapshot = deps.snapshot();
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
  { clock }: AccountDeps,
  { webhooks, outbox }: StateStores,
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
  deps: AccountDeps,
  token: string,
  action: ManageAction,
): Promise<SubscriptionView> {
  const { subscriptions } = await deps.state.get();
  return viewOf(existing(await subscriptions[action](token)));
}

/** Takes the token of either link, also of a subscription that ended long ago and is deleted. Nothing of the address is left in the files. */
export async function unsubscribe(deps: AccountDeps, token: string): Promise<SubscriptionView | Done> {
  const state = await deps.state.get();
  const ended = await state.subscriptions.unsubscribe(token);
  if (ended === undefined && state.subscriptions.isUnsubscribeToken(token)) return DONE;
  const view = viewOf(existing(ended));
  await state.cutLog();
  return view;
}

/** Stops all email to the mailbox that got the link, for good. */
export async function refuseEmail(deps: AccountDeps, token: string): Promise<Done> {
  const state = await deps.state.get();
  if (!(await state.subscriptions.refuseEmail(token)))
    throw new PublicError(404, LINK_FAULT.unknown, { reason: "unknown" });
  await state.cutLog();
  return DONE;
}

const DONE = { schema: SCHEMA.alertSubscription, ok: true, subscription: null } as const;
type Done = typeof DONE;

function confirmable(lookup: RequestLookup | Confirmation): Subscription {
  if ("subscription" in lookup) return lookup.subscription;
  throw new PublicError(404, LINK_FAULT[lookup.outcome], { reason: lookup.outcome });
}

const LINK_FAULT = {
  unknown: "the link is invalid or incomplete: copy the whole link from the email",
  expired: "the link has expired: subscribe again",
  used: "the link has already been used",
} as const;

function existing(subscription: Subscription | undefined): Subscription {
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
