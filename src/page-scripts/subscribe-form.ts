/** The page /alerts/: subscribes without leaving the page and shows a preview. Without this script, the form posts normally. */

import { make, only } from "./dom.ts";
import { formFields, markFaults } from "./form-fields.ts";
import { ask, type Json, list, object, text } from "./json.ts";

const form = only(document, "#subscribe", HTMLFormElement);
const outcome = only(document, "#outcome", HTMLElement);
const channel = only(form, "#channel", HTMLSelectElement);
const endpoint = only(form, "#webhook_url", HTMLInputElement);

/** The request body of the API. */
function request(): Json {
  const fields = formFields(form, ["event_types"]);
  return { ...fields, min_confidence: Number(fields["min_confidence"]) };
}

function showAnswer(body: Json): void {
  const preview = object(body["preview"]);
  const events = list(preview["latest_events"]).map((event) => make("li", text(event["headline"])));
  outcome.replaceChildren(
    make("p", text(object(body["delivery"])["note"])),
    make("p", `Matching events in the last 30 days: ${text(preview["matched_events"])}.`),
    ...(events.length > 0 ? [make("ul", ...events)] : []),
  );
}

async function subscribe(): Promise<void> {
  outcome.replaceChildren("Subscribing …");
  const { isOk, body } = await ask("/api/v1/alerts/subscribe", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(request()),
  });
  outcome.setAttribute("data-state", isOk ? "accepted" : "refused");
  markFaults(form, isOk ? {} : object(body["fields"]));
  if (isOk) showAnswer(body);
  else outcome.replaceChildren(`Not subscribed: ${text(body["error"])}.`);
}

function showEndpoint(): void {
  endpoint.required = channel.value === "webhook";
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void subscribe();
});
channel.addEventListener("change", showEndpoint);
showEndpoint();
