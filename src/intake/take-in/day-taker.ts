import type { RandomBytes } from "../../kernel/ids.ts";
import { DAY_MS, isoTime } from "../../kernel/time.ts";
import { Merges } from "../../ledger/decisions/merges.ts";
import type { IntakeLedger } from "../intake-ledger.ts";
import { LineFault } from "../lines/fault.ts";
import { intakeHashes } from "../lines/sighting.ts";
import { ImpliedLooks } from "../looks/implied-looks.ts";
import { Lookers } from "../looks/lookers.ts";
import type { Classifier } from "../matching/classify.ts";
import { reviewRow } from "../matching/decide.ts";
import { NEAR_OPT_OUT } from "../matching/hold-reason.ts";
import { type PlacedSighting, Settler } from "../matching/settle.ts";
import { OptOutJudge } from "../opt-outs/judge.ts";
import { type CityOfCell, cityFinder } from "../places/place.ts";
import { requiredCity } from "../places/required-city.ts";
import { Entry } from "../sources/entry.ts";
import { registeredIn } from "../sources/line-sources.ts";
import type { DerivedLine } from "./derived-line.ts";

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
  readonly ledger: IntakeLedger;
  readonly classifier: Classifier;
  readonly random: RandomBytes;
}

/** Takes in the lines of days, chunk by chunk. Owns caches, so it must not be used after a failed transaction. */
export class DayTaker {
  readonly #ledger: IntakeLedger;
  readonly #cityOf: CityOfCell;
  readonly #optOuts: OptOutJudge;
  readonly #settler: Settler;
  readonly #merges: Merges;
  #entry: { readonly day: number; readonly entry: Entry } | undefined;
  readonly #looks: ImpliedLooks;
  #taken: Counts = { lines: 0, records: 0, assets: 0, held: 0, refused: 0 };

  constructor({ ledger, classifier, random }: DayTakerDeps) {
    const synthetic = ledger.intake.isSynthetic() ?? ledger.meta.environment === "demo";
    this.#ledger = ledger;
    this.#cityOf = cityFinder(ledger.intake.cities());
    this.#optOuts = new OptOutJudge(ledger.intake, intakeHashes(ledger.purposeKey), ledger.now());
    this.#merges = mergesForAffiliations(ledger);
    const hashes = intakeHashes(ledger.purposeKey, registeredIn(ledger.sources));
    this.#looks = new ImpliedLooks(ledger.intake, new Lookers(ledger.sources, hashes, "take_in"));
    this.#settler = new Settler({ ledger, classifier, synthetic, random });
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
    const city = requiredCity(this.#cityOf, sighting);
    const reason = this.#optOuts.refuse(sighting, city.slug) === "review" ? NEAR_OPT_OUT : hold;
    if (review === undefined && reason !== undefined) {
      this.#ledger.pending.hold(id, reason);
      counts.held += 1;
      return undefined;
    }
    const { row, isCounted } = this.#settler.settle({ sighting, city, ...accepted }, counts);
    if (isCounted) this.#looks.add(sighting, city, accepted.day);
    if (review !== undefined)
      this.#ledger.append(reviewRow(this.#ledger, { decision: "admit", target: row, ...review }));
    return row;
  }
}

/** Reads the ledger through, so only where an affiliation asks for it. */
function mergesForAffiliations({ live, sources }: IntakeLedger): Merges {
  if (sources.affiliations().length === 0) return new Merges();
  return new Merges(live.merges().filter(({ record }) => live.find(record)?.isLive === true));
}
