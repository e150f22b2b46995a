import type { RandomBytes } from "../../kernel/ids.ts";
import { DAY_MS, isoTime, utcDayStart } from "../../kernel/time.ts";
import { Merges } from "../../ledger/decisions/merges.ts";
import type { DecidedName } from "../../ledger/matching/held-names.ts";
import type { PendingReview } from "../../ledger/matching/pending-lines.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { LineFault } from "../lines/fault.ts";
import { heldNameId, isRemembered, rememberedKey } from "../lines/held-name.ts";
import { type HoldReason, NEAR_OPT_OUT } from "../lines/name.ts";
import { intakeHashes, type Sighting } from "../lines/sighting.ts";
import { ImpliedLooks, Lookers } from "../looks/look-rows.ts";
import type { Classifier } from "../matching/classify.ts";
import { reviewRow } from "../matching/decide.ts";
import { type PlacedSighting, Settler } from "../matching/settle.ts";
import { OptOutJudge } from "../opt-outs/judge.ts";
import { type City, type CityOfCell, cityFinder, requiredCity } from "../places/place.ts";
import { Entry, registeredIn } from "../sources/entry.ts";
import { type DerivedLine, linesInOwnThread, linesInThread } from "./line-thread.ts";

/**
 * Turns the accepted lines of finished UTC days into rows. The lines of all cities come in the order of a keyed hash of their
 * references, and only then are they matched: the rows depend neither on the order of arrival nor on the files.
 */

export interface TakeInOptions {
  readonly ledger: LedgerWriter;
  /** Loads the classifier, which takes a second: only when there are lines. */
  readonly classifier: () => Classifier;
  readonly random: RandomBytes;
  /** Versions of recognition models that are published: see `RowContext`. Default: none. */
  readonly models?: ReadonlySet<string>;
  /** Takes in the lines of today (UTC) too: they are mixed only with each other. */
  readonly now: boolean;
  /** Lines in one transaction. */
  readonly chunkLines?: number;
  /** From so many lines on a thread of its own reads them and derives their sightings. */
  readonly largeLines?: number;
  /** After each commit: what was taken in so far, and how many lines there are in all. */
  readonly onCommit?: (taken: TakenIn, total: number) => void;
}

/** What became of the lines: each became an observation, is held for a reviewer, or is refused by an opt-out or by what was decided of its name. */
export interface TakenIn extends TakenLines {
  readonly days: number;
}

const NOTHING_TAKEN: TakenIn = { days: 0, lines: 0, records: 0, assets: 0, held: 0, refused: 0 };
const CHUNK_LINES = 10_000;
/** So many lines are worth a second thread, which takes a tenth of a second to start and draws its salts from the system. */
const LARGE_LINES = 20_000;

/** Each chunk is kept wholly or not at all; a run that was killed goes on where it was. Throws OperatorError when the disk is full. */
export async function takeIn(options: TakeInOptions): Promise<TakenIn> {
  const { ledger, now, onCommit, largeLines = LARGE_LINES, chunkLines = CHUNK_LINES } = options;
  const lastDay = utcDayStart(ledger.now()) - (now ? 0 : DAY_MS);
  const total = ledger.pending.countUpTo(lastDay);
  if (total === 0) return NOTHING_TAKEN;
  await using source = total < largeLines ? linesInOwnThread(ledger) : linesInThread(ledger);
  const taker = new DayTaker({ ...options, classifier: options.classifier() });
  let days = 0;
  for (const day of daysUpTo(ledger, lastDay)) {
    for await (const lines of source.chunks(day, chunkLines)) {
      taker.takeChunk(day, lines);
      onCommit?.({ ...taker.taken, days }, total);
    }
    days += 1;
  }
  return { ...taker.taken, days };
}

/** The days with lines, the earliest first. The caller takes in each before it asks for the next. */
function* daysUpTo({ pending }: LedgerWriter, lastDay: number): Generator<number> {
  for (let day = pending.firstDay(lastDay); day !== undefined; day = pending.firstDay(lastDay)) yield day;
}

/** Counts of lines by what became of them, and of the records and assets that are new. */
export interface TakenLines {
  readonly lines: number;
  readonly records: number;
  readonly assets: number;
  readonly held: number;
  readonly refused: number;
}

type Counts = { -readonly [K in keyof TakenLines]: number };

interface Accepted extends Pick<PlacedSighting, "acceptedDay" | "entry"> {
  readonly day: number; // the same, in ms
}

export interface DayTakerDeps {
  readonly ledger: LedgerWriter;
  readonly classifier: Classifier;
  readonly random: RandomBytes;
  readonly models?: ReadonlySet<string>;
}

/** Takes in the lines of days, chunk by chunk. Owns caches, so it must not be used after a failed transaction. */
export class DayTaker {
  readonly #ledger: LedgerWriter;
  readonly #cityOf: CityOfCell;
  readonly #cityRows: ReadonlyMap<string, number>;
  readonly #optOuts: OptOutJudge;
  readonly #settler: Settler;
  readonly #merges: Merges;
  #entry: { readonly day: number; readonly entry: Entry } | undefined;
  readonly #looks: ImpliedLooks;
  readonly #rememberedKey: (id: string) => string;
  #taken: Counts = { lines: 0, records: 0, assets: 0, held: 0, refused: 0 };

  constructor({ ledger, classifier, random, models = new Set() }: DayTakerDeps) {
    const synthetic = ledger.intake.isSynthetic() ?? ledger.meta.environment === "demo";
    this.#ledger = ledger;
    this.#rememberedKey = rememberedKey(ledger.purposeKey);
    const cities = ledger.intake.cities();
    this.#cityOf = cityFinder(cities);
    this.#cityRows = new Map(cities.map(({ slug, row }) => [slug, row]));
    this.#optOuts = new OptOutJudge(ledger.intake, intakeHashes(ledger.purposeKey), ledger.now());
    this.#merges = mergesForAffiliations(ledger);
    const hashes = intakeHashes(ledger.purposeKey, registeredIn(ledger.sources));
    this.#looks = new ImpliedLooks(ledger.intake, new Lookers(ledger.sources, hashes, "take_in"));
    this.#settler = new Settler({ ledger, classifier, synthetic, random, models });
  }

  get taken(): TakenLines {
    return this.#taken;
  }

  /** Takes in lines of a UTC day (ms), in one transaction that is dated that day. */
  takeChunk(day: number, lines: Iterable<DerivedLine>): void {
    const counts = { ...this.#taken };
    const [now, firstRow] = [this.#ledger.now(), this.#ledger.nextId()];
    const accepted = { day, acceptedDay: isoTime(day), entry: this.#entryOf(day) };
    this.#ledger.transactionDated(day + DAY_MS - 1, () => {
      const ids: number[] = [];
      const taken: { readonly batch: string; readonly row: number }[] = [];
      for (const line of lines) {
        const row = this.#take(line, accepted, counts);
        if (row !== undefined) taken.push({ batch: line.batch, row });
        ids.push(line.id);
      }
      this.#settler.finish();
      for (const [batch, own] of Map.groupBy(taken, ({ batch }) => batch))
        this.#ledger.batches.addRows(
          own.map(({ row }) => row),
          batch,
        );
      this.#ledger.pending.removeTaken(ids);
      this.#ledger.pending.note(now, this.#taken.lines - counts.lines, firstRow);
    });
    this.#taken = counts;
  }

  #entryOf(day: number): Entry {
    const { sources, purposeKey } = this.#ledger;
    if (this.#entry?.day !== day)
      this.#entry = {
        day,
        entry: new Entry({ store: sources, hashes: intakeHashes(purposeKey), day, merges: this.#merges }),
      };
    return this.#entry.entry;
  }

  /** The row of the line's observation; undefined for a line that is held or refused. */
  #take(line: DerivedLine, accepted: Accepted, counts: Counts): number | undefined {
    counts.lines += 1;
    try {
      const row = this.#settle(line, accepted, counts);
      if (row !== undefined) this.#ledger.intake.setSourceRow(Buffer.from(line.key, "hex"), row);
      return row;
    } catch (error) {
      if (!(error instanceof LineFault)) throw error;
      counts.refused += 1; // an opt-out since, nearly always; the reference stays refused
      return undefined;
    }
  }

  /** The row of the line's observation; undefined for a line that is held. Throws LineFault. */
  #settle(
    { id, sighting, review, hold }: DerivedLine,
    accepted: Accepted,
    counts: Counts,
  ): number | undefined {
    if (sighting === undefined) throw new LineFault("not_allowed", null, "this version refuses the line");
    const city = requiredCity(this.#cityOf, sighting.cell, () => sighting.input);
    const reason = this.#optOuts.refuse(sighting, city.slug) === "review" ? NEAR_OPT_OUT : hold;
    const known = review === undefined ? this.#decided(reason, city, sighting) : { takes: true, ...review };
    if (known === undefined && reason !== undefined) {
      this.#ledger.pending.hold(id, reason);
      counts.held += 1;
      return undefined;
    }
    if (known?.takes === false) {
      this.#append("dismiss", this.#cityRow(city), known);
      counts.refused += 1;
      return undefined;
    }
    const { row, isCounted } = this.#settler.settle({ sighting, city, ...accepted }, counts);
    if (isCounted) this.#looks.add(sighting, city, accepted.day);
    if (known !== undefined) this.#append("admit", row, known);
    return row;
  }

  /** What a reviewer decided before about all lines of a held name in its city. */
  #decided(reason: HoldReason | undefined, { slug }: City, { input }: Sighting): DecidedName | undefined {
    if (reason === undefined || !isRemembered(reason)) return undefined;
    const id = heldNameId({ city: slug, reason, name: input.name });
    return this.#ledger.heldNames.find(this.#rememberedKey(id));
  }

  /** The row of a city, which stands for a line that gets none. */
  #cityRow({ slug }: City): number {
    const row = this.#cityRows.get(slug);
    if (row === undefined) throw new Error(`no row registered the city ${slug}`);
    return row;
  }

  #append(decision: "admit" | "dismiss", target: number, { reason, reviewer }: PendingReview): void {
    this.#ledger.append(reviewRow(this.#ledger, { decision, target, reason, reviewer }));
  }
}

/** Reads the ledger through, so only where an affiliation asks for it. */
function mergesForAffiliations({ live, sources }: LedgerWriter): Merges {
  if (sources.affiliations().length === 0) return new Merges();
  return new Merges(live.merges().filter(({ record }) => live.find(record)?.isLive === true));
}
