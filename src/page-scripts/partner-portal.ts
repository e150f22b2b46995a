/**
 * The page /partners/: asks for the portal with the key that was typed in. The key is read from its field when it is needed, sent to this service
 * alone, and kept nowhere.
 */

import { facts, make, only } from "./dom.ts";
import { ask, type Json, list, object, text } from "./json.ts";

const form = only(document, "#ask", HTMLFormElement);
const keyField = only(form, "#key", HTMLInputElement);
const outcome = only(document, "#outcome", HTMLElement);
const portal = only(document, "#portal", HTMLElement);

async function show(): Promise<void> {
  outcome.replaceChildren("Loading …");
  portal.replaceChildren();
  const { isOk, body } = await ask("/api/v1/partner/portal", {
    headers: { Authorization: `Bearer ${keyField.value.trim()}` },
  });
  outcome.setAttribute("data-state", isOk ? "shown" : "refused");
  outcome.replaceChildren(
    isOk ? `Portal of ${text(object(body["client"])["name"])}.` : `${text(body["error"])}.`,
  );
  if (isOk)
    portal.replaceChildren(...quota(object(body["quota"])), ...usage(object(body["usage"])), ...tables(body));
}

function quota(values: Json): HTMLElement[] {
  return [
    make("h2", "Quota"),
    facts(
      ["Today", `${text(values["used_today"])} of ${text(values["daily"])}`],
      ["Left today", text(values["daily_remaining"])],
      ["This month", `${text(values["used_this_month"])} of ${text(values["monthly"])}`],
      ["Left this month", text(values["monthly_remaining"])],
    ),
  ];
}

function usage(values: Json): HTMLElement[] {
  return [
    make("h2", "Use"),
    facts(
      ["Requests in the last 7 days", text(values["requests_7d"])],
      ["Errors in the last 24 hours", text(values["errors_24h"])],
      ["95th percentile response time (ms, last 24 hours)", text(values["p95_latency_ms_24h"])],
    ),
    table("Operations in the last 30 days", values["endpoint_mix_30d"], [
      ["Operation", "operation"],
      ["Requests", "requests"],
    ]),
    table("Latest requests", values["recent_requests"], [
      ["Time", "requested_at"],
      ["Operation", "operation"],
      ["Status", "status"],
      ["Milliseconds", "latency_ms"],
    ]),
  ];
}

function tables(body: Json): HTMLElement[] {
  return [
    make("h2", "Keys and webhooks"),
    table("API keys", body["api_keys"], [
      ["Prefix", "prefix"],
      ["Status", "status"],
      ["Issued", "created_at"],
      ["Last used", "last_used_at"],
    ]),
    table("Webhooks", object(body["webhooks"])["endpoints"], [
      ["Address", "endpoint_url"],
      ["Status", "status"],
      ["Reason", "status_reason"],
      ["Consecutive failures", "failures"],
      ["Last success", "last_success_at"],
    ]),
  ];
}

function table(
  title: string,
  rows: unknown,
  columns: readonly (readonly [title: string, member: string])[],
): HTMLElement {
  const region = make("div", make("p", make("strong", title)));
  const values = list(rows);
  if (values.length === 0) {
    region.append(make("p", "None."));
    return region;
  }
  const head = make("tr", ...columns.map(([title]) => heading(title)));
  const lines = values.map((row) =>
    make("tr", ...columns.map(([, member]) => make("td", text(row[member])))),
  );
  region.append(make("table", make("thead", head), make("tbody", ...lines)));
  region.className = "scroll";
  region.role = "region";
  region.ariaLabel = title;
  region.tabIndex = 0;
  return region;
}

function heading(title: string): HTMLElement {
  const cell = make("th", title);
  cell.setAttribute("scope", "col");
  return cell;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void show();
});
only(form, "#forget", HTMLButtonElement).addEventListener("click", () => {
  keyField.value = "";
  portal.replaceChildren();
  outcome.replaceChildren("The key was cleared.");
});
