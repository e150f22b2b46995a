import type { LedgerWriter } from "../../ledger/writer.ts";
import { LineFault } from "../lines/fault.ts";
import { isGenericName } from "../lines/name.ts";
import { type IntakeHashes, intakeHashes, readSighting, type Sighting } from "../lines/sighting.ts";
import { OptOutJudge } from "../opt-outs/judge.ts";
import type { Classifier } from "./classify.ts";
import { Matcher } from "./match.ts";
import { matchSubject } from "./settle.ts";

/** A sign as somebody read it on the spot. */
export interface SeenSign {
  readonly asset_type: string;
  readonly name: string;
  readonly lat: number;
  readonly lng: number;
}

type ListedLedger = Pick<LedgerWriter, "intake" | "purposeKey" | "now">;

/** Finds the listed asset of a sign by the rules of intake, and learns nothing from it. Owns caches: it must not outlive a change. */
export class ListedSigns {
  readonly #city: string;
  readonly #now: number;
  readonly #classifier: Classifier;
  readonly #matcher: Matcher;
  readonly #hashes: IntakeHashes;
  readonly #optOuts: OptOutJudge;

  constructor(ledger: ListedLedger, city: string, classifier: Classifier) {
    this.#city = city;
    this.#now = ledger.now();
    this.#classifier = classifier;
    this.#matcher = new Matcher(ledger.intake);
    this.#hashes = intakeHashes(ledger.purposeKey);
    this.#optOuts = new OptOutJudge(ledger.intake, this.#hashes, this.#now);
  }

  /** Reads a sign that was seen on a date. Throws LineFault as intake does. */
  read(line: number, { asset_type, name, lat, lng }: SeenSign, date: string): Sighting {
    const ofNobody = { source_type: "scout", source_ref: "revisit", observer: "revisit" };
    const input = { ...ofNobody, observed_at: date, asset_type, name, lat, lng };
    return readSighting(line, input, this.#hashes, this.#now);
  }

  /** Whether a sign counts: not a generic name, which intake lists for nobody, nor one of a record that opted out. */
  counts(sign: Sighting): boolean {
    if (isGenericName(sign.nameKey)) return false;
    try {
      this.#optOuts.refuse(sign, this.#city);
      return true;
    } catch (error) {
      if (error instanceof LineFault) return false;
      throw error;
    }
  }

  /** The row of the asset that a counting observation of this sign would be of, as far as others taught it; undefined where it would be a new one. */
  assetOf(sign: Sighting): number | undefined {
    const subject = matchSubject(sign, { city: this.#city }, { classifier: this.#classifier, isSound: true });
    const record = this.#matcher.taught(subject);
    return record === undefined ? undefined : this.#matcher.assets(record, sign.input.asset_type, subject)[0];
  }
}
