import type { LedgerRedactions, RedactionCount } from "../contract/ledger/redactions.ts";
import { SCHEMA } from "../contract/versions.ts";
import { ROWS_PER_REDACTION } from "./erase.ts";
import type { LedgerReader } from "./reader.ts";
import type { Redaction } from "./rows/redactions.ts";

/** The content of `/ledger/redactions.json` for a release of `treeSize` rows. */
export function ledgerRedactions(reader: LedgerReader, treeSize: number): LedgerRedactions {
  return redactionCounts(reader.redactions(treeSize));
}

/**
 * Counts by month, kind and reason; a row named twice is counted once. `rows` must come in order. One decision about very
 * many rows lies in several rows of the ledger, and is counted once.
 */
export function redactionCounts(rows: Iterable<Redaction>): LedgerRedactions {
  const counts = new Map<string, RedactionCount>();
  const erased = new Set<number>();
  let previous: Redaction | undefined;
  for (const redaction of rows) {
    const count = countOf(counts, redaction);
    if (!continues(redaction, previous)) count.redactions += 1;
    previous = redaction;
    const before = erased.size;
    for (const row of redaction.rows) erased.add(row);
    count.rows += erased.size - before;
  }
  return {
    schema: SCHEMA.ledgerRedactions,
    total_rows: erased.size,
    counts: [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count),
  };
}

function countOf(
  counts: Map<string, RedactionCount>,
  { acceptedAt, kind, reason }: Redaction,
): RedactionCount {
  const month = new Date(acceptedAt).toISOString().slice(0, "2026-11".length);
  const key = `${month} ${kind} ${reason}`;
  const known = counts.get(key);
  if (known !== undefined) return known;
  const count = { month, kind, reason, redactions: 0, rows: 0 };
  counts.set(key, count);
  return count;
}

/** Only a row that was full goes on in the next. */
export function continues(redaction: Redaction, previous: Redaction | undefined): boolean {
  return (
    previous?.id === redaction.id - 1 &&
    previous.rows.length === ROWS_PER_REDACTION &&
    previous.kind === redaction.kind &&
    previous.reason === redaction.reason &&
    previous.acceptedAt === redaction.acceptedAt
  );
}
