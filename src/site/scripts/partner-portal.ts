/**
 * The page /partners/: asks for the portal with the key that was typed in. The key is read from its field when it is needed, sent to this service
 * alone, and kept nowhere.
 */

import type { PartnerPortalResponse } from "../../contract/accounts/partner.ts";
import { dayText } from "../../kernel/time.ts";
import { facts, make, only, sentence } from "./dom.ts";
import { ask, text } from "./json.ts";

const form = only(document, "#ask", HTMLFormElement);
const keyField = only(form, "#key", HTMLInputElement);
const outcome = only(document, "#outcome", HTMLElement);
const portal = only(document, "#portal", HTMLElement);

async function show(): Promise<void> {
  outcome.replaceChildren("Loading …");
  portal.replaceChildren();
  const answer = await ask<PartnerPortalResponse>("/api/v1/partner/portal", {
    headers: { Authorization: `Bearer ${keyField.value.trim()}` },
  });
  outcome.setAttribute("data-state", answer.isOk ? "shown" : "refused");
  outcome.replaceChildren(answer.isOk ? `Portal of ${answer.body.client.name}.` : sentence(answer.error));
  if (answer.isOk)
    portal.replaceChildren(...quota(answer.body), ...usage(answer.body), ...tables(answer.body));
}

function quota({ quota }: PartnerPortalResponse): HTMLElement[] {
  return [
    make("h2", "Quota"),
    facts(
      ["Today", `${text(quota.used_today)} of ${text(quota.daily)}`],
      ["Left today", text(quota.daily_remaining)],
      ["This month", `${text(quota.used_this_month)} of ${text(quota.monthly)}`],
      ["Left this month", text(quota.monthly_remaining)],
    ),
  ];
}

function usage({ usage }: PartnerPortalResponse): HTMLElement[] {
  return [
    make("h2", "Use"),
    facts(
      ["Requests in the last 7 days", text(usage.requests_7d)],
      ["Errors in the last 24 hours", text(usage.errors_24h)],
      ["95th percentile response time (ms, last 24 hours)", text(usage.p95_latency_ms_24h)],
    ),
    table("Operations in the last 30 days", usage.endpoint_mix_30d, [
      ["Operation", "operation"],
      ["Requests", "requests"],
    ]),
    table("Latest requests", usage.recent_requests, [
      ["Time", "requested_at"],
      ["Operation", "operation"],
      ["Status", "status"],
      ["Milliseconds", "latency_ms"],
    ]),
  ];
}

function tables({ api_keys, webhooks }: PartnerPortalResponse): HTMLElement[] {
  return [
    make("h2", "Keys and webhooks"),
    table("API keys", api_keys, [
      ["Prefix", "prefix"],
      ["Status", "status"],
      ["Issued", "created_at"],
      ["Last used", "last_used_at"],
    ]),
    table("Webhooks", webhooks.endpoints, [
      ["Address", "endpoint_url"],
      ["Status", "status"],
      ["Reason", "status_reason"],
      ["Consecutive failures", "failures"],
      ["Last success", "last_success_at"],
    ]),
  ];
}

function table<Member extends string>(
  title: string,
  rows: readonly Readonly<Record<NoInfer<Member>, string | number | null>>[],
  columns: readonly (readonly [title: string, member: Member])[],
): HTMLElement {
  const region = make("div", make("p", make("strong", title)));
  if (rows.length === 0) {
    region.append(make("p", "None."));
    return region;
  }
  const head = make("tr", ...columns.map(([title]) => heading(title)));
  const lines = rows.map((row) =>
    make("tr", ...columns.map(([, member]) => make("td", cellText(row[member])))),
  );
  region.append(make("table", make("thead", head), make("tbody", ...lines)));
  region.className = "scroll";
  region.role = "region";
  region.ariaLabel = title;
  region.tabIndex = 0;
  return region;
}

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T/;

/** Times to the second: a partner looks for single requests. */
function cellText(value: string | number | null): string {
  if (typeof value !== "string" || !TIMESTAMP.test(value)) return text(value);
  return `${dayText(value)}, ${value.slice(11, 19)} UTC`;
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
