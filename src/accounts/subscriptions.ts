import { ACCOUNT_OPERATIONS } from "../contract/accounts/account-operations.ts";
import {
  type AlertSubscriptionResponse,
  type ConfirmedSubscription,
  type ManagedSubscription,
  type ManageRequest,
  SubscribeRequest,
  type SubscriptionView,
} from "../contract/accounts/alerts.ts";
import { EMAIL_WORDS, type EmailDelivery } from "../contract/accounts/delivery.ts";
import type { ChangeEvent } from "../contract/cities/pulse.ts";
import { type AlertChannel, EventType } from "../contract/enums.ts";
import { SCHEMA } from "../contract/versions.ts";
import { PublicError } from "../kernel/errors.ts";
import { DAY_MS, isoTime } from "../kernel/time.ts";
import { cityNameOrNull, coveredCity } from "../resources/cities/cities.ts";
import { changeEvent } from "../resources/cities/pulse.ts";
import type { ReadContext } from "../resources/define.ts";
import type {
  Confirmation,
  RequestLookup,
  Subscription,
  SubscriptionAnswer,
  SubscriptionWish,
} from "../state/delivery/subscription-requests.ts";
import type { StateStores } from "../state/open-state.ts";
import {
  type AccountDeps,
  defineAccountOperation,
  defineAccountWrite,
  fieldError,
  parseFields,
  type Reply,
} from "./define.ts";
import { subscribedScope, subscriptionMatches } from "./delivery/match-events.ts";
import { digestItem, enqueueConfirmation, enqueueVerification } from "./delivery/messages.ts";

type Snapshot = ReadContext["snapshot"];

/** A valid request, with the events of the current release that the answer shows. */
export interface CheckedSubscription {
  readonly wish: SubscriptionWish;
  readonly scope: string; // in words, for the email
  readonly matched: readonly ChangeEvent[]; // of the last days, newest first
}

const PREVIEW_DAYS = 30;
const PREVIEW_EVENTS = 5;
/** More than a city has in the window; a bound all the same. */
const MAX_EVENTS = 100_000;

export const subscribeAlerts = defineAccountWrite(
  ACCOUNT_OPERATIONS.subscribeAlerts,
  async (deps, request, call) => {
    const checked = checkRequest(deps, request);
    await call.admit("signUps");
    return requestSubscription(deps, checked);
  },
);

/** Validates a request. Throws PublicError 400 that names the field, or 404 for a city or record that the current release does not have. */
export function checkSubscription(deps: AccountDeps, body: unknown): CheckedSubscription {
  return checkRequest(deps, parseFields(SubscribeRequest, body));
}

function checkRequest(deps: AccountDeps, request: SubscribeRequest): CheckedSubscription {
  const snapshot = deps.snapshot();
  const city = coveredCity(snapshot, request.city);
  const id = request.entity_public_id;
  const record = id === undefined ? undefined : snapshot.record(id);
  if (id !== undefined && (record?.city !== city.slug || record.mergedInto !== null))
    throw new PublicError(404, `no such Presence Record in ${city.name}`);
  const problem = request.webhook_url && deps.endpointProblem(request.webhook_url);
  if (problem) throw fieldError("webhook_url", problem);
  const wish = wishOf(request);
  return { wish, scope: subscribedScope(snapshot, wish), matched: recentMatches(snapshot, wish) };
}

function wishOf(request: SubscribeRequest): SubscriptionWish {
  return {
    email: request.email,
    city: request.city,
    channel: request.channel,
    entityPublicId: request.entity_public_id ?? null,
    industryCode: request.industry_code ?? null,
    eventTypes: request.event_types === undefined ? null : storedTypes(request.event_types),
    minConfidence: request.min_confidence,
    webhookUrl: request.webhook_url ?? null,
  };
}

/** Whoever chose all types gets later ones, too, as whoever named none. */
function storedTypes(types: readonly EventType[]): readonly EventType[] | null {
  return EventType.options.every((type) => types.includes(type)) ? null : types;
}

type Filter = Omit<SubscriptionWish, "email">;

/** Published events of the last days that match a subscription, newest first. */
export function recentMatches(snapshot: Snapshot, filter: Filter): ChangeEvent[] {
  const { asOf, baseUrl } = snapshot.release();
  return snapshot
    .eventsOf(filter.city, { since: asOf - PREVIEW_DAYS * DAY_MS, limit: MAX_EVENTS })
    .map((event) => changeEvent(event, baseUrl))
    .filter((event) => subscriptionMatches(filter, event));
}

/**
 * Stores the request and queues its confirmation email, both or neither. The answer is the same whatever the address has already, and also when
 * its owner refused our email or a budget of its mailbox or domain is used up: then no email is queued.
 */
export async function requestSubscription(
  deps: AccountDeps,
  checked: CheckedSubscription,
): Promise<Reply<AlertSubscriptionResponse>> {
  const state = await deps.state.get();
  const answer = await state.transaction((stores) => storeRequest(deps, stores, checked));
  return {
    status: answer.created ? 201 : 200,
    body: subscriptionResponse(answer, checked, deps),
  };
}

async function storeRequest(
  deps: AccountDeps,
  { subscriptions, emails, outbox }: StateStores,
  { wish, scope }: CheckedSubscription,
): Promise<SubscriptionAnswer> {
  const withheld = hasMail(wish.channel) ? await emails.take(wish.email, deps.emailBudgets) : undefined;
  if (withheld !== undefined) deps.onWithheld(withheld);
  const isMailed = hasMail(wish.channel) && withheld === undefined;
  const answer = await subscriptions.request(wish, isMailed);
  if (isMailed)
    await enqueueConfirmation(outbox, {
      subscriptionPublicId: answer.publicId,
      address: wish.email,
      token: answer.token,
      scope,
      entityPublicId: wish.entityPublicId,
    });
  return answer;
}

/** The dashboard sends no email, so there is no address to confirm. */
function hasMail(channel: AlertChannel): boolean {
  return channel !== "dashboard";
}

function subscriptionResponse(
  { publicId, created }: SubscriptionAnswer,
  { wish, matched }: CheckedSubscription,
  deps: AccountDeps,
): AlertSubscriptionResponse {
  const { email } = deps.delivery();
  return {
    schema: SCHEMA.alertSubscription,
    ok: true,
    subscription: { ...subscriptionFields({ ...wish, publicId }, deps), status: "pending", created },
    delivery: {
      status: hasMail(wish.channel) ? "verification_pending" : "partner_portal_pending",
      queued_events: wish.channel === "email" ? matched.length : 0,
      email,
      note: deliveryNote(wish.channel, email),
    },
    preview: { matched_events: matched.length, latest_events: matched.slice(0, PREVIEW_EVENTS) },
  };
}

function deliveryNote(channel: AlertChannel, email: EmailDelivery): string {
  if (channel === "dashboard")
    return "The dashboard channel is reserved for the partner portal: nothing is sent.";
  return `${EMAIL_WORDS[email].confirmation} ${AFTER_CONFIRMATION[channel]}`;
}

const AFTER_CONFIRMATION: Readonly<Record<Exclude<AlertChannel, "dashboard">, string>> = {
  email: `Once confirmed, the first email of a new subscription contains the matching events of the last ${PREVIEW_DAYS} days; later emails contain new events of each release.`,
  webhook:
    "Once confirmed, the endpoint receives a signed challenge. After it answers, it receives new events of each release.",
};

/** The fields of a subscription in every answer; never its address. */
export function subscriptionFields(
  subscription: Filter & { readonly publicId: string },
  { snapshot }: Pick<AccountDeps, "snapshot">,
) {
  const published = snapshot();
  return {
    public_id: subscription.publicId,
    channel: subscription.channel,
    scope: {
      city: subscription.city,
      city_name: cityNameOrNull(published, subscription.city),
      entity_public_id: subscription.entityPublicId,
      industry_code: subscription.industryCode,
      in_words: subscribedScope(published, subscription),
    },
    event_types: [...(subscription.eventTypes ?? EventType.options)],
    min_confidence: subscription.minConfidence,
  };
}

/** The actions of emailed links. An invalid or expired token is a 404, which reveals nothing to a guesser. */

/** The subscription that a confirmation link would confirm. */
export const getPendingAlert = defineAccountOperation(
  ACCOUNT_OPERATIONS.getPendingAlert,
  async (deps, { token }) => {
    const { subscriptions } = await deps.state.get();
    return { status: 200, body: viewOf(confirmable(await subscriptions.byConfirmationToken(token)), deps) };
  },
);

export const getAlertSubscription = defineAccountOperation(
  ACCOUNT_OPERATIONS.getAlertSubscription,
  async (deps, { token }) => {
    const { subscriptions } = await deps.state.get();
    return { status: 200, body: viewOf(existing(await subscriptions.byManageToken(token)), deps) };
  },
);

/** Tokens come in the body: addresses end up in logs and histories. */
export const confirmAlert = defineAccountWrite(ACCOUNT_OPERATIONS.confirmAlert, async (deps, { token }) => ({
  status: 200,
  body: await confirm(deps, token),
}));

export const manageAlert = defineAccountWrite(ACCOUNT_OPERATIONS.manageAlert, async (deps, request) => ({
  status: 200,
  body: await manage(deps, request),
}));

/** Activates a subscription and queues its first delivery: the first digest, or the challenge of its endpoint. Once more, it only tells that it stands. */
export async function confirm(deps: AccountDeps, token: string): Promise<ConfirmedSubscription> {
  const state = await deps.state.get();
  return state.transaction(async (within) => {
    const confirmation = await within.subscriptions.confirm(token);
    const subscription = confirmable(confirmation);
    const view = viewOf(subscription, deps);
    if (confirmation.outcome === "confirmed_before")
      return { ...view, manage_token: null, signing_secret: null };
    const signingSecret =
      subscription.channel === "webhook" ? await startEndpoint(deps, within, subscription) : null;
    if (subscription.channel === "email" && isNew(subscription))
      await enqueueFirstDigest(deps, within, subscription);
    const manageToken = within.subscriptions.linkToken("manage", subscription.publicId);
    return { ...view, manage_token: manageToken, signing_secret: signingSecret };
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
  const { city, publicId } = subscription;
  const events = recentMatches(snapshot, subscription);
  if (snapshot.city(city) === undefined || events.length === 0) return;
  const scope = subscribedScope(snapshot, subscription);
  const { releaseId } = snapshot.release();
  await outbox.enqueue([digestItem(publicId, releaseId, { scope, city, events })]);
}

async function startEndpoint(
  { clock }: AccountDeps,
  { webhooks, outbox }: StateStores,
  { publicId, webhookUrl, eventTypes, city }: Subscription,
): Promise<string | null> {
  if (webhookUrl === null) return null;
  const owner = { kind: "subscription", publicId } as const;
  for (const other of await webhooks.of(owner)) {
    if (other.endpointUrl !== webhookUrl) await webhooks.remove(other.publicId);
  }
  const made = await webhooks.upsert({ owner, endpointUrl: webhookUrl, eventTypes, city });
  if (made.outcome === "limit_reached") throw new Error("a subscription has one endpoint");
  await enqueueVerification(outbox, made.webhook, isoTime(clock()));
  return made.signingSecret;
}

export async function manage(deps: AccountDeps, request: ManageRequest): Promise<ManagedSubscription> {
  const { token, action, event_types: types, min_confidence: minConfidence } = request;
  if (action === "unsubscribe") return unsubscribe(deps, token);
  const { subscriptions } = await deps.state.get();
  const subscription =
    action === "change"
      ? await subscriptions.change(token, { eventTypes: types && storedTypes(types), minConfidence })
      : await subscriptions[action](token);
  return viewOf(existing(subscription), deps);
}

/** Takes the token of either link, also of a subscription that ended long ago and is deleted. Nothing of the address is left in the files. */
export async function unsubscribe(deps: AccountDeps, token: string): Promise<ManagedSubscription> {
  const state = await deps.state.get();
  const ended = await state.subscriptions.unsubscribe(token);
  if (ended === undefined && state.subscriptions.isUnsubscribeToken(token)) return DONE;
  const view = viewOf(existing(ended), deps);
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

function viewOf(subscription: Subscription, deps: AccountDeps): SubscriptionView {
  const { email, status, webhookUrl } = subscription;
  return {
    schema: SCHEMA.alertSubscription,
    ok: true,
    subscription: {
      ...subscriptionFields(subscription, deps),
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
