/**
 * Turns the accepted lines of finished UTC days into rows. The lines of all cities come in the order of a keyed hash of their
 * references, and only then are they matched: the rows depend neither on the order of arrival nor on the files.
 */
import type { RandomBytes } from "../../kernel/ids.ts";
import { DAY_MS, utcDayStart } from "../../kernel/time.ts";
import type { IntakeLedger } from "../intake-ledger.ts";
import type { Classifier } from "../matching/classify.ts";
import { DayTaker, type TakenLines } from "./day-taker.ts";

export interface TakeInOptions {
  readonly ledger: IntakeLedger;
  /** Loads the classifier, which takes a second: only when there are lines. */
  readonly classifier: () => Classifier;
  readonly random: RandomBytes;
  /** Takes in the lines of today (UTC) too: they are mixed only with each other. */
  readonly now: boolean;
  /** Lines in one transaction. */
  readonly chunkLines?: number;
  /** After each commit: what was taken in so far, and how many lines there are in all. */
  readonly onCommit?: (taken: TakenIn, total: number) => void;
}

/** What became of the lines: each became an observation, is held for a reviewer, or is refused by an opt-out. */
export interface TakenIn extends TakenLines {
  readonly days: number;
}

export const NOTHING_TAKEN: TakenIn = { days: 0, lines: 0, records: 0, assets: 0, held: 0, refused: 0 };
const CHUNK_LINES = 20_000;

/** Each chunk is kept wholly or not at all; a run that was killed goes on where it was. Throws OperatorError when the disk is full. */
export async function takeIn(options: TakeInOptions): Promise<TakenIn> {
  const { ledger, now, chunkLines = CHUNK_LINES } = options;
  const lastDay = utcDayStart(ledger.now()) - (now ? 0 : DAY_MS);
  const total = ledger.pending.countUpTo(lastDay);
  if (total === 0) return NOTHING_TAKEN;
  const taker = new DayTaker({ ...options, classifier: options.classifier() });
  let days = 0;
  for (let day = ledger.pending.firstDay(lastDay); day !== undefined; ) {
    taker.takeChunk(day, chunkLines);
    const next = ledger.pending.firstDay(lastDay);
    if (next !== day) days += 1;
    options.onCommit?.({ ...taker.taken, days }, total);
    day = next;
  }
  return { ...taker.taken, days };
}
