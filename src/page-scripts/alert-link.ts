import { make, only } from "./dom.ts";
import { ask, text } from "./json.ts";
import { subscriptionFacts } from "./subscription-facts.ts";

/**
 * The pages that mailed links lead to: shows what the link is about. The buttons post by themselves, without this script. The element names the
 * address that is asked.
 */

const details = only(document, "[data-details]", HTMLElement);
const token = new URLSearchParams(location.search).get("token") ?? "";

async function show(): Promise<void> {
  const address = `${details.dataset["details"] ?? ""}?token=${encodeURIComponent(token)}`;
  const { isOk, body } = await ask(address);
  if (!isOk) return refuse(text(body["error"]));
  details.replaceChildren(subscriptionFacts(body));
  details.setAttribute("data-state", "shown");
}

/** The style sheet hides what the page offers otherwise: a link that leads nowhere has nothing to confirm. */
function refuse(reason: string): void {
  const subscribe = make("a", "Subscribe to alerts");
  subscribe.setAttribute("href", "/alerts/");
  const sentence = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
  details.replaceChildren(make("p", sentence), make("p", subscribe));
  details.setAttribute("data-state", "refused");
}

if (token === "") refuse("the link is incomplete: open the link in the email again");
else void show();
