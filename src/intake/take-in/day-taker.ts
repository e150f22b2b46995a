import type { RandomBytes } from "../../kernel/ids.ts";
import { DAY_MS, isoTime } from "../../kernel/time.ts";
import type { PendingLine } from "../../ledger/matching/pending-lines.ts";
import type { IntakeLedger } from "../intake-ledger.ts";
import { LineFault } from "../lines/fault.ts";
import { isGenericName } from "../lines/name.ts";
import { type IntakeHashes, intakeHashes, readSighting } from "../lines/sighting.ts";
import type { Classifier } from "../matching/classify.ts";
import { reviewRow } from "../matching/decide.ts";
import { Settler } from "../matching/settle.ts";
import { OptOuts } from "../opt-outs.ts";
import { type CityOfCell, cityFinder } from "../places/place.ts";
import { requiredCity } from "../places/required-city.ts";

/** Counts of lines by what became of them, and of the records and assets that are new. */
export interface TakenLines {
  readonly lines: number;
  readonly records: number;
  readonly assets: number;
  readonly held: number;
  readonly refused: number;
}

type Counts = { -readonly [K in keyof TakenLines]: number };

export interface DayTakerDeps {
  readonly ledger: IntakeLedger;
  readonly classifier: Classifier;
  readonly random: RandomBytes;
}

/** Takes in the lines of days, chunk by chunk. Owns caches, so it must not be used after a failed transaction. */
export class DayTaker {
  readonly #ledger: IntakeLedger;
  readonly #hashes: IntakeHashes;
  readonly #cityOf: CityOfCell;
  readonly #optOuts: OptOuts;
  readonly #settler: Settler;
  #taken: Counts = { lines: 0, records: 0, assets: 0, held: 0, refused: 0 };

  constructor({ ledger, classifier, random }: DayTakerDeps) {
    const synthetic = ledger.intake.isSynthetic() ?? ledger.meta.environment === "demo";
    this.#ledger = ledger;
    this.#hashes = intakeHashes(ledger.purposeKey);
    this.#cityOf = cityFinder(ledger.intake.cities());
    this.#optOuts = new OptOuts(ledger.intake, this.#hashes);
    this.#settler = new Settler({ ledger, classifier, synthetic, random });
  }

  get taken(): TakenLines {
    return this.#taken;
  }

  /** Takes in the next lines of a UTC day (ms), in one transaction that is dated that day. */
  takeChunk(day: number, lines: number): void {
    const counts = { ...this.#taken };
    const { pending } = this.#ledger;
    const [now, firstRow] = [this.#ledger.now(), this.#ledger.nextId()];
    this.#ledger.transactionDated(day + DAY_MS - 1, () => {
      for (const line of pending.ofDay(day, lines)) this.#take(line, day, counts);
      pending.note(now, this.#taken.lines - counts.lines, firstRow);
    });
    this.#taken = counts;
  }

  #take(line: PendingLine, day: number, counts: Counts): void {
    counts.lines += 1;
    try {
      const row = this.#settle(line, day, counts);
      if (row === undefined) return;
      this.#ledger.intake.setSourceRow(line.key, row);
    } catch (error) {
      if (!(error instanceof LineFault)) throw error;
      counts.refused += 1; // an opt-out since; the reference stays refused
    }
    this.#ledger.pending.remove(line.id);
  }

  /** The row of the line's observation; undefined when the line is held. Throws LineFault. */
  #settle({ id, line, input, review }: PendingLine, day: number, counts: Counts): number | undefined {
    const sighting = readSighting(line, JSON.parse(input), this.#hashes, day + DAY_MS - 1);
    const city = requiredCity(this.#cityOf, sighting);
    this.#optOuts.refuse(city.slug, sighting);
    if (review === undefined && isGenericName(sighting.nameKey)) {
      this.#ledger.pending.hold(id, "generic_name");
      counts.held += 1;
      return undefined;
    }
    const row = this.#settler.settle({ sighting, city, acceptedDay: isoTime(day) }, counts);
    if (review !== undefined)
      this.#ledger.append(reviewRow(this.#ledger, { decision: "admit", target: row, ...review }));
    return row;
  }
}
