import type { RedactionReason } from "../contract/enums.ts";
import {
  type LedgerRedactions,
  MIN_REASON_DECISIONS,
  type RedactionCount,
  type RedactionReasons,
} from "../contract/ledger/ledger.ts";
import { SCHEMA } from "../contract/versions.ts";
import { ROWS_PER_REDACTION } from "./erase.ts";
import type { LedgerReader } from "./reader.ts";
import type { Redaction } from "./rows/redactions.ts";

/** The content of `/ledger/redactions.json` for a release of `treeSize` rows at `asOf` (ms). */
export function ledgerRedactions(reader: LedgerReader, treeSize: number, asOf: number): LedgerRedactions {
  return redactionCounts(reader.redactions(treeSize), asOf);
}

/**
 * Counts and reasons by month; a row named twice is counted once. `rows` must come in order. One decision
 * about very many rows lies in several rows of the ledger, and is counted once.
 */
export function redactionCounts(rows: Iterable<Redaction>, asOf: number): LedgerRedactions {
  const counts = new Map<string, RedactionCount>();
  const reasons = new Map<string, RedactionReason[]>();
  const erased = new Set<number>();
  let previous: Redaction | undefined;
  for (const redaction of rows) {
    const count = countOf(counts, redaction);
    if (!continues(redaction, previous)) {
      count.redactions += 1;
      reasons.set(count.month, [...(reasons.get(count.month) ?? []), redaction.reason]);
    }
    previous = redaction;
    const before = erased.size;
    for (const row of redaction.rows) erased.add(row);
    count.rows += erased.size - before;
  }
  return {
    schema: SCHEMA.ledgerRedactions,
    total_rows: erased.size,
    counts: inOrder(counts),
    reasons_by_month: reasonsByMonth(reasons, monthOf(asOf)),
  };
}

function inOrder<T>(entries: ReadonlyMap<string, T>): T[] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}

function countOf(counts: Map<string, RedactionCount>, { acceptedAt }: Redaction): RedactionCount {
  const month = monthOf(acceptedAt);
  const known = counts.get(month);
  if (known !== undefined) return known;
  const count = { month, kind: "redaction" as const, reason: null, redactions: 0, rows: 0 };
  counts.set(month, count);
  return count;
}

function monthOf(time: number): string {
  return new Date(time).toISOString().slice(0, "2026-11".length);
}

/** A month that is not over shows no reason: the difference between two releases would tell the reason of a single decision. */
function reasonsByMonth(
  reasons: ReadonlyMap<string, readonly RedactionReason[]>,
  openMonth: string,
): RedactionReasons[] {
  return [...reasons]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([month, given]) => {
      const shown = month < openMonth ? frequentReasons(given) : [];
      const sum = shown.reduce((total, { redactions }) => total + redactions, 0);
      return { month, reasons: shown, reasons_withheld: sum < given.length };
    });
}

function frequentReasons(given: readonly RedactionReason[]): RedactionReasons["reasons"] {
  return [...Map.groupBy(given, (reason) => reason)]
    .map(([reason, decisions]) => ({ reason, redactions: decisions.length }))
    .filter(({ redactions }) => redactions >= MIN_REASON_DECISIONS)
    .sort((a, b) => (a.reason < b.reason ? -1 : 1));
}

/** Only a row that was full goes on in the next. */
export function continues(redaction: Redaction, previous: Redaction | undefined): boolean {
  return (
    previous?.id === redaction.id - 1 &&
    previous.rows.length === ROWS_PER_REDACTION &&
    previous.reason === redaction.reason &&
    previous.acceptedAt === redaction.acceptedAt
  );
}
