import { type Command, Option } from "@commander-js/extra-typings";
import { REPORT_KIND_WORDS } from "../../../contract/accounts/reports.ts";
import { ReportOutcome } from "../../../contract/enums.ts";
import { enqueueReportResolved } from "../../../delivery/email/messages.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { writeText } from "../../../kernel/text/terminal.ts";
import { isoTime } from "../../../kernel/time.ts";
import { openLedgerReader } from "../../../ledger/reader.ts";
import type { RowKind } from "../../../ledger/rows/rows.ts";
import { type CommandContext, homeOf, printLines, printResult } from "../../../operations/context.ts";
import { existingState, requiredState } from "../../../operations/existing-state.ts";
import { assertMove } from "../../../review/moves.ts";
import { reviewerRole } from "../../../review/reasons.ts";
import type { State } from "../../../state/open-state.ts";
import type { Report } from "../../../state/reports/report-row.ts";
import { JSON_OPTION, whole } from "../../command.ts";

interface ResolveOptions {
  readonly outcome: ReportOutcome;
  readonly as: string;
  readonly row?: number | undefined;
  readonly note?: string | undefined;
  readonly again?: boolean;
  readonly json?: boolean | undefined;
}

/** The rows that a report can lead to. */
const DECISIONS: ReadonlySet<RowKind> = new Set(["review", "status", "identity", "redaction"]);

export function define(report: Command, context: CommandContext): void {
  report
    .command("list")
    .description("list open reports, the longest waiting first")
    .option("--all", "include resolved reports")
    .option("--json", "print one report per line, as JSON")
    .action(async ({ all, json }) => {
      await using state = await existingState(context);
      const reports = (await (all ? state?.reports.all() : state?.reports.open())) ?? [];
      printLines(
        context,
        reports.map((each) => (json ? JSON.stringify(reportFields(each)) : reportLine(each))),
      );
      if (reports.length === 0) context.stderr.write("no reports\n");
    });
  report
    .command("show <id>")
    .description("show a report with its text and email address; both are private")
    .option(...JSON_OPTION)
    .action((id, { json }) => showReport(context, id, json));
  report
    .command("resolve <id>")
    .description("record the outcome of a report, and notify its author by email if an address was given")
    .addOption(
      new Option("--outcome <outcome>", "the outcome").choices(ReportOutcome.options).makeOptionMandatory(),
    )
    .requiredOption("--as <role>", "role of the reviewer (review-desk), never a person")
    .option("--row <row>", "with --outcome upheld: the ledger row that the report led to", whole("--row"))
    .option("--note <text>", "an internal note; deleted with the report's text")
    .option("--again", "replace an earlier resolution")
    .option(...JSON_OPTION)
    .action((id, options) => resolveReport(context, id, options));
}

/** Throws OperatorError when there is no such report. */
export async function showReport(
  context: CommandContext,
  id: string,
  json: boolean | undefined,
): Promise<void> {
  await using state = await requiredState(context);
  const report = await findReport(state, id);
  const { text, email, resolutions } = report;
  const decisions = resolutions.map(({ outcome, ledgerRow, resolvedBy, note, resolvedAt }) => ({
    outcome,
    at: isoTime(resolvedAt),
    by: resolvedBy,
    ledger_row: ledgerRow,
    note,
  }));
  if (json === true) {
    printResult(context, true, { ...reportFields(report), email, text, decisions });
    return;
  }
  printResult(context, false, { ...reportFields(report), email, decisions });
  writeText(context.stdout, `\n${text ?? "(the text is deleted)"}`);
  if (report.about !== null) context.stderr.write(`its subject: presence review show ${report.about}\n`);
}

async function resolveReport(context: CommandContext, id: string, options: ResolveOptions): Promise<void> {
  const { outcome, as, note = null, again = false, json } = options;
  const resolvedBy = reviewerRole(as);
  await using state = await requiredState(context);
  const report = await findReport(state, id);
  const move = again ? "resolve again" : "resolve";
  assertMove("report", move, statusOf(report), `report ${id}`);
  const ledgerRow = decisionRow(context, report, options);
  const resolution = { outcome, ledgerRow, resolvedBy, note };
  const { result, mails } = await state.transaction(async ({ reports, outbox }) => {
    const result = await reports.resolve(id, resolution, again);
    return {
      result,
      mails: result.outcome === "resolved" ? await enqueueReportResolved(outbox, result.report) : 0,
    };
  });
  if (result.outcome !== "resolved")
    throw new OperatorError(`report ${id}: another reviewer has resolved it meanwhile: look at it again`);
  printResult(context, json, { ...reportFields(result.report), mails_queued: mails });
}

/** Throws OperatorError for a row that is missing, redacted, or not a decision. */
function decisionRow(
  context: CommandContext,
  { about }: Report,
  { outcome, row }: ResolveOptions,
): number | null {
  if (row === undefined) {
    if (outcome !== "upheld" || about === null) return null;
    throw new OperatorError(
      `--row is missing: name the ledger row that the report led to; if there is none yet, decide first: presence review show ${about}`,
    );
  }
  if (outcome !== "upheld") throw new OperatorError("--row applies only to --outcome upheld: leave it out");
  using reader = openLedgerReader(homeOf(context).ledger);
  const target = reader.live.find(row);
  if (target === undefined) throw new OperatorError(`--row ${row}: there is no such row`);
  if (!DECISIONS.has(target.kind))
    throw new OperatorError(
      `--row must be a decision, one of ${[...DECISIONS].join(", ")} (row ${row} is of kind ${target.kind})`,
    );
  if (!target.isLive) throw new OperatorError(`--row ${row}: the row was redacted`);
  return row;
}

async function findReport(state: State, id: string): Promise<Report> {
  const report = await state.reports.get(id);
  if (report !== undefined) return report;
  throw new OperatorError(`no report ${id.slice(0, 80)}: see presence report list --all`);
}

function statusOf({ resolutions }: Report): "open" | "resolved" {
  return resolutions.length === 0 ? "open" : "resolved";
}

function reportFields(report: Report) {
  const last = report.resolutions.at(-1);
  return {
    report: report.publicId,
    status: statusOf(report),
    received_at: isoTime(report.receivedAt),
    about: report.about,
    record: report.record,
    kind: report.kind,
    wants_answer: report.email !== null,
    outcome: last?.outcome ?? null,
    resolved_at: last === undefined ? null : isoTime(last.resolvedAt),
    resolved_by: last?.resolvedBy ?? null,
    ledger_row: last?.ledgerRow ?? null,
  };
}

function reportLine(report: Report): string {
  const { publicId, receivedAt, about, kind, resolutions } = report;
  const state = resolutions.at(-1)?.outcome ?? "open";
  return `${publicId}  ${state}  since ${isoTime(receivedAt)}  ${about ?? "-"}: ${REPORT_KIND_WORDS[kind]}`;
}
