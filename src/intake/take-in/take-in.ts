/**
 * Turns the accepted lines of finished UTC days into rows. The lines of all cities come in the order of a keyed hash of their
 * references, and only then are they matched: the rows depend neither on the order of arrival nor on the files.
 */
import type { RandomBytes } from "../../kernel/ids.ts";
import { DAY_MS, utcDayStart } from "../../kernel/time.ts";
import type { IntakeLedger } from "../intake-ledger.ts";
import { intakeHashes } from "../lines/sighting.ts";
import type { Classifier } from "../matching/classify.ts";
import { registeredIn } from "../sources/line-sources.ts";
import { DayTaker, type TakenLines } from "./day-taker.ts";
import { type DerivedLine, deriveLines } from "./derived-line.ts";
import { LineThread } from "./line-thread.ts";

export interface TakeInOptions {
  readonly ledger: IntakeLedger;
  /** Loads the classifier, which takes a second: only when there are lines. */
  readonly classifier: () => Classifier;
  readonly random: RandomBytes;
  /** Takes in the lines of today (UTC) too: they are mixed only with each other. */
  readonly now: boolean;
  /** Lines in one transaction. */
  readonly chunkLines?: number;
  /** From so many lines on a thread of its own reads them and derives their sightings. */
  readonly largeLines?: number;
  /** After each commit: what was taken in so far, and how many lines there are in all. */
  readonly onCommit?: (taken: TakenIn, total: number) => void;
}

/** What became of the lines: each became an observation, is held for a reviewer, or is refused by an opt-out. */
export interface TakenIn extends TakenLines {
  readonly days: number;
}

const NOTHING_TAKEN: TakenIn = { days: 0, lines: 0, records: 0, assets: 0, held: 0, refused: 0 };
const CHUNK_LINES = 10_000;
/** So many lines are worth a second thread, which takes a tenth of a second to start and draws its salts from the system. */
const LARGE_LINES = 20_000;

/** Each chunk is kept wholly or not at all; a run that was killed goes on where it was. Throws OperatorError when the disk is full. */
export async function takeIn(options: TakeInOptions): Promise<TakenIn> {
  const { ledger, now, onCommit, largeLines = LARGE_LINES } = options;
  const lastDay = utcDayStart(ledger.now()) - (now ? 0 : DAY_MS);
  const total = ledger.pending.countUpTo(lastDay);
  if (total === 0) return NOTHING_TAKEN;
  await using source =
    total < largeLines ? ownThread(ledger) : new LineThread(ledger.path, ledger.purposeKey);
  const taker = new DayTaker({ ...options, classifier: options.classifier() });
  let days = 0;
  for (const day of daysUpTo(ledger, lastDay)) {
    for await (const lines of chunks(source, day, options)) {
      taker.takeChunk(day, lines);
      onCommit?.({ ...taker.taken, days }, total);
    }
    days += 1;
  }
  return { ...taker.taken, days };
}

/** The days with lines, the earliest first. The caller takes in each before it asks for the next. */
function* daysUpTo({ pending }: IntakeLedger, lastDay: number): Generator<number> {
  for (let day = pending.firstDay(lastDay); day !== undefined; day = pending.firstDay(lastDay)) yield day;
}

/** What reads lines and derives their sightings. */
type LineSource = Pick<LineThread, "read" | typeof Symbol.asyncDispose>;

function ownThread(ledger: IntakeLedger): LineSource {
  const hashes = intakeHashes(ledger.purposeKey, registeredIn(ledger.sources));
  const order = ledger.pendingOrder();
  return {
    read: async ({ day, ...chunk }) => {
      const lines = order.read(day, chunk);
      return lines.length === 0 ? undefined : deriveLines(lines, day, { hashes });
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** The lines of a day in the order of their keys. */
async function* chunks(
  source: LineSource,
  day: number,
  { chunkLines: limit = CHUNK_LINES }: TakeInOptions,
): AsyncGenerator<Iterable<DerivedLine>> {
  for (let from = 0; ; from += limit) {
    const lines = await source.read({ day, from, limit });
    if (lines === undefined) return;
    yield lines;
  }
}
