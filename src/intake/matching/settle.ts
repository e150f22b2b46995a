import type { RandomBytes } from "../../kernel/ids.ts";
import { assetRow, namingRow, observationRow, type RowContext, recordRow } from "../append.ts";
import type { IntakeLedger } from "../intake-ledger.ts";
import { isGenericName } from "../lines/name.ts";
import { isBareDate } from "../lines/observation-input.ts";
import { intakeHashes, nonBlank, type Sighting } from "../lines/sighting.ts";
import type { City } from "../places/place.ts";
import type { Entry } from "../sources/entry.ts";
import { isMobile } from "./asset-kind.ts";
import type { Classifier } from "./classify.ts";
import { Matcher, type MatchSubject } from "./match.ts";
import { PublicIds } from "./public-ids.ts";
import { modelAllowList } from "./recognition-models.ts";
import { canBe, isUnnamedVehicle, UNNAMED_VEHICLES } from "./vehicles.ts";

export interface SettlerOptions {
  readonly ledger: IntakeLedger;
  readonly classifier: Classifier;
  readonly synthetic: boolean;
  readonly random: RandomBytes;
}

/** Records and assets created so far; owned by the caller, incremented here. */
export interface NewCounts {
  records: number;
  assets: number;
}

export interface PlacedSighting {
  readonly sighting: Sighting;
  readonly city: City;
  readonly acceptedDay: string; // the UTC day as an instant
  readonly entry: Entry; // of that day
}

/** Settles sightings one by one within a transaction. Owns caches, so it must not be used after a failed transaction. */
export class Settler {
  readonly #options: SettlerOptions;
  readonly #matcher: Matcher;
  readonly #context: RowContext;
  readonly #publicIds: PublicIds;

  constructor(options: SettlerOptions) {
    const { ledger, synthetic, random } = options;
    this.#options = options;
    this.#matcher = new Matcher(ledger.intake);
    const hashes = intakeHashes(ledger.purposeKey);
    this.#context = { synthetic, hashes, isModelAllowed: modelAllowList(ledger.intake) };
    this.#publicIds = new PublicIds(ledger, ledger.intake, random);
  }

  /**
   * Appends the sighting's observation, with its record and asset where they are new. Returns the row of the observation.
   * Throws LineFault for a source that is not active, and has written nothing then.
   */
  settle({ sighting, city, acceptedDay, entry }: PlacedSighting, made: NewCounts): number {
    const source = entry.sourceOf(sighting.input);
    const subject = this.#subject(sighting, city);
    const match = this.#matcher.match(subject);
    // Two places that are called "Restaurant" are not candidates for a match.
    const candidates = isGenericName(sighting.nameKey) ? [] : match.candidates;
    const record = match.record ?? this.#newRecord(sighting, city, candidates, made);
    this.#matcher.learn(subject, match, record);
    const asset = this.#asset(sighting, record, subject.place, made);
    const { ledger } = this.#options;
    const entered = entry.enter(sighting, source, { record, row: ledger.nextId() });
    const row = observationRow({ sighting, city, record, asset, acceptedDay, entered }, this.#context);
    const { id } = ledger.append(row, sighting.committed);
    this.#remember(sighting, asset, id);
    return id;
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
    const { nameKey, input, name, website } = sighting;
    const { ledger, classifier } = this.#options;
    const classified = classifier.classify({ nameKey, declared: nonBlank(input.industry) });
    const record = ledger.append(recordRow(city, this.#publicIds.next(), this.#context)).id;
    ledger.append(namingRow({ record, name, website: website?.url ?? null, classified, candidates }));
    made.records += 1;
    return record;
  }

  #asset(sighting: Sighting, record: number, place: string, made: NewCounts): number {
    if (!isUnnamedVehicle(sighting)) return this.#assetAt(sighting, record, place, made);
    const { intake } = this.#options.ledger;
    const type = sighting.input.asset_type;
    const free = UNNAMED_VEHICLES.find((each) => {
      const known = this.#matcher.asset(record, type, each);
      return known === undefined || canBe(known, sighting, intake);
    });
    return this.#assetAt(sighting, record, free ?? place, made);
  }

  /** Two vehicles of one name are two assets, as far as places and times tell: one does not corroborate the other. */
  #remember(sighting: Sighting, asset: number, row: number): void {
    const { input, instant } = sighting;
    if (!isUnnamedVehicle(sighting) || isBareDate(input.observed_at)) return;
    this.#options.ledger.intake.addVehicleSighting(asset, row, { instant, lat: input.lat, lng: input.lng });
  }

  #assetAt(sighting: Sighting, record: number, place: string, made: NewCounts): number {
    const type = sighting.input.asset_type;
    const known = this.#matcher.asset(record, type, place);
    if (known !== undefined) return known;
    const asset = this.#options.ledger.append(assetRow(sighting, record, this.#publicIds.next())).id;
    this.#matcher.learnAsset(record, type, place, asset);
    made.assets += 1;
    return asset;
  }
}
