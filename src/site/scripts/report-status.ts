/** Shows the status of the report in the address and of requested ones. Without this script, the form posts normally. */

import type { ReportView } from "../../contract/accounts/reports.ts";
import { dayText } from "../../kernel/time.ts";
import { facts, make, only, sentence } from "./dom.ts";
import { ask, text } from "./json.ts";

const form = only(document, "#look-up", HTMLFormElement);
const outcome = only(document, "#outcome", HTMLElement);
const field = only(form, "#report", HTMLInputElement);

function minuteText(time: string): string {
  return `${dayText(time)}, ${time.slice(11, 16)} UTC`;
}

function reportFacts({ report }: ReportView): HTMLElement {
  return facts(
    ["Your reference", report.report_id],
    ["Received", minuteText(report.received_at)],
    ["Status", report.status === "open" ? "open: not decided yet" : "decided"],
    ["Explanation", report.reason],
    ...(report.resolved_at === null ? [] : ([["Decided", minuteText(report.resolved_at)]] as const)),
    ...(report.ledger_row === null ? [] : ([["Ledger row", text(report.ledger_row)]] as const)),
  );
}

async function show(): Promise<void> {
  outcome.replaceChildren("Loading …");
  const answer = await ask<ReportView>(`/api/v1/reports/${encodeURIComponent(field.value.trim())}`);
  outcome.replaceChildren(answer.isOk ? reportFacts(answer.body) : make("p", sentence(answer.error)));
  outcome.setAttribute("data-state", answer.isOk ? "shown" : "refused");
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void show();
});
field.value = new URLSearchParams(location.search).get("report") ?? field.value;
if (field.value !== "") void show();
