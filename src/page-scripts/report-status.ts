/** Shows the status of the report in the address and of requested ones. Without this script, the form posts normally. */

import { facts, make, only } from "./dom.ts";
import { ask, type Json, object, text } from "./json.ts";

const form = only(document, "#look-up", HTMLFormElement);
const outcome = only(document, "#outcome", HTMLElement);
const field = only(form, "#report", HTMLInputElement);

function reportFacts(report: Json): HTMLElement {
  const time = (value: unknown) => text(value).replace("T", " ").replace("Z", " UTC");
  const row = report["ledger_row"];
  return facts(
    ["Report", text(report["report_id"])],
    ["Received", time(report["received_at"])],
    ["Status", text(report["status"])],
    ["Explanation", text(report["reason"])],
    ...(report["status"] === "open" ? [] : ([["Decided", time(report["resolved_at"])]] as const)),
    ...(typeof row === "number" ? ([["Ledger row", text(row)]] as const) : []),
  );
}

async function show(): Promise<void> {
  outcome.replaceChildren("Loading …");
  const { isOk, body } = await ask(`/api/v1/reports/${encodeURIComponent(field.value.trim())}`);
  outcome.replaceChildren(isOk ? reportFacts(object(body["report"])) : make("p", `${text(body["error"])}.`));
  outcome.setAttribute("data-state", isOk ? "shown" : "refused");
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void show();
});
field.value = new URLSearchParams(location.search).get("report") ?? field.value;
if (field.value !== "") void show();
