import { type Command, Option } from "commander";
import { REPORT_KIND_WORDS } from "../../../contract/accounts/reports.ts";
import { ReportOutcome } from "../../../contract/enums.ts";
import { enqueueReportResolved } from "../../../delivery/email/messages.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { isoTime } from "../../../kernel/time.ts";
import { openLedgerReader } from "../../../ledger/reader.ts";
import type { RowKind } from "../../../ledger/rows/rows.ts";
import { type CommandContext, homeOf, printResult } from "../../../operations/context.ts";
import { existingState, requiredState } from "../../../operations/existing-state.ts";
import { assertMove } from "../../../review/moves.ts";
import { reviewerRole } from "../../../review/reasons.ts";
import type { State } from "../../../state/open-state.ts";
import type { Report } from "../../../state/reports/report-row.ts";
import { harmlessText } from "../../harmless-text.ts";
import { wholeNumber } from "../../whole-number.ts";

interface ResolveOptions {
  readonly outcome: ReportOutcome;
  readonly as: string;
  readonly row?: string;
  readonly note?: string;
  readonly again?: boolean;
  readonly json?: boolean;
}

/** What a report can have led to. */
const DECISIONS: ReadonlySet<RowKind> = new Set(["review", "status", "identity", "redaction", "opt_out"]);

export function defineReport(report: Command, context: CommandContext): void {
  report
    .command("list")
    .description("open reports, the longest waiting first")
    .option("--all", "those that were decided about, too")
    .option("--json", "print one report a line as JSON")
    .action((options: { readonly all?: boolean; readonly json?: boolean }) => listReports(context, options));
  report
    .command("show <id>")
    .description("a report with its text and address; both are private")
    .option("--json", "print it as JSON")
    .action((id: string, { json }: { readonly json?: boolean }) => showReport(context, id, json));
  report
    .command("resolve <id>")
    .description("say what came of a report; whoever left an address is told by mail")
    .addOption(
      new Option("--outcome <outcome>", "what came of it")
        .choices(ReportOutcome.options)
        .makeOptionMandatory(),
    )
    .requiredOption("--as <role>", "who decides, as a role (review-desk), never a person")
    .option("--row <row>", "of what is upheld: the ledger row that it led to")
    .option("--note <text>", "for your own books; deleted with the report's text")
    .option("--again", "it was decided about before: this decision counts from now on")
    .option("--json", "print the result as JSON")
    .action((id: string, options: ResolveOptions) => resolveReport(context, id, options));
}

async function listReports(
  context: CommandContext,
  { all, json }: { readonly all?: boolean; readonly json?: boolean },
): Promise<void> {
  await using state = await existingState(context);
  const reports = (await (all === true ? state?.reports.all() : state?.reports.open())) ?? [];
  for (const report of reports)
    context.stdout.write(json === true ? `${JSON.stringify(listed(report))}\n` : reportLine(report));
  if (reports.length === 0) context.stderr.write("nothing is reported\n");
}

/** Throws OperatorError when there is no such report. */
export async function showReport(
  context: CommandContext,
  id: string,
  json: boolean | undefined,
): Promise<void> {
  await using state = await requiredState(context);
  const report = await known(state, id);
  const { text, email, resolutions } = report;
  const decisions = resolutions.map(({ outcome, ledgerRow, resolvedBy, note, at }) => ({
    outcome,
    at: isoTime(at),
    by: resolvedBy,
    ledger_row: ledgerRow,
    note,
  }));
  if (json === true) {
    printResult(context, true, { ...listed(report), email, text, decisions });
    return;
  }
  const notes = decisions.map((decision) => ({
    ...decision,
    note: decision.note && harmlessText(decision.note),
  }));
  printResult(context, false, { ...listed(report), email, decisions: notes });
  context.stdout.write(`\n${text === null ? "(the text is deleted)" : harmlessText(text)}\n`);
  if (report.about !== null)
    context.stderr.write(`\nwhat it is about: presence review show ${report.about}\n`);
}

async function resolveReport(context: CommandContext, id: string, options: ResolveOptions): Promise<void> {
  const { outcome, as, note = null, again = false, json } = options;
  const resolvedBy = reviewerRole(as);
  await using state = await requiredState(context);
  const report = await known(state, id);
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
    throw new OperatorError(`report ${id}: somebody else decided about it meanwhile: look at it again`);
  printResult(context, json, { ...listed(result.report), mails_queued: mails });
}

/** Throws OperatorError for a row that is missing, is not there any more, or is no decision. */
function decisionRow(
  context: CommandContext,
  { about }: Report,
  { outcome, row }: ResolveOptions,
): number | null {
  if (row === undefined) {
    if (outcome !== "upheld" || about === null) return null;
    throw new OperatorError(
      `--row: name the ledger row that the report led to; if there is none yet, decide first: presence review show ${about}`,
    );
  }
  if (outcome !== "upheld")
    throw new OperatorError("--row: only what is upheld has led to a row; leave it out");
  const number = wholeNumber(row, "--row");
  using reader = openLedgerReader(homeOf(context).ledger);
  const found = reader.desk().live.find(number);
  if (found === undefined) throw new OperatorError(`--row ${number}: there is no such row`);
  if (!DECISIONS.has(found.kind))
    throw new OperatorError(
      `--row ${number}: a row of kind ${found.kind}, which is no decision; expected one of ${[...DECISIONS].join(", ")}`,
    );
  if (!found.isLive) throw new OperatorError(`--row ${number}: the row was redacted`);
  return number;
}

async function known(state: State, id: string): Promise<Report> {
  const report = await state.reports.get(id);
  if (report !== undefined) return report;
  throw new OperatorError(`no report ${id.slice(0, 80)}: presence report list --all shows all of them`);
}

function statusOf({ resolutions }: Report): "open" | "resolved" {
  return resolutions.length === 0 ? "open" : "resolved";
}

function listed(report: Report) {
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
    resolved_at: last === undefined ? null : isoTime(last.at),
    resolved_by: last?.resolvedBy ?? null,
    ledger_row: last?.ledgerRow ?? null,
  };
}

function reportLine(report: Report): string {
  const { publicId, receivedAt, about, kind, resolutions } = report;
  const state = resolutions.at(-1)?.outcome ?? "open";
  return `${publicId}  ${state}  since ${isoTime(receivedAt)}  ${about ?? "-"}: ${REPORT_KIND_WORDS[kind]}\n`;
}
