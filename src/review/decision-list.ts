/** Decisions in a file: CSV with the columns action, subject, value, reason, and, if wanted, as and expect. */
import { parse } from "csv-parse/sync";
import { z } from "zod";
import { OperatorError } from "../kernel/errors.ts";
import type { LedgerWriter } from "../ledger/writer.ts";
import type { RowDecision } from "./check.ts";
import type { Asked, Desk, Outcome } from "./desk.ts";
import { decider } from "./moves.ts";
import { ACTIONS } from "./request.ts";

export interface ListedDecision extends Asked {
  readonly line: number;
}

export interface ListedOutcome extends Outcome {
  readonly line: number;
  readonly action: string;
  readonly subject: string;
}

export const MAX_DECISIONS = 10_000;
const SHOWN_FAULTS = 20;

const Line = z.strictObject({
  action: z.enum(ACTIONS, { error: `one of: ${ACTIONS.join(", ")}` }),
  subject: z.string().min(1, { error: "is missing" }).max(200),
  value: z.string().max(200).default(""),
  reason: z.string(),
  as: z.string().default(""),
  expect: z
    .string()
    .regex(/^\d{0,15}$/, { error: "a row number, or nothing" })
    .default(""),
});

/** `role` decides where a line names none. Throws OperatorError that names every line that is wrong, up to twenty. */
export function readDecisions(text: string, name: string, role: string): ListedDecision[] {
  const rows = readCsv(text, name);
  if (rows.length > MAX_DECISIONS)
    throw new OperatorError(`${name}: ${rows.length} decisions; ${MAX_DECISIONS} at most in one file`);
  const faults: string[] = [];
  const decisions = rows.flatMap(({ record, info }) => {
    try {
      return [listedDecision(record, info.lines, role)];
    } catch (error) {
      faults.push(faultText(info.lines, error));
      return [];
    }
  });
  assertNoFaults(name, faults);
  return decisions;
}

const Row = z.object({ record: z.record(z.string(), z.string()), info: z.object({ lines: z.int() }) });

function readCsv(text: string, name: string): z.infer<typeof Row>[] {
  try {
    const parsed: unknown = parse(text, {
      columns: true,
      bom: true,
      info: true,
      trim: true,
      skip_empty_lines: true,
    });
    return z.array(Row).parse(parsed);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`${name}: not CSV with a header: ${problem.slice(0, 200)}`, { cause: error });
  }
}

function listedDecision(record: Record<string, string>, line: number, role: string): ListedDecision {
  const parsed = Line.safeParse(record);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new OperatorError(`${issue?.path.join(".") || "columns"}: ${issue?.message}`);
  }
  const { action, subject, value, reason, as, expect } = parsed.data;
  return {
    line,
    action,
    subject,
    value: value === "" ? undefined : value,
    decider: decider(as === "" ? role : as, reason),
    expect: expect === "" ? undefined : Number(expect),
  };
}

/**
 * All or nothing, in one transaction: every line is checked against what the lines above it lead to, and one that is refused undoes
 * all. A list that is run again changes nothing: a line that the ledger has, the second of two equal ones as its second
 * row, is known, even if other decisions followed. To decide the same again, give `expect`.
 */
export function takeList(
  ledger: LedgerWriter,
  desk: Desk,
  list: readonly ListedDecision[],
  name: string,
): ListedOutcome[] {
  const seen = new Map<string, number>();
  const before = desk.state.lastRow;
  const faults: string[] = [];
  return ledger.transaction(() => {
    const outcomes = list.flatMap((asked) => {
      const { line, action, subject, expect } = asked;
      const known = (decision: RowDecision) => nthBefore(desk, decision, { seen, before, expect });
      try {
        return [{ line, action, subject, ...desk.takeNext(asked, known) }];
      } catch (error) {
        faults.push(faultText(line, error));
        return [];
      }
    });
    assertNoFaults(name, faults);
    desk.teach();
    return outcomes;
  });
}

function nthBefore(
  desk: Desk,
  decision: RowDecision,
  { seen, before, expect = 0 }: { seen: Map<string, number>; before: number; expect: number | undefined },
): number | undefined {
  const key = JSON.stringify(decision);
  const nth = seen.get(key) ?? 0;
  seen.set(key, nth + 1);
  return desk.saidBefore(decision).filter((row) => row <= before && row > expect)[nth];
}

/** A defect is not the file's fault. */
function faultText(line: number, error: unknown): string {
  if (!(error instanceof OperatorError)) throw error;
  return `line ${line}: ${error.message}`;
}

function assertNoFaults(name: string, faults: readonly string[]): void {
  if (faults.length === 0) return;
  const more = faults.length > SHOWN_FAULTS ? [`and ${faults.length - SHOWN_FAULTS} more`] : [];
  throw new OperatorError(
    `${name}: nothing was decided, because ${faults.length === 1 ? "a line is" : `${faults.length} lines are`} refused:`,
    { lines: [...faults.slice(0, SHOWN_FAULTS), ...more] },
  );
}
