import type { SubscriptionView } from "../../contract/accounts/alerts.ts";
import { facts } from "./dom.ts";
import { text } from "./json.ts";

const CHANNELS = {
  email: "by email",
  webhook: "to a webhook",
  dashboard: "in the partner portal",
};

/** Lists a subscription's settings for its owner. */
export function subscriptionFacts({ subscription }: SubscriptionView): HTMLElement {
  const { scope } = subscription;
  return facts(
    ["Status", subscription.status],
    ["Sent", CHANNELS[subscription.channel]],
    ["To", text(subscription.webhook_url ?? subscription.address)],
    ["City", scope.city],
    ["Record", scope.entity_public_id ?? "all records"],
    ["Industry", scope.industry_code ?? "all industries"],
    ["Events", subscription.event_types.join(", ").replaceAll("_", " ")],
    ["Minimum confidence", text(subscription.min_confidence)],
  );
}
