import type { RandomBytes } from "../../kernel/ids.ts";
import type { IntakeStore } from "../../ledger/matching/intake-store.ts";
import type { CommittedValues } from "../../ledger/rows/digests.ts";
import type { NewRow } from "../../ledger/rows/rows.ts";
import { assetRow, observationRow, type RowContext, recordRow } from "../append.ts";
import type { IntakeLedger } from "../intake-ledger.ts";
import { LineFault } from "../lines/fault.ts";
import { isGenericName } from "../lines/name.ts";
import { intakeHashes, nonBlank, type Sighting } from "../lines/sighting.ts";
import { OptOutJudge, type OptOutVerdict } from "../opt-outs/judge.ts";
import { type City, type CityOfCell, cityAt, cityFinder } from "../places/place.ts";
import { isMobile } from "./asset-kind.ts";
import type { Classifier } from "./classify.ts";
import { holdReason } from "./hold-reason.ts";
import { Matcher, type MatchSubject } from "./match.ts";
import { PublicIds } from "./public-ids.ts";
import { modelAllowList } from "./recognition-models.ts";

export interface SettlerOptions {
  readonly ledger: IntakeLedger;
  readonly classifier: Classifier;
  readonly synthetic: boolean;
  readonly dryRun: boolean;
  readonly random: RandomBytes;
}

export type Outcome = "accepted" | "known" | "held";

/** Records and assets created so far; owned by the caller, incremented here. */
export interface NewCounts {
  records: number;
  assets: number;
}

interface CheckedSighting {
  readonly sighting: Sighting;
  readonly city: City;
  readonly acceptedDay: string;
}

/** Settles sightings one by one within a transaction. Owns caches, so it must not be used after a failed transaction. */
export class Settler {
  readonly #options: SettlerOptions;
  readonly #store: IntakeStore;
  readonly #matcher: Matcher;
  readonly #optOuts: OptOutJudge;
  readonly #cityOf: CityOfCell;
  readonly #context: RowContext;
  readonly #publicIds: PublicIds;
  #nextDryId: number;

  constructor(options: SettlerOptions) {
    const { ledger, synthetic, dryRun, random } = options;
    const store = dryRun ? ledger.dryRunIntake() : ledger.intake;
    const hashes = intakeHashes(ledger.purposeKey);
    this.#options = options;
    this.#store = store;
    this.#matcher = new Matcher(store);
    this.#optOuts = new OptOutJudge(store, hashes, ledger.now());
    this.#cityOf = cityFinder(store.cities());
    this.#nextDryId = ledger.nextId();
    this.#context = { synthetic, hashes, isModelAllowed: modelAllowList(store) };
    this.#publicIds = new PublicIds(ledger, store, random);
  }

  /** Refuses a line before anything is written for it. Throws LineFault. */
  take(sighting: Sighting, acceptedDay: string, made: NewCounts): Outcome {
    const key = Buffer.from(sighting.key, "hex");
    const content = Buffer.from(sighting.content, "hex");
    if (this.#isKnown(key, content)) return "known";
    const { input } = sighting;
    const city = this.#cityOf(sighting.cell) ?? this.#refuseOutside(input.lat, input.lng);
    const reason = holdReason(sighting, this.#notRefused(sighting, city));
    if (reason !== undefined) {
      this.#store.hold(key, this.#options.ledger.now(), reason, JSON.stringify(input));
      this.#store.addSourceRef(key, null, content);
      return "held";
    }
    this.#store.addSourceRef(key, this.#accept({ sighting, city, acceptedDay }, made), content);
    return "accepted";
  }

  /** Accepts a held line. Returns the row of its observation. Throws LineFault. */
  admit(sighting: Sighting, acceptedDay: string, made: NewCounts): number {
    const { lat, lng } = sighting.input;
    const city = this.#cityOf(sighting.cell) ?? this.#refuseOutside(lat, lng);
    this.#notRefused(sighting, city);
    const row = this.#accept({ sighting, city, acceptedDay }, made);
    this.#store.release(Buffer.from(sighting.key, "hex"), row);
    return row;
  }

  /** Throws LineFault for a line that an opt-out refuses. */
  #notRefused(sighting: Sighting, city: City): OptOutVerdict {
    const verdict = this.#optOuts.judge(sighting, city.slug);
    if (verdict !== "refuse") return verdict;
    throw new LineFault("opted_out", "name", "matches a record that has opted out in this city");
  }

  #accept({ sighting, city, acceptedDay }: CheckedSighting, made: NewCounts): number {
    const subject = this.#subject(sighting, city);
    const match = this.#matcher.match(subject);
    // Two places that are called "Restaurant" are not candidates for a match.
    const candidates = isGenericName(sighting.nameKey) ? [] : match.candidates;
    const record = match.record ?? this.#newRecord(sighting, city, candidates, made);
    this.#matcher.learn(subject, match, record);
    const asset = this.#asset(sighting, record, subject.place, made);
    const row = observationRow({ sighting, city, record, asset, acceptedDay }, this.#context);
    return this.#append(row, sighting.committed);
  }

  #isKnown(key: Buffer, content: Buffer): boolean {
    const known = this.#store.sourceRef(key);
    if (known === undefined) return false;
    if (known.content.equals(content)) return true;
    const message =
      "this source_ref was taken before with other content: a correction needs a source_ref of its own";
    throw new LineFault("duplicate_reference_with_other_content", "source_ref", message);
  }

  #refuseOutside(lat: number, lng: number): never {
    const swapped = cityAt(this.#cityOf, lng, lat);
    const hint =
      swapped === undefined
        ? ""
        : `, but with latitude and longitude swapped it is in ${swapped.details.name}`;
    throw new LineFault("outside_registered_cities", "lat", `the position is in no registered city${hint}`);
  }

  #subject({ input, nameKey, contacts, place }: Sighting, city: City): MatchSubject {
    return {
      city: city.slug,
      nameKey,
      place,
      mobile: isMobile(input.asset_type),
      brand: this.#options.classifier.isBrand(nameKey),
      contacts: contacts.map((key) => Buffer.from(key, "hex")),
    };
  }

  #newRecord(sighting: Sighting, city: City, candidates: number[], made: NewCounts): number {
    const { nameKey, input } = sighting;
    const classified = this.#options.classifier.classify({ nameKey, declared: nonBlank(input.industry) });
    made.records += 1;
    const publicId = this.#publicIds.next();
    return this.#append(recordRow({ sighting, city, classified, candidates, publicId }, this.#context));
  }

  #asset(sighting: Sighting, record: number, place: string, made: NewCounts): number {
    const type = sighting.input.asset_type;
    const known = this.#matcher.asset(record, type, place);
    if (known !== undefined) return known;
    const asset = this.#append(assetRow(sighting, record, this.#publicIds.next()));
    this.#matcher.learnAsset(record, type, place, asset);
    made.assets += 1;
    return asset;
  }

  #append(row: NewRow, committed?: CommittedValues): number {
    if (!this.#options.dryRun) return this.#options.ledger.append(row, committed).id;
    this.#nextDryId += 1;
    return this.#nextDryId - 1;
  }
}
