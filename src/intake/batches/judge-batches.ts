import { DAY_MS, utcDayStart } from "../../kernel/time.ts";
import type { Batch, BatchLines } from "../../ledger/matching/batches.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { type Bounds, BRAKE, type Night, outsideBounds } from "./bounds.ts";

/** How long it is kept which rows came in which batch. */
export const BATCH_DAYS = 400;

type Ledger = Pick<LedgerWriter, "batches" | "now" | "transaction">;

/**
 * Judges the batches with lines to take in up to a UTC day (ms), each once, and holds back those outside the bounds, as a whole. One
 * transaction. Returns what it held back.
 */
export function judgeBatches(ledger: Ledger, bounds: Bounds, upTo: number): Batch[] {
  const { batches } = ledger;
  const due = batches.unjudged(upTo);
  if (due.length === 0) return [];
  const now = ledger.now();
  const lines = Map.groupBy(batches.linesOf(due.map(({ name }) => name)), ({ batch }) => batch);
  const first = Math.min(...[...lines.values()].flat().map(({ day }) => day));
  const before = nightsBefore(ledger, first);
  const earlierBySource = new Map<string, number>();
  return ledger.transaction(() =>
    due.flatMap((batch) => {
      const linesBySource = bySource(lines.get(batch.name) ?? []);
      const findings = outsideBounds({ ...batch, linesBySource, earlierBySource }, before, bounds);
      if (findings.length > 0) {
        batches.decide(batch.name, "held_back", now, findings);
        batches.holdBack(batch.name, now);
        return [{ ...batch, findings }];
      }
      batches.decide(batch.name, "within", now);
      add(earlierBySource, linesBySource);
      return [];
    }),
  );
}

/** Forgets which rows came together, and all else of batches, when nobody is to undo them any more. */
export function forgetOldBatches(ledger: Ledger): void {
  const before = utcDayStart(ledger.now()) - BATCH_DAYS * DAY_MS;
  ledger.transaction(() => ledger.batches.forgetBefore(before));
}

/** The nights before a UTC day (ms) that are learnt from. */
function nightsBefore({ batches }: Pick<Ledger, "batches">, day: number): Night[] {
  const letIn = batches.letIn(day - BRAKE.nights * DAY_MS, day);
  const byName = new Map(letIn.map((batch) => [batch.name, batch]));
  const days = Map.groupBy(
    batches.linesOf([...byName.keys()]).filter((each) => each.day < day),
    (each) => each.day,
  );
  return [...days.values()].map((lines) => ({
    linesBySource: bySource(lines),
    batches: [...new Set(lines.map(({ batch }) => batch))].flatMap((name) => byName.get(name) ?? []),
  }));
}

function bySource(lines: readonly BatchLines[]): Map<string, number> {
  const sum = new Map<string, number>();
  for (const { source, lines: count } of lines) sum.set(source, (sum.get(source) ?? 0) + count);
  return sum;
}

function add(sum: Map<string, number>, more: ReadonlyMap<string, number>): void {
  for (const [source, count] of more) sum.set(source, (sum.get(source) ?? 0) + count);
}
