import { latLngToCell } from "h3-js";
import type { EntityStatus, OnlinePresence, SignalType } from "../contract/enums.ts";
import type { ObservationInput } from "../intake/lines/observation-input.ts";
import { checkLine, type IntakeHashes, intakeHashes } from "../intake/lines/sighting.ts";
import {
  appendIdentity,
  appendOnlineCheck,
  appendReview,
  appendStatus,
  type Review,
} from "../intake/matching/decide.ts";
import { Anchors } from "../intake/places/anchors.ts";
import { PLACE_RESOLUTION } from "../intake/places/place.ts";
import { stepCity } from "../intake/places/register-city.ts";
import type { SeededNumbers } from "../kernel/seeded.ts";
import { nameKey } from "../kernel/text/name-key.ts";
import type { CityStep } from "../ledger/decisions/ledger-state.ts";
import type { OnlineCheck } from "../ledger/online-checks.ts";
import type { IdentityBody } from "../ledger/rows/rows.ts";
import type { LedgerWriter } from "../ledger/writer.ts";
import type { Reason } from "../review/reasons.ts";
import type { Business, DemoAsset } from "./businesses.ts";
import type { DemoCity } from "./fixture.ts";

/** A decision in the night of a UTC day, after that day's intake. */
export interface Decision {
  readonly night: number;
  readonly act: (desk: Desk) => void;
}

const REVIEWER = "demo-review-desk";
const PROVIDER = "demo";

/** A reviewer's desk: finds the rows of the story, and decides about them with the same functions as for real data. */
export class Desk {
  readonly #ledger: LedgerWriter;
  readonly #hashes: IntakeHashes;

  constructor(ledger: LedgerWriter) {
    this.#ledger = ledger;
    this.#hashes = intakeHashes(ledger.purposeKey);
  }

  /** Records of the business's name in its city, the earliest first; several for namesakes. */
  records({ city, name }: Business): number[] {
    return [...new Set(this.#ledger.intake.namesIn(city.slug, nameKey(name)).map(({ record }) => record))];
  }

  record(business: Business): number {
    return found(this.records(business)[0], business.name);
  }

  /** The row of a fixed asset, of whichever record of the name has it. */
  asset(business: Business, { type, place }: DemoAsset): number {
    const cell = latLngToCell(place.lat, place.lng, PLACE_RESOLUTION);
    const assets = this.records(business).flatMap((record) => {
      const anchors = new Anchors();
      for (const { place: at, asset, row, level } of this.#ledger.intake.assetsOf(record, type))
        anchors.add(at, { id: asset, row, level });
      return anchors.at(cell) ?? [];
    });
    return found(assets[0], `${type} of ${business.name}`);
  }

  /** The row of an accepted line. */
  observation(line: ObservationInput): number {
    const { key } = checkLine(1, line, this.#hashes, this.#ledger.now());
    return found(this.#ledger.intake.sourceRef(Buffer.from(key, "hex"))?.row ?? undefined, line.source_ref);
  }

  review(
    decision: Review["decision"],
    target: number,
    reason: Reason,
    more: Pick<Review, "industry" | "into"> = {},
  ): void {
    appendReview(this.#ledger, { decision, target, reason, reviewer: REVIEWER, ...more });
  }

  status(business: Business, status: EntityStatus): void {
    appendStatus(this.#ledger, { record: this.record(business), status });
  }

  identity(business: Business, identity: Omit<IdentityBody, "record">): void {
    appendIdentity(this.#ledger, { record: this.record(business), ...identity });
  }

  step({ slug }: DemoCity, step: CityStep): void {
    stepCity(this.#ledger, slug, step);
  }

  check(business: Business, result: Pick<OnlineCheck, "verdict" | "signalTypes" | "matchCount">): void {
    const record = this.record(business);
    appendOnlineCheck(this.#ledger, { record, checkedAt: this.#ledger.now(), provider: PROVIDER, ...result });
  }
}

function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`the story has ${what}, but the ledger does not`);
  return value;
}

const RECHECK_DAYS = 35;

interface Result {
  readonly verdict: OnlinePresence;
  readonly signalTypes: SignalType[];
  readonly matchCount: number;
}

/** Six in ten businesses are looked up on the web, first some weeks after they were first seen, then repeatedly. */
export function onlineChecks(business: Business, numbers: SeededNumbers): Decision[] {
  const { from, city } = business;
  if (!numbers.chance(0.6)) return [];
  const decisions: Decision[] = [];
  let night = from + numbers.between(3, 25);
  while (night <= city.last_day) {
    const result = resultFor(business, numbers);
    decisions.push({ night, act: (desk) => desk.check(business, result) });
    night += RECHECK_DAYS + numbers.between(0, 160);
  }
  return decisions;
}

/** A website is nearly always found; without one, a profile, a listing, or nothing. */
function resultFor({ website }: Business, numbers: SeededNumbers): Result {
  const signals = website === null ? SIGNALS_WITHOUT_SITE : SIGNALS_WITH_SITE;
  const verdict = numbers.weighted<OnlinePresence>([
    ["detected", website === null ? 40 : 92],
    ["none", website === null ? 42 : 2],
    ["unknown", website === null ? 18 : 6],
  ]);
  if (verdict !== "detected") return { verdict, signalTypes: [], matchCount: 0 };
  const signalTypes = [...numbers.pick(signals)];
  return { verdict, signalTypes, matchCount: signalTypes.length + numbers.between(0, 4) };
}

const SIGNALS_WITH_SITE: readonly (readonly SignalType[])[] = [
  ["website"],
  ["website", "maps_listing"],
  ["website", "maps_listing", "social_profile"],
];
const SIGNALS_WITHOUT_SITE: readonly (readonly SignalType[])[] = [
  ["maps_listing"],
  ["social_profile"],
  ["directory_listing", "maps_listing"],
  ["other"],
];
