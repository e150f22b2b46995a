/** The page /alerts/: subscribes without leaving the page and shows a preview. Without this script, the form posts normally. */

import type { AlertSubscriptionResponse } from "../../contract/accounts/alerts.ts";
import { facts, make, only } from "./dom.ts";
import { formFields, markFaults, refusalText } from "./form-fields.ts";
import { post, text } from "./json.ts";

const form = only(document, "#subscribe", HTMLFormElement);
const outcome = only(document, "#outcome", HTMLElement);
const channel = only(form, "#channel", HTMLSelectElement);
const endpoint = only(form, "#webhook_url", HTMLInputElement);

const TICKED = "input[name=event_types]:checked";

/** The request body of the API. */
function request() {
  const { types_shown: _, event_types = [], ...fields } = formFields(form, ["event_types"]);
  return { ...fields, event_types, min_confidence: Number(fields["min_confidence"]) };
}

/** Takes the place of the form: what was asked for, and what is to be done next. */
function showAnswer({ subscription, delivery, preview }: AlertSubscriptionResponse): void {
  const heading = make("h2", "One more step: confirm it");
  heading.setAttribute("tabindex", "-1");
  const events = preview.latest_events.map((event) =>
    make("li", link(event.headline, new URL(event.record_url).pathname)),
  );
  const panel = make(
    "div",
    heading,
    make("p", delivery.note),
    facts(
      ["About", subscription.scope.in_words],
      ["When", labelsOf(TICKED).join("; ")],
      ["How certain", labelsOf("#min_confidence option:checked").join()],
    ),
    make("p", `Matching events in the last 30 days: ${text(preview.matched_events)}.`),
    ...(events.length > 0 ? [make("ul", ...events)] : []),
    make("p", link("Subscribe to something else", "/alerts/")),
  );
  panel.className = "notice";
  outcome.replaceChildren(panel);
  form.before(outcome);
  form.hidden = true;
  heading.focus();
}

/** What is chosen, as the form calls it. */
function labelsOf(selector: string): string[] {
  return [...form.querySelectorAll(selector)].map((chosen) =>
    ((chosen instanceof HTMLInputElement ? chosen.labels?.[0] : chosen)?.textContent ?? "").trim(),
  );
}

function link(words: string, href: string): HTMLElement {
  const anchor = make("a", words);
  anchor.setAttribute("href", href);
  return anchor;
}

async function subscribe(): Promise<void> {
  if (labelsOf(TICKED).length === 0) {
    outcome.replaceChildren("Tick at least one kind of change.");
    return;
  }
  outcome.replaceChildren("Subscribing …");
  const answer = await post<AlertSubscriptionResponse>("/api/v1/alerts/subscribe", request());
  outcome.setAttribute("data-state", answer.isOk ? "accepted" : "refused");
  markFaults(form, answer.isOk ? {} : answer.fields);
  if (answer.isOk) showAnswer(answer.body);
  else outcome.replaceChildren(`Not subscribed: ${refusalText(form, answer)}.`);
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
