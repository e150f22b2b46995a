import type { IntakeStore } from "../ledger/matching/intake-store.ts";
import type { IntakeLedger } from "./intake-ledger.ts";
import { LineFault } from "./lines/fault.ts";
import { intakeHashes, type Sighting } from "./lines/sighting.ts";
import { OptOutJudge } from "./opt-outs/judge.ts";
import { type CityOfCell, cityFinder } from "./places/place.ts";
import { requiredCity } from "./places/required-city.ts";

export type Outcome = "accepted" | "known";

/**
 * Accepts the sightings of one batch, one by one within a transaction: they become rows when their day is taken in. Owns the batch's
 * name, so it must not be used after a failed transaction.
 */
export class Acceptor {
  readonly #store: IntakeStore;
  readonly #cityOf: CityOfCell;
  readonly #optOuts: OptOutJudge;
  #batch: string | undefined;

  constructor(ledger: IntakeLedger, store: IntakeStore) {
    this.#store = store;
    this.#cityOf = cityFinder(store.cities());
    this.#optOuts = new OptOutJudge(store, intakeHashes(ledger.purposeKey), ledger.now());
  }

  /** The name under which the lines are kept; undefined while none is. */
  get batch(): string | undefined {
    return this.#batch;
  }

  /** `day` is the UTC day of acceptance, in ms. Refuses a line before anything is written for it. Throws LineFault. */
  accept(sighting: Sighting, day: number): Outcome {
    const key = Buffer.from(sighting.key, "hex");
    const content = Buffer.from(sighting.content, "hex");
    if (this.#isKnown(key, content)) return "known";
    this.#optOuts.refuse(sighting, requiredCity(this.#cityOf, sighting).slug);
    this.#store.addSourceRef(key, content);
    const { line, input } = sighting;
    const source = input.source_type;
    const batch = this.#named();
    this.#store.addPending({ source, batch, line, day, key, input: JSON.stringify(input) });
    return "accepted";
  }

  #named(): string {
    this.#batch ??= this.#store.nextBatch();
    return this.#batch;
  }

  #isKnown(key: Buffer, content: Buffer): boolean {
    const known = this.#store.sourceRef(key);
    if (known === undefined) return false;
    if (known.content.equals(content)) return true;
    const message =
      "this source_ref was taken before with other content: a correction needs a source_ref of its own";
    throw new LineFault("duplicate_reference_with_other_content", "source_ref", message);
  }
}
