import { facts } from "./dom.ts";
import { type Json, object, text } from "./json.ts";

const CHANNELS: Readonly<Record<string, string>> = {
  email: "by email",
  webhook: "to a webhook",
  dashboard: "in the partner portal",
};

/** Lists a subscription's settings for its owner. */
export function subscriptionFacts(answer: Json): HTMLElement {
  const subscription = object(answer["subscription"]);
  const scope = object(subscription["scope"]);
  const types = subscription["event_types"];
  return facts(
    ["Status", text(subscription["status"])],
    ["Sent", CHANNELS[text(subscription["channel"])] ?? "–"],
    ["To", text(subscription["webhook_url"] ?? subscription["address"])],
    ["City", text(scope["city"])],
    ["Record", scope["entity_public_id"] === null ? "all records" : text(scope["entity_public_id"])],
    ["Industry", scope["industry_code"] === null ? "all industries" : text(scope["industry_code"])],
    ["Events", Array.isArray(types) ? types.join(", ").replaceAll("_", " ") : "–"],
    ["Minimum confidence", text(subscription["min_confidence"])],
  );
}
