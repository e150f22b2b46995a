import type { ChangeEvent } from "../contract/cities/pulse.ts";
import { changeEvent } from "../resources/cities/pulse.ts";
import type { ReadContext } from "../resources/define.ts";
import type { State } from "../state/open-state.ts";
import type { NewDelivery } from "../state/outbox/outbox-items.ts";
import type { Subscription } from "../state/subscriptions/subscription-row.ts";
import type { Webhook } from "../state/webhooks/webhook-row.ts";
import { digestItem, eventItem } from "./email/messages.ts";
import { subscriptionMatches, webhookMatches } from "./event-filter.ts";
import { scopeWords } from "./scope-words.ts";
import { publishedWithdrawals, withdrawalItems } from "./withdrawal-items.ts";

export interface MatchedRelease {
  readonly events: number; // new in this release
  readonly digests: number;
  readonly webhooks: number; // deliveries of events
  readonly withdrawals: number; // deliveries of withdrawals
}

type Published = Pick<
  ReadContext["snapshot"],
  "release" | "cities" | "city" | "eventsOf" | "record" | "withdrawals"
>;

/**
 * Queues a release's events for subscribers and its withdrawals for endpoints, in one transaction with the mark that the release was matched, so it happens
 * exactly once even when killed. Returns undefined if this release was already matched.
 */
export async function matchRelease(state: State, snapshot: Published): Promise<MatchedRelease | undefined> {
  const { releaseId, asOf } = snapshot.release();
  if (await state.publications.isMatched(releaseId)) return undefined;
  const published = publishedEvents(snapshot);
  const withdrawn = publishedWithdrawals(snapshot);
  return state.transaction(async ({ publications, subscriptions, webhooks, outbox }) => {
    const ids = [...published.values()].flat().map(({ id }) => id);
    const newIds = await publications.match(releaseId, [...ids, ...withdrawn.keys()]);
    if (newIds === undefined) return undefined;
    const isNew = new Set(newIds);
    const byCity = onlyNew(published, isNew);
    const active = await subscriptions.active();
    const endpoints = await webhooks.deliverable();
    return {
      events: newIds.filter((id) => !withdrawn.has(id)).length,
      digests: await outbox.enqueue(digestItems(active, byCity, snapshot)),
      webhooks: await outbox.enqueue(webhookItems(endpoints, active, byCity)),
      withdrawals: await outbox.enqueue(withdrawalItems(endpoints, withdrawn, isNew, asOf)),
    };
  });
}

/** By slug, newest first. */
type EventsByCity = ReadonlyMap<string, readonly ChangeEvent[]>;

function publishedEvents(snapshot: Published): EventsByCity {
  const { baseUrl } = snapshot.release();
  const all = { since: 0, limit: Number.MAX_SAFE_INTEGER };
  return new Map(
    snapshot
      .cities()
      .map(({ slug }) => [slug, snapshot.eventsOf(slug, all).map((row) => changeEvent(row, baseUrl))]),
  );
}

function onlyNew(published: EventsByCity, newIds: ReadonlySet<string>): EventsByCity {
  return new Map([...published].map(([city, events]) => [city, events.filter(({ id }) => newIds.has(id))]));
}

function digestItems(
  subscriptions: readonly Subscription[],
  byCity: EventsByCity,
  snapshot: Published,
): NewDelivery[] {
  const { releaseId } = snapshot.release();
  return subscriptions
    .filter(({ channel }) => channel === "email")
    .flatMap((subscription) => {
      const published = byCity.get(subscription.city) ?? [];
      const events = published.filter((event) => subscriptionMatches(subscription, event));
      if (events.length === 0) return [];
      const { city, entityPublicId, industryCode } = subscription;
      const scope = scopeWords({
        city: snapshot.city(city)?.name ?? city,
        record: entityPublicId === null ? null : (snapshot.record(entityPublicId)?.name ?? entityPublicId),
        industryCode,
      });
      return digestItem(subscription.publicId, releaseId, { scope, city, events });
    });
}

/** The endpoint of a subscription gets events that match both filters. */
function webhookItems(
  webhooks: readonly Webhook[],
  subscriptions: readonly Subscription[],
  byCity: EventsByCity,
): NewDelivery[] {
  const byId = new Map(subscriptions.map((subscription) => [subscription.publicId, subscription]));
  return webhooks.flatMap((webhook) => {
    const subscription = webhook.owner.kind === "client" ? undefined : byId.get(webhook.owner.publicId);
    if (webhook.owner.kind === "subscription" && subscription === undefined) return [];
    return eventsFor(webhook, subscription, byCity).map((event) => eventItem(webhook, event));
  });
}

function eventsFor(
  webhook: Webhook,
  subscription: Subscription | undefined,
  byCity: EventsByCity,
): ChangeEvent[] {
  const city = webhook.city ?? subscription?.city;
  const events = city === undefined ? [...byCity.values()].flat() : (byCity.get(city) ?? []);
  return events.filter(
    (event) =>
      webhookMatches(webhook, event) &&
      (subscription === undefined || subscriptionMatches(subscription, event)),
  );
}
