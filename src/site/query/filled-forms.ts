/** Pages that are filled in with what their reader brings. Nothing is refused, whatever the address has. */

import type { SubscribeRequest } from "../../contract/accounts/alerts.ts";
import type { ReportRequest } from "../../contract/accounts/reports.ts";
import { argument, defineQueryPage, type PageState } from "./query-page.ts";

const NOTHING = {};

export const reportForm = defineQueryPage({
  name: "report",
  operation: "page",
  path: "/report/",
  parameters: ["about", "kind"] satisfies (keyof ReportRequest)[],
  answer: () => NOTHING,
  place: (shown: PageState<object>) => ({ report: shown }),
});

export const alertsForm = defineQueryPage({
  name: "alerts",
  operation: "page",
  path: "/alerts/",
  parameters: ["city", "entity_public_id", "industry_code"] satisfies (keyof SubscribeRequest)[],
  answer: () => NOTHING,
  place: (shown: PageState<object>) => ({ alerts: shown }),
});

export const reportReceived = defineQueryPage({
  name: "report-received",
  operation: "page",
  path: "/report/received/",
  parameters: ["report"],
  answer: () => NOTHING,
  place: (shown: PageState<object>) => ({ reportReceived: shown }),
});

const REFERENCE = /^rep_[0-9a-z]{16}$/;

/** The id of the report that was stored; undefined for whatever else the address has. */
export function reportReference(shown: PageState<object> | undefined): string | undefined {
  const asked = filledIn(shown, "report");
  return asked !== undefined && REFERENCE.test(asked) ? asked : undefined;
}

/** The value that a field begins with; undefined without a page state, as in the published file. */
export function filledIn(shown: PageState<object> | undefined, name: string): string | undefined {
  return shown && argument(shown.input, name);
}
