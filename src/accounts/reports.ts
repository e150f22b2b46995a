import { ACCOUNT_OPERATIONS } from "../contract/accounts/account-operations.ts";
import { REPORT_EMAIL_WORDS } from "../contract/accounts/delivery.ts";
import {
  REPORT_OPEN_WORDS,
  REPORT_OUTCOME_WORDS,
  type ReportReceipt,
  ReportRequest,
  type ReportView,
} from "../contract/accounts/reports.ts";
import { SCHEMA } from "../contract/versions.ts";
import { PublicError } from "../kernel/errors.ts";
import { publicIdIn } from "../kernel/ids.ts";
import { isoTime } from "../kernel/time.ts";
import type { ReadContext } from "../resources/define.ts";
import { ownersUrl, reportUrl } from "../resources/links.ts";
import type { StateStores } from "../state/open-state.ts";
import type { Report } from "../state/reports.ts";
import {
  type AccountDeps,
  defineAccountOperation,
  defineAccountWrite,
  parseFields,
  type Reply,
} from "./define.ts";

/** Problem reports, as their senders see them. */

type Snapshot = ReadContext["snapshot"];
type Subject = Pick<Report, "about" | "record">;

export const createReport = defineAccountWrite(
  ACCOUNT_OPERATIONS.createReport,
  async (deps, report, call) => {
    await call.admit("reports");
    return fileReport(deps, report);
  },
);

export const getReport = defineAccountOperation(ACCOUNT_OPERATIONS.getReport, async (deps, call) => ({
  status: 200,
  body: await reportView(deps, call.path("report_id")),
}));

/** Throws PublicError 400 that names the field. */
export function parseReport(body: unknown): ReportRequest {
  return parseFields(ReportRequest, body);
}

/** Stores a report. Throws PublicError 404 for a subject that the current release does not have. */
export async function fileReport(
  deps: AccountDeps,
  { about, kind, text, email }: ReportRequest,
): Promise<Reply<ReportReceipt>> {
  const snapshot = deps.snapshot();
  const subject = subjectOf(snapshot, about ?? "");
  const state = await deps.state.get();
  const id = await state.transaction(({ reports, emails }) =>
    reports.file({ ...subject, kind, text, email: email ?? null }, (address) =>
      mayAnswer(deps, emails, address),
    ),
  );
  const { baseUrl } = snapshot.release();
  const body: ReportReceipt = {
    schema: SCHEMA.problemReport,
    ok: true,
    report: { report_id: id, kind, about: subject.about, status: "open" },
    next: [
      `We have your report. The operator reviews it and decides; until then, nothing changes. To follow it, see ${reportUrl(baseUrl, id)}.`,
      ...(email === undefined ? [] : [REPORT_EMAIL_WORDS[deps.delivery().email]]),
      ...(kind === "privacy" ? [`How to have a record removed or a row erased: ${ownersUrl(baseUrl)}.`] : []),
    ].join(" "),
  };
  return { status: 202, body };
}

/** The sender need not be the owner of the address. A report that is not answered is worth as much. */
async function mayAnswer(
  deps: AccountDeps,
  emails: StateStores["emails"],
  address: string,
): Promise<boolean> {
  const withheld = await emails.take(address, deps.emailBudgets);
  if (withheld !== undefined) deps.onWithheld(withheld);
  return withheld === undefined;
}

/** Throws PublicError 404 for an id that was never given out. */
export async function reportView(deps: AccountDeps, id: string): Promise<ReportView> {
  const { reports } = await deps.state.get();
  const report = REPORT_ID.test(id) ? await reports.get(id) : undefined;
  if (report === undefined)
    throw new PublicError(
      404,
      "We found no report with that reference. Check it for typing errors; it begins with rep_.",
      {
        reason: "unknown",
      },
    );
  const { kind, publicId, receivedAt, resolutions } = report;
  const last = resolutions.at(-1);
  return {
    schema: SCHEMA.problemReport,
    ok: true,
    report: {
      report_id: publicId,
      kind,
      received_at: isoTime(receivedAt),
      status: last === undefined ? "open" : "resolved",
      outcome: last?.outcome ?? null,
      reason: last === undefined ? REPORT_OPEN_WORDS : REPORT_OUTCOME_WORDS[last.outcome],
      resolved_at: last === undefined ? null : isoTime(last.resolvedAt),
      ledger_row: last?.ledgerRow ?? null,
    },
  };
}

const REPORT_ID = /^rep_[0-9a-z]{16}$/;
const ROW = /^[1-9]\d{0,14}$/;

function subjectOf(snapshot: Snapshot, about: string): Subject {
  if (about === "") return { about: null, record: null };
  if (ROW.test(about)) {
    if (Number(about) <= snapshot.release().lastSealedRow) return { about, record: null };
    throw new PublicError(404, "this ledger row is not published");
  }
  const id = publicIdIn(about) ?? "";
  const record = snapshot.record(id)?.publicId ?? snapshot.recordOfAsset(id);
  if (record !== undefined) return { about: id, record };
  throw new PublicError(
    404,
    "no such Presence Record, asset or ledger row: omit `about` to report anything else",
  );
}
