/** Forms that are filled in with where their reader came from. Whatever the address has, the form shows it and nothing is refused. */

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

/** The value that a field begins with; undefined without a page state, as in the published file. */
export function filledIn(shown: PageState<object> | undefined, name: string): string | undefined {
  return shown && argument(shown.input, name);
}
