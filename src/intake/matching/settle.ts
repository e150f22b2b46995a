import { greatCircleDistance, UNITS } from "h3-js";
import type { RandomBytes } from "../../kernel/ids.ts";
import { HOUR_MS } from "../../kernel/time.ts";
import type { IntakeStore, VehicleSighting } from "../../ledger/matching/intake-store.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { assetRow, namingRow, observationRow, PublicIds, type RowContext, recordRow } from "../append.ts";
import { nonBlank } from "../lines/contact.ts";
import { isBareDate } from "../lines/observation-input.ts";
import { intakeHashes, type Sighting } from "../lines/sighting.ts";
import { displayName } from "../naming/choose-naming.ts";
import { type Level, NOWHERE, TAUGHT, UNTAUGHT } from "../places/anchors.ts";
import type { City } from "../places/place.ts";
import type { Entry } from "../sources/entry.ts";
import type { Classifier } from "./classify.ts";
import { isMobile } from "./keyed-hash.ts";
import { type Lesson, levelOf, Matcher, type MatchSubject, type Proposals } from "./match.ts";

export interface SettlerOptions {
  readonly ledger: LedgerWriter;
  readonly classifier: Classifier;
  readonly synthetic: boolean;
  readonly random: RandomBytes;
  readonly models: ReadonlySet<string>;
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

/** An observation of a sighting: its row, and whether it counts. */
interface Settled {
  readonly row: number;
  readonly isCounted: boolean;
}

const NO_PROPOSALS: Proposals = { sharing: [], near: [] };

interface NewRecord {
  readonly sighting: Sighting;
  readonly city: City;
  readonly subject: MatchSubject;
  readonly level: Level;
}

/** Settles sightings one by one within a transaction. Owns caches, so it must not be used after a failed transaction. */
export class Settler {
  readonly #options: SettlerOptions;
  readonly #matcher: Matcher;
  readonly #context: RowContext;
  readonly #publicIds: PublicIds;
  /** Known records that counting rows say more of. */
  readonly #touched = new Set<number>();
  /** Records that nothing counted for until now. */
  readonly #adopted = new Set<number>();
  /** Records that are near to others in name and place, and were seen once. */
  readonly #near: Set<number>;

  constructor(options: SettlerOptions) {
    const { ledger, synthetic, random, models } = options;
    this.#options = options;
    this.#matcher = new Matcher(ledger.intake);
    const hashes = intakeHashes(ledger.purposeKey);
    this.#context = { synthetic, hashes, models };
    this.#near = new Set(ledger.intake.nearWaiting());
    this.#publicIds = new PublicIds(ledger, ledger.intake, random);
  }

  /**
   * Appends the sighting's observation, with its record and asset where they are new.
   * Throws LineFault for a source that is not active, and has written nothing then.
   */
  settle({ sighting, city, acceptedDay, entry }: PlacedSighting, made: NewCounts): Settled {
    const arrival = entry.judge(sighting);
    const isSound = arrival.check === undefined;
    const principal = arrival.source && arrival.principal;
    const { ledger, classifier } = this.#options;
    const subject = matchSubject(sighting, { city: city.slug, principal }, { classifier, isSound });
    const known = this.#matcher.find(subject);
    const isAffiliated = entry.isAffiliated(arrival, known?.record);
    const teaches = isSound && !isAffiliated;
    const level = levelOf(teaches, principal);
    const record = known?.record ?? this.#newRecord({ sighting, city, subject, level }, made);
    const asset = this.#asset(sighting, { record, subject }, made);
    const row = ledger.nextId();
    const lesson = { subject, record, row, level, known: known?.known ?? UNTAUGHT, principal };
    const isNew = this.#matcher.learn(lesson);
    this.#matcher.learnAsset(sighting.input.asset_type, subject.place, {
      ...{ record, row, asset, level, principal },
    });
    if (teaches) rememberVehicle(sighting, asset, row, ledger.intake);
    if (teaches && known !== undefined) this.#touch(lesson);
    if (level === TAUGHT && isNew) this.#proposeNamesakes(subject, record);
    const entered = entry.enter(arrival, { record, row, isAffiliated });
    const body = observationRow({ sighting, city, record, asset, acceptedDay, entered }, this.#context);
    return { row: ledger.append(body, sighting.committed).id, isCounted: entered.counts };
  }

  /** At the end of a transaction: what may have to be shown differently now. */
  finish(): void {
    const { intake } = this.#options.ledger;
    intake.unsettle(...this.#touched);
    intake.unsettleAdopted([...this.#adopted]);
    this.#touched.clear();
    this.#adopted.clear();
  }

  /** A known record of which a row that counts says more. */
  #touch({ record, level, known }: Pick<Lesson, "record" | "level" | "known">): void {
    (known === UNTAUGHT ? this.#adopted : this.#touched).add(record);
    if (level === TAUGHT && this.#near.delete(record)) this.#options.ledger.intake.confirmNear(record);
  }

  /** One observer alone may have said that there are two, and others may have seen one: a reviewer is asked that night. */
  #proposeNamesakes(subject: MatchSubject, record: number): void {
    const { intake } = this.#options.ledger;
    for (const other of this.#matcher.namesakes(subject, record)) {
      const later = Math.max(record, other);
      intake.addNear(later, [Math.min(record, other)]);
      intake.confirmNear(later);
      this.#touched.add(later);
    }
  }

  /** Only what a registered source's row that counts says is proposed to be the same as another record. */
  #newRecord({ sighting, city, subject, level }: NewRecord, made: NewCounts): number {
    const { nameKey, input } = sighting;
    const { ledger, classifier } = this.#options;
    const name = displayName(sighting.name);
    // What nothing counts for has the industry that its name proposes.
    const declared = level === UNTAUGHT ? undefined : nonBlank(input.industry);
    const classified = classifier.classify({ nameKey, declared });
    const { sharing, near } = level === TAUGHT ? this.#matcher.proposals(subject) : NO_PROPOSALS;
    const record = ledger.append(recordRow(city, this.#publicIds.next(), this.#context)).id;
    ledger.append(namingRow({ record, name, website: null, classified, candidates: sharing }));
    if (near.length > 0) ledger.intake.addNear(record, near);
    if (near.length > 0) this.#near.add(record);
    made.records += 1;
    return record;
  }

  #asset(
    sighting: Sighting,
    { record, subject }: { readonly record: number; readonly subject: MatchSubject },
    made: NewCounts,
  ): number {
    const { ledger } = this.#options;
    const known = this.#matcher.assets(record, sighting.input.asset_type, subject);
    const found = isUnnamedVehicle(sighting) ? vehicleAmong(known, sighting, ledger.intake) : known[0];
    if (found !== undefined) return found;
    made.assets += 1;
    return ledger.append(assetRow(sighting, record, this.#publicIds.next())).id;
  }
}

/** What matching uses of a sighting: contacts only of one against which nothing but an affiliation can be said. */
export function matchSubject(
  { input, nameKey, contacts, place }: Sighting,
  whose: Pick<MatchSubject, "city" | "principal">,
  { classifier, isSound }: { readonly classifier: Classifier; readonly isSound: boolean },
): MatchSubject {
  return {
    ...whose,
    ...{ nameKey, place, lat: input.lat, lng: input.lng },
    mobile: isMobile(input.asset_type),
    brand: classifier.isBrand(nameKey),
    contacts: isSound ? contacts.map((key) => Buffer.from(key, "hex")) : [],
  };
}

const MAX_KM_AN_HOUR = 130;
const SLACK_KM = 1; // positions are read while the vehicle moves on
/** Vehicles of one name without references: more are not told apart. */
const MAX_VEHICLES = 20;

/** Whether a sighting names no vehicle, only what is written on it. */
export function isUnnamedVehicle({ place }: Pick<Sighting, "place">): boolean {
  return place === NOWHERE;
}

type Seen = Pick<Sighting, "input" | "instant">;

/** The first of a record's vehicles that can be the one that was seen; undefined where it is another one. */
export function vehicleAmong(
  assets: readonly number[],
  sighting: Seen,
  store: Pick<IntakeStore, "vehicleSeenAround">,
): number | undefined {
  const found = assets.find((asset) => canBe(asset, sighting, store));
  return found ?? (assets.length < MAX_VEHICLES ? undefined : assets[0]);
}

/** Whether place and time allow that a vehicle is the one that was seen. A bare date has no time to speak against it. */
function canBe(
  asset: number,
  { input, instant }: Seen,
  store: Pick<IntakeStore, "vehicleSeenAround">,
): boolean {
  if (isBareDate(input.observed_at)) return true;
  return store
    .vehicleSeenAround(asset, instant)
    .every((seen) => isReachable(seen, { instant, lat: input.lat, lng: input.lng }));
}

/**
 * Remembers where a counting row saw a vehicle without a reference. Two vehicles of one name are two assets, as far as places and times
 * tell: one does not corroborate the other.
 */
export function rememberVehicle(
  sighting: Seen & Pick<Sighting, "place">,
  asset: number,
  row: number,
  store: Pick<IntakeStore, "addVehicleSighting">,
): void {
  const { input, instant } = sighting;
  if (!isUnnamedVehicle(sighting) || isBareDate(input.observed_at)) return;
  store.addVehicleSighting(asset, row, { instant, lat: input.lat, lng: input.lng });
}

function isReachable(a: VehicleSighting, b: VehicleSighting): boolean {
  const km = greatCircleDistance([a.lat, a.lng], [b.lat, b.lng], UNITS.km);
  const hours = Math.abs(a.instant - b.instant) / HOUR_MS;
  return km - SLACK_KM <= hours * MAX_KM_AN_HOUR;
}
