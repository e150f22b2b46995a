import type { WithdrawalMessage } from "../../contract/accounts/webhook-messages.ts";
import { findIndustry, isUnder } from "../../contract/cities/industry.ts";
import type { ChangeEvent } from "../../contract/cities/pulse.ts";
import { type RowRanges, rowRanges } from "../../contract/ledger/ledger.ts";
import { MATCHED_EVENT_DAYS, RAISED_EVENT_DAYS } from "../../contract/limits.ts";
import { markedName } from "../../contract/records/observation.ts";
import { Turns } from "../../kernel/concurrency.ts";
import { DAY_MS, isoTime } from "../../kernel/time.ts";
import { changeEvent } from "../../resources/cities/pulse.ts";
import type { ReadContext } from "../../resources/define.ts";
import { withdrawalsUrl } from "../../resources/links.ts";
import type { NewDelivery, Outbox } from "../../state/delivery/outbox.ts";
import type { Queued, Raised } from "../../state/delivery/publications.ts";
import type { Subscription } from "../../state/delivery/subscription-requests.ts";
import type { Webhook } from "../../state/delivery/webhooks.ts";
import type { State } from "../../state/open-state.ts";
import { digestItem, eventItem, withdrawalItem } from "./messages.ts";

type SubscriptionFilter = Pick<
  Subscription,
  "entityPublicId" | "industryCode" | "eventTypes" | "minConfidence"
>;

/** Matches an event of the subscription's city. An industry includes everything below it; a record without one matches none. */
export function subscriptionMatches(filter: SubscriptionFilter, event: ChangeEvent): boolean {
  const { entityPublicId, industryCode, eventTypes, minConfidence } = filter;
  return (
    event.confidence >= minConfidence &&
    (entityPublicId === null || entityPublicId === event.entity_public_id) &&
    (eventTypes === null || eventTypes.includes(event.type)) &&
    (industryCode === null || (event.industry !== null && isUnder(event.industry, industryCode)))
  );
}

/** Matches an event of a city that the endpoint accepts. */
export function webhookMatches({ eventTypes }: Pick<Webhook, "eventTypes">, event: ChangeEvent): boolean {
  return eventTypes === null || eventTypes.includes(event.type);
}

/** The scope of a subscription in words: `Café Lumière in Toronto`, `every record in Toronto`. Names are as published. */
export function scopeWords(scope: {
  readonly city: string; // display name
  readonly record: string | null; // display name
  readonly industryCode: string | null;
}): string {
  const title = scope.industryCode === null ? undefined : findIndustry(scope.industryCode)?.title;
  const industry = title === undefined ? "" : ` of the industry “${title}”`;
  const what = scope.record ?? (industry === "" ? "every record" : `records${industry}`);
  return `${what} in ${scope.city}`;
}

/** The scope of a subscription. A city or record that is published no more is named by its slug or id. */
export function subscribedScope(
  snapshot: Pick<Published, "city" | "record">,
  { city, entityPublicId, industryCode }: Pick<Subscription, "city" | "entityPublicId" | "industryCode">,
): string {
  const record = entityPublicId === null ? undefined : snapshot.record(entityPublicId);
  return scopeWords({
    city: snapshot.city(city)?.name ?? city,
    record: record === undefined ? entityPublicId : markedName(record),
    industryCode,
  });
}

type Published = Pick<
  ReadContext["snapshot"],
  "release" | "cities" | "city" | "eventsOf" | "record" | "withdrawals"
>;

/** Events that are read, and items that are put into the outbox, at a time. */
const STEP = 100;

/**
 * Queues a release's events for subscribers and its withdrawals for endpoints, in one transaction with the mark that the release was matched, so it happens
 * exactly once even when killed. Returns undefined if this release was already matched. It works in turns, because a server answers meanwhile.
 */
export async function matchRelease(state: State, snapshot: Published): Promise<Queued | undefined> {
  const { releaseId, asOf } = snapshot.release();
  if (await state.publications.isMatched(releaseId)) return undefined;
  const turns = new Turns();
  const published = await publishedEvents(snapshot, turns);
  const withdrawn = publishedWithdrawals(snapshot);
  return state.transaction(async ({ publications, subscriptions, webhooks, outbox }) => {
    const marks = [...withdrawn.keys()].map((id) => ({ id, confidence: 1 }));
    const raised = await publications.match(releaseId, [...[...published.values()].flat(), ...marks]);
    if (raised === undefined) return undefined;
    await turns.next();
    const byCity = await onlyRaised(published, raised, asOf - RAISED_EVENT_DAYS * DAY_MS, turns);
    const active = await subscriptions.active();
    const endpoints = await webhooks.deliverable();
    const queued = {
      events: [...raised].filter(([id, before]) => before === undefined && !withdrawn.has(id)).length,
      digests: await enqueued(outbox, digestItems(active, byCity, snapshot), turns),
      webhooks: await enqueued(outbox, webhookItems(endpoints, active, byCity), turns),
      withdrawals: await enqueued(outbox, withdrawalItems(endpoints, withdrawn, raised, asOf), turns),
    };
    await publications.note(releaseId, queued);
    return queued;
  });
}

/** Puts items into the outbox while they are made. */
async function enqueued(
  outbox: Outbox,
  items: Iterable<NewDelivery | undefined>,
  turns: Turns,
): Promise<number> {
  let count = 0;
  const step: NewDelivery[] = [];
  for (const item of items) {
    if (item !== undefined) step.push(item);
    if (step.length === STEP) count += await outbox.enqueue(step.splice(0));
    await turns.next();
  }
  return count + (await outbox.enqueue(step));
}

/** An event, and the highest confidence with which it was matched before; undefined for a new one. */
interface RaisedEvent {
  readonly event: ChangeEvent;
  readonly before: number | undefined;
}

/** By slug, newest first. */
type ByCity<Event> = ReadonlyMap<string, readonly Event[]>;

async function publishedEvents(snapshot: Published, turns: Turns): Promise<ByCity<ChangeEvent>> {
  const { baseUrl, asOf } = snapshot.release();
  const since = asOf - MATCHED_EVENT_DAYS * DAY_MS;
  const published = new Map<string, ChangeEvent[]>();
  for (const { slug } of snapshot.cities()) {
    const events: ChangeEvent[] = [];
    for (let page: ChangeEvent[] | undefined; page === undefined || page.length === STEP; ) {
      const rows = snapshot.eventsOf(slug, { since, offset: events.length, limit: STEP });
      page = rows.map((row) => changeEvent(row, baseUrl));
      events.push(...page);
      await turns.next();
    }
    published.set(slug, events);
  }
  return published;
}

/** The new ones, and those detected since a time (ms) that became more certain. */
async function onlyRaised(
  published: ByCity<ChangeEvent>,
  raised: Raised,
  since: number,
  turns: Turns,
): Promise<ByCity<RaisedEvent>> {
  const byCity = new Map<string, RaisedEvent[]>();
  for (const [city, events] of published) {
    const own = events
      .filter(({ id }) => raised.has(id))
      .map((event) => ({ event, before: raised.get(event.id) }));
    byCity.set(
      city,
      own.filter(({ event, before }) => before === undefined || Date.parse(event.detected_at) >= since),
    );
    await turns.next();
  }
  return byCity;
}

/** Whether a subscription gets an event now: one that was matched before reaches only thresholds that it did not reach then. */
function isDue(subscription: Subscription, { event, before }: RaisedEvent): boolean {
  const isReached = before === undefined || before < subscription.minConfidence;
  return isReached && subscriptionMatches(subscription, event);
}

/** Undefined for a subscription without events. */
function* digestItems(
  subscriptions: readonly Subscription[],
  byCity: ByCity<RaisedEvent>,
  snapshot: Published,
): Generator<NewDelivery | undefined> {
  const { releaseId } = snapshot.release();
  for (const subscription of subscriptions) {
    if (subscription.channel !== "email") continue;
    const raised = byCity.get(subscription.city) ?? [];
    const events = raised.filter((each) => isDue(subscription, each)).map(({ event }) => event);
    yield events.length === 0 ? undefined : digestOf(subscription, events, snapshot, releaseId);
  }
}

function digestOf(
  subscription: Subscription,
  events: readonly ChangeEvent[],
  snapshot: Published,
  releaseId: string,
): NewDelivery {
  const { publicId, city } = subscription;
  return digestItem(publicId, releaseId, { scope: subscribedScope(snapshot, subscription), city, events });
}

/** Undefined for an event that an endpoint does not get. */
function* webhookItems(
  webhooks: readonly Webhook[],
  subscriptions: readonly Subscription[],
  byCity: ByCity<RaisedEvent>,
): Generator<NewDelivery | undefined> {
  const byId = new Map(subscriptions.map((subscription) => [subscription.publicId, subscription]));
  for (const webhook of webhooks) {
    const { ownerKind, ownerId } = webhook;
    const subscription = ownerKind === "client" ? undefined : byId.get(ownerId);
    if (ownerKind === "client" || subscription !== undefined) yield* itemsOf(webhook, subscription, byCity);
  }
}

/** The endpoint of a subscription gets events that match both filters; one of a partner has no threshold, and gets each once. */
function* itemsOf(
  webhook: Webhook,
  subscription: Subscription | undefined,
  byCity: ByCity<RaisedEvent>,
): Generator<NewDelivery | undefined> {
  const isWanted = (raised: RaisedEvent) =>
    webhookMatches(webhook, raised.event) &&
    (subscription === undefined ? raised.before === undefined : isDue(subscription, raised));
  const city = webhook.city ?? subscription?.city;
  for (const events of city === undefined ? byCity.values() : [byCity.get(city) ?? []])
    for (const raised of events) yield isWanted(raised) ? eventItem(webhook, raised.event) : undefined;
}

/** Withdrawals as webhook messages: partners who hold copies learn row numbers, and neither names nor reasons. */

/** Ranges in one message, which then stays below the size that the contract promises. */
const MAX_RANGES = 500;

const PREFIX = "withdrawal:";

/** What a release withdrew, by the row that did it; the keys are marks for `Publications`, apart from those of events. */
export type Withdrawals = ReadonlyMap<string, readonly WithdrawalMessage["data"][]>;

/** All withdrawals that a release knows. */
export function publishedWithdrawals(
  snapshot: Pick<ReadContext["snapshot"], "withdrawals" | "release">,
): Withdrawals {
  const { baseUrl } = snapshot.release();
  const byRow = Map.groupBy(snapshot.withdrawals(0, 0, Number.MAX_SAFE_INTEGER), ({ erasedBy }) => erasedBy);
  return new Map(
    [...byRow].map(([withdrawn_by, erased]) => [
      `${PREFIX}${withdrawn_by}`,
      inParts(rowRanges(erased.map(({ row }) => row))).map((rows, at, parts) => ({
        withdrawn_by,
        part: at + 1,
        parts: parts.length,
        rows,
        withdrawals_url: withdrawalsUrl(baseUrl),
      })),
    ]),
  );
}

/** Every endpoint gets every withdrawal: a row number has no city, and no filter asks to keep what was withdrawn. */
export function* withdrawalItems(
  webhooks: readonly Webhook[],
  withdrawals: Withdrawals,
  raised: Raised,
  asOf: number,
): Generator<NewDelivery> {
  const messages = [...withdrawals].flatMap(([mark, parts]) => (raised.has(mark) ? parts : []));
  for (const webhook of webhooks)
    for (const data of messages) yield withdrawalItem(webhook, data, isoTime(asOf));
}

function inParts(ranges: RowRanges): RowRanges[] {
  const parts: RowRanges[] = [];
  for (let at = 0; at < ranges.length; at += MAX_RANGES) parts.push(ranges.slice(at, at + MAX_RANGES));
  return parts;
}
