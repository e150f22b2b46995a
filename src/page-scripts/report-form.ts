/** The page /report/: prefills the subject from the link and shows errors without losing input. Without this script, the form posts normally. */

import { only } from "./dom.ts";
import { formFields, markFaults } from "./form-fields.ts";
import { ask, object, text } from "./json.ts";

const form = only(document, "#report", HTMLFormElement);
const outcome = only(document, "#outcome", HTMLElement);
const about = only(form, "#about", HTMLInputElement);

async function send(): Promise<void> {
  outcome.replaceChildren("Sending …");
  const { isOk, body } = await ask("/api/v1/reports", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(formFields(form)),
  });
  if (isOk) {
    location.assign(
      `/report/received/?report=${encodeURIComponent(text(object(body["report"])["report_id"]))}`,
    );
    return;
  }
  outcome.setAttribute("data-state", "refused");
  markFaults(form, object(body["fields"]));
  outcome.replaceChildren(`The report was not sent: ${text(body["error"])}.`);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void send();
});
if (about.value === "") about.value = new URLSearchParams(location.search).get("about") ?? "";
