/**
 * Pages behind emailed links: shows the subscription. The buttons work without this script. The element names the API
 * address.
 */

import type { SubscriptionView } from "../../contract/accounts/alerts.ts";
import { facts, make, only } from "./dom.ts";
import { ask, text } from "./json.ts";

const CHANNELS = {
  email: "by email",
  webhook: "to a webhook",
  dashboard: "in the partner portal",
};

/** Lists a subscription's settings for its owner. */
function subscriptionFacts({ subscription }: SubscriptionView): HTMLElement {
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

const details = only(document, "[data-details]", HTMLElement);
const token = new URLSearchParams(location.search).get("token") ?? "";

async function show(): Promise<void> {
  const address = `${details.dataset["details"] ?? ""}?token=${encodeURIComponent(token)}`;
  const answer = await ask<SubscriptionView>(address);
  if (!answer.isOk) return refuse(answer.error);
  details.replaceChildren(subscriptionFacts(answer.body));
  details.setAttribute("data-state", "shown");
}

/** Marks the page as broken, so the style sheet hides its buttons. */
function refuse(reason: string): void {
  const subscribe = make("a", "Subscribe");
  subscribe.setAttribute("href", "/alerts/");
  const sentence = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
  details.replaceChildren(make("p", sentence), make("p", subscribe));
  details.setAttribute("data-state", "refused");
}

if (token === "") refuse("the link is incomplete: open the link in the email again");
else void show();
