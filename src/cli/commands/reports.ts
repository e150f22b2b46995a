/** What readers and owners ask of the reviewers: problem reports, and requests to remove a record. */

import { text as textOf } from "node:stream/consumers";
import { enqueueReportResolved } from "../../accounts/delivery/messages.ts";
import { RemovalOutcome } from "../../contract/accounts/removals.ts";
import { REPORT_KIND_WORDS } from "../../contract/accounts/reports.ts";
import { RemovalReasonCode, ReportOutcome } from "../../contract/enums.ts";
import { REMOVAL } from "../../contract/limits.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { isoTime } from "../../kernel/time.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import type { RowKind } from "../../ledger/rows/rows.ts";
import { type CommandContext, fieldLines, homeOf, requiredState } from "../../operations/context.ts";
import { assertMove, reviewerRole } from "../../review/moves.ts";
import type { State } from "../../state/open-state.ts";
import type { Removal } from "../../state/removals.ts";
import type { Report } from "../../state/reports.ts";
import { type Bare, command } from "../command.ts";
import { choice, whole } from "../options.ts";
import { lines, noted, Output, shown } from "../output.ts";

const listReports = command({
  path: "report list",
  does: "list open reports, oldest first",
  takes: (bare: Bare) => bare.option("--all", "include resolved reports"),
  access: "state if any",
  json: "print one report per line, as JSON",
  async run({ state }, { all }) {
    const reports = (await (all ? state?.reports.all() : state?.reports.open())) ?? [];
    return lines(reports, {
      line: reportLine,
      json: reportFields,
      notes: reports.length === 0 ? ["no reports"] : [],
    });
  },
});

const showReport = command({
  path: "report show",
  does: "show a report with its text and email address; both are private",
  takes: (bare: Bare) => bare.argument("<id>"),
  access: "none",
  run: ({ context }, _, id) => shownReport(context, id),
});

/** Throws OperatorError when there is no such report. */
export async function shownReport(context: CommandContext, id: string): Promise<Output> {
  await using state = await requiredState(context);
  const report = await findReport(state, id);
  const { text, email, resolutions, about } = report;
  const decisions = resolutions.map(({ outcome, ledgerRow, resolvedBy, note, resolvedAt }) => ({
    outcome,
    at: isoTime(resolvedAt),
    by: resolvedBy,
    ledger_row: ledgerRow,
    note,
  }));
  const fields = reportFields(report);
  return new Output({
    json: { ...fields, email, text, decisions },
    text: [
      ...fieldLines({ ...fields, email, decisions }),
      "",
      ...(text ?? "(the text is deleted)").split("\n"),
    ],
    notes: about === null ? [] : [`its subject: presence review show ${about}`],
  });
}

const resolveReport = command({
  path: "report resolve",
  does: "record the outcome of a report, and notify its author by email if an address was given",
  takes: (bare: Bare) =>
    bare
      .argument("<id>")
      .addOption(choice("--outcome <outcome>", "the outcome", ReportOutcome.options))
      .requiredOption("--as <role>", "role of the reviewer (review-desk), never a person")
      .option("--row <row>", "with --outcome upheld: the ledger row that the report led to", whole("--row"))
      .option("--note <text>", "an internal note; deleted with the report's text")
      .option("--again", "replace an earlier resolution"),
  access: "state",
  async run({ context, state }, { outcome, as, row, note = null, again = false }, id) {
    const resolvedBy = reviewerRole(as);
    const report = await findReport(state, id);
    assertMove("report", again ? "resolve again" : "resolve", statusOf(report), `report ${id}`);
    const ledgerRow = decisionRow(context, report, { outcome, row });
    const resolution = { outcome, ledgerRow, resolvedBy, note };
    const { result, mails } = await state.transaction(async ({ reports, outbox }) => {
      const result = await reports.resolve(id, resolution, again);
      return {
        result,
        mails: result.outcome === "resolved" ? await enqueueReportResolved(outbox, result.report) : 0,
      };
    });
    if (result.outcome !== "resolved")
      throw new OperatorError(`report ${id}: another reviewer has resolved it: look at it again`);
    return { ...reportFields(result.report), mails_queued: mails };
  },
});

/** The rows that a report can lead to. */
const DECISIONS: ReadonlySet<RowKind> = new Set(["review", "status", "identity", "redaction"]);

/** Throws OperatorError for a row that is missing, redacted, or not a decision. */
function decisionRow(
  context: CommandContext,
  { about }: Report,
  { outcome, row }: { readonly outcome: ReportOutcome; readonly row: number | undefined },
): number | null {
  if (row === undefined) {
    if (outcome !== "upheld" || about === null) return null;
    throw new OperatorError(
      `--row is missing: name the ledger row that the report led to; if there is none yet, decide first: presence review show ${about}`,
    );
  }
  if (outcome !== "upheld") throw new OperatorError("--row applies only to --outcome upheld: omit it");
  using reader = openLedgerReader(homeOf(context).ledger);
  const target = reader.live.find(row);
  if (target === undefined) throw new OperatorError(`--row ${row}: the ledger has no such row`);
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

const UNRESOLVED = { outcome: null, resolvedAt: null, resolvedBy: null, ledgerRow: null };

function reportFields(report: Report) {
  const last = report.resolutions.at(-1);
  return {
    report: report.publicId,
    status: statusOf(report),
    ...shown(report, "receivedAt", "about", "record", "kind"),
    wants_answer: report.email !== null,
    ...shown(last ?? UNRESOLVED, "outcome", "resolvedAt", "resolvedBy", "ledgerRow"),
  };
}

function reportLine(report: Report): string {
  const { publicId, receivedAt, about, kind, resolutions } = report;
  const state = resolutions.at(-1)?.outcome ?? "open";
  return `${publicId}  ${state}  since ${isoTime(receivedAt)}  ${about ?? "-"}: ${REPORT_KIND_WORDS[kind]}`;
}

const listRemovals = command({
  path: "removal list",
  does: "list requests that await a code or a decision, oldest first",
  takes: (bare: Bare) => bare.option("--all", "include unproven and decided requests"),
  access: "state if any",
  json: "print one request per line, as JSON",
  async run({ state }, { all }) {
    const found = (await state?.removals.list(all)) ?? [];
    return lines(found, {
      line: removalLine,
      json: removalFields,
      notes: found.length === 0 ? ["no requests"] : [],
    });
  },
});

const showRemoval = command({
  path: "removal show",
  does: "show a request and the command that carries it out",
  takes: (bare: Bare) => bare.argument("<id>"),
  access: "state",
  async run({ state, json }, _, id) {
    const removal = await findRemoval(state, id);
    const { status, record, reason } = removal;
    const isDue = status === "requested" && record !== null && !json;
    const toDo = `to carry it out: presence opt-out ${record} --reason ${reason}`;
    return noted(removalFields(removal), ...(isDue ? [toDo] : []));
  },
});

const issueCode = command({
  path: "removal issue-code",
  does: "create a code for a request, to send by post or tell by phone; it is printed only once",
  takes: (bare: Bare) => bare.argument("<id>"),
  access: "state",
  async run({ state, json }, _, id) {
    const removal = await findRemoval(state, id);
    const code = await state.removals.issueCode(id);
    if (code === undefined)
      throw new OperatorError(`request ${id}: it is ${removal.status}, so it takes no code`);
    const howTo = `Send it to a postal address or tell it by phone, using contact data of the business from another source than the request. It is valid for ${REMOVAL.codeDays} days. When the business returns it: presence removal enter-code ${id} --reason owner_request`;
    return new Output({
      json: { ...removalFields(removal), code },
      text: [code],
      notes: json ? [] : [howTo],
    });
  },
});

const enterCode = command({
  path: "removal enter-code",
  does: "read a business's code from standard input, and prove the request with it",
  takes: (bare: Bare) =>
    bare
      .argument("<id>")
      .addOption(choice("--reason <code>", "the reason that the business gave", RemovalReasonCode.options)),
  access: "state",
  async run({ context, state }, { reason }, id) {
    await findRemoval(state, id);
    context.stderr.write("Type the code, then end the input (Ctrl-D):\n");
    const result = await state.removals.enterCode(id, await textOf(context.stdin ?? process.stdin));
    if (result === "wrong_code")
      throw new OperatorError(
        `request ${id}: the code is wrong; after ${REMOVAL.codeAttempts} wrong attempts it is void: issue another`,
      );
    if (result === "no_code")
      throw new OperatorError(`request ${id}: it has no valid code: presence removal issue-code ${id}`);
    const sent = await state.removals.request(id, reason);
    return removalFields(sent ?? (await findRemoval(state, id)));
  },
});

const resolveRemoval = command({
  path: "removal resolve",
  does: "record the decision about a request; an opt-out records its own",
  takes: (bare: Bare) =>
    bare
      .argument("<id>")
      .addOption(choice("--outcome <outcome>", "the outcome", RemovalOutcome.options))
      .requiredOption("--as <role>", "role of the reviewer (privacy-desk), never a person"),
  access: "state",
  async run({ state }, { outcome, as }, id) {
    const role = reviewerRole(as);
    const { status } = await findRemoval(state, id);
    const resolved = await state.removals.resolve(id, outcome, role);
    if (resolved === undefined)
      throw new OperatorError(`request ${id}: it has already been decided (${status})`);
    return removalFields(resolved);
  },
});

async function findRemoval(state: State, id: string): Promise<Removal> {
  const removal = await state.removals.get(id);
  if (removal !== undefined) return removal;
  throw new OperatorError(`no request ${id.slice(0, 80)}: see presence removal list --all`);
}

function removalFields(removal: Removal) {
  return {
    request: removal.publicId,
    ...shown(removal, "status", "record", "proof", "createdAt", "provenAt", "provenBy", "reason"),
    ...shown(removal, "requestedAt", "hasCode", "resolvedAt", "resolvedBy"),
  };
}

function removalLine({ publicId, status, createdAt, record, proof, provenBy, hasCode }: Removal): string {
  const proofWords =
    provenBy === null ? (hasCode ? "code issued" : `awaits ${proof}`) : `proven by ${provenBy}`;
  return `${publicId}  ${status}  since ${isoTime(createdAt)}  ${record ?? "-"}: ${proofWords}`;
}

export const commands = [
  ...[listReports, showReport, resolveReport],
  ...[listRemovals, showRemoval, issueCode, enterCode, resolveRemoval],
];
