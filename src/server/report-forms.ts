/** Targets of the forms on the report pages, which work without JavaScript. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { fileReport, parseReport, reportView } from "../accounts/report-problem.ts";
import { REPORT_TRAP } from "../contract/accounts/reports.ts";
import { PublicError } from "../kernel/errors.ts";
import { type AccountEdge, admitTo } from "./account-routes.ts";
import { admitForm, type Form, isPerson, readForm, seeOther } from "./forms.ts";
import { sendPassingJson } from "./http/errors.ts";
import type { RequestTarget } from "./http/request-target.ts";
import { refuseOtherSites } from "./http/same-origin.ts";

const REPORT = "/report/";

/** Where a person is led whose report is not there. */
export const NO_SUCH_REPORT = "/report/unknown/";

/** Answers a form. Throws PublicError, and whatever the state throws when it fails. */
export async function answerReportForm(
  edge: AccountEdge,
  { pathname }: RequestTarget,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const form = await readForm(request);
  refuseOtherSites(request, edge.hosts);
  await admitForm(edge, request, response);
  const { page, status, body } =
    pathname === REPORT ? await filed(edge, form, request) : await lookedUp(edge, form);
  if (isPerson(request)) seeOther(response, page);
  else sendPassingJson(request, response, status, body);
}

async function filed(edge: AccountEdge, form: Form, request: IncomingMessage) {
  const { [REPORT_TRAP]: trap, ...fields } = Object.fromEntries(form);
  if (trap !== undefined)
    throw new PublicError(
      400,
      `${REPORT_TRAP} must stay empty: it detects programs that fill in every field`,
    );
  const report = parseReport(fields);
  await admitTo(edge, "reports", request);
  const { status, body } = await fileReport(edge.accounts, report);
  return { page: `/report/received/?report=${body.report.report_id}`, status, body };
}

async function lookedUp(edge: AccountEdge, form: Form) {
  const body = await reportView(edge.accounts, String(form.get("report") ?? "").trim());
  return { page: `/report/${body.report.outcome ?? "open"}/`.replaceAll("_", "-"), status: 200, body };
}
