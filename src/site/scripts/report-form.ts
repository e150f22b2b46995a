/** The page /report/: shows errors without losing input. Without this script, the form posts normally. */

import type { ReportReceipt } from "../../contract/accounts/reports.ts";
import { only } from "./dom.ts";
import { formFields, markFaults, refusalText } from "./form-fields.ts";
import { post } from "./json.ts";

const form = only(document, "#report", HTMLFormElement);
const outcome = only(document, "#outcome", HTMLElement);

async function send(): Promise<void> {
  outcome.replaceChildren("Sending …");
  const answer = await post<ReportReceipt>("/api/v1/reports", formFields(form));
  if (answer.isOk) {
    location.assign(`/report/received/?report=${encodeURIComponent(answer.body.report.report_id)}`);
    return;
  }
  outcome.setAttribute("data-state", "refused");
  markFaults(form, answer.fields);
  outcome.replaceChildren(`The report was not sent: ${refusalText(form, answer)}.`);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void send();
});
