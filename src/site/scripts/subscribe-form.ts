/** The page /alerts/: subscribes without leaving the page and shows a preview. Without this script, the form posts normally. */

import type { AlertSubscriptionResponse } from "../../contract/accounts/alerts.ts";
import { make, only } from "./dom.ts";
import { formFields, markFaults } from "./form-fields.ts";
import { post, text } from "./json.ts";

const form = only(document, "#subscribe", HTMLFormElement);
const outcome = only(document, "#outcome", HTMLElement);
const channel = only(form, "#channel", HTMLSelectElement);
const endpoint = only(form, "#webhook_url", HTMLInputElement);

/** The request body of the API. */
function request() {
  const fields = formFields(form, ["event_types"]);
  return { ...fields, min_confidence: Number(fields["min_confidence"]) };
}

function showAnswer({ delivery, preview }: AlertSubscriptionResponse): void {
  const events = preview.latest_events.map(({ headline }) => make("li", headline));
  outcome.replaceChildren(
    make("p", delivery.note),
    make("p", `Matching events in the last 30 days: ${text(preview.matched_events)}.`),
    ...(events.length > 0 ? [make("ul", ...events)] : []),
  );
}

async function subscribe(): Promise<void> {
  outcome.replaceChildren("Subscribing …");
  const answer = await post<AlertSubscriptionResponse>("/api/v1/alerts/subscribe", request());
  outcome.setAttribute("data-state", answer.isOk ? "accepted" : "refused");
  markFaults(form, answer.isOk ? {} : answer.fields);
  if (answer.isOk) showAnswer(answer.body);
  else outcome.replaceChildren(`Not subscribed: ${answer.error}.`);
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
