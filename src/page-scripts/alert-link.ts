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
  details.replaceChildren(isOk ? subscriptionFacts(body) : make("p", `${text(body["error"])}.`));
  details.setAttribute("data-state", isOk ? "shown" : "refused");
}

if (token === "")
  details.replaceChildren(
    make("p", "This page is reached by the link in a mail; the link here is not whole."),
  );
else void show();
