/**
 * Pages behind emailed links: shows the subscription. The buttons work without this script. The element names the API
 * address.
 */

import type { SubscriptionView } from "../../contract/accounts/alerts.ts";
import { make, only } from "./dom.ts";
import { ask } from "./json.ts";
import { subscriptionFacts } from "./subscription-facts.ts";

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
