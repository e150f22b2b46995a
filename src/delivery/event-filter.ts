import { isUnder } from "../contract/cities/industry.ts";
import type { ChangeEvent } from "../contract/cities/pulse.ts";
import type { Subscription } from "../state/subscriptions/subscription-row.ts";
import type { Webhook } from "../state/webhooks/webhook-row.ts";

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
