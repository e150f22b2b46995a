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
import { newPublicId } from "../kernel/ids.ts";
import { SeededNumbers, seededBytes } from "../kernel/seeded.ts";
import { nameKey } from "../kernel/text/name-key.ts";
import { DAY_MS } from "../kernel/time.ts";
import type { CityStep } from "../ledger/decisions/ledger-state.ts";
import type { OnlineCheck } from "../ledger/outside-tree.ts";
import type { IdentityBody } from "../ledger/rows/rows.ts";
import type { LedgerWriter } from "../ledger/writer.ts";
import type { Reason } from "../review/moves.ts";
import type { Business, DemoAsset } from "./businesses.ts";
import type { Namesakes } from "./cast.ts";
import { CITIES, type DemoCity } from "./fixture.ts";
import type { Thread } from "./sightings.ts";

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

/** A reviewed identity: a brand, and the invented company that operates it. */
export function identityOf(business: Business, numbers: SeededNumbers): Omit<IdentityBody, "record"> {
  const { name, city, assets } = business;
  const random = seededBytes(`identity of ${name} in ${city.slug}`);
  const host = new URL(business.website ?? `https://${newPublicId("brand", random).slice(6, 14)}.example`)
    .host;
  const domain = host.replace(/^www\./, "");
  const organization = {
    relationship_type: "operating_organization",
    public_id: newPublicId("org", random),
    name: `${name.slice(0, 80)} Holding`,
    organization_type: "company",
    canonical_domain: domain,
  };
  return {
    brand: { public_id: newPublicId("brand", random), name, canonical_domain: domain },
    organizations: numbers.chance(0.7) ? [organization] : [],
    same_as: numbers.chance(0.6) ? [`https://social.example/${domain.replaceAll(".", "-")}`] : [],
    scope:
      assets.filter(({ type }) => type === "storefront").length > 1 ? "local_chain" : "local_independent",
  };
}

/** All decisions about an ordinary business over the year. */
export function decisionsAbout(thread: Thread): Decision[] {
  const { business } = thread;
  const numbers = new SeededNumbers(`decisions about ${business.name} in ${business.city.slug}`);
  return [
    ...classified(business, numbers),
    ...judged(thread, numbers),
    ...retired(thread, numbers),
    ...claimed(business, numbers),
    ...onlineChecks(business, numbers),
  ];
}

/** An industry suggested by the name stays under review until a decision; half are decided. */
function classified(business: Business, numbers: SeededNumbers): Decision[] {
  const { industry, declared, from } = business;
  if (declared || industry === null || numbers.chance(0.5)) return [];
  const act = (desk: Desk) =>
    desk.review("classify", desk.record(business), "industry_confirmed", { industry });
  return [{ night: from + numbers.between(15, 60), act }];
}

function judged({ sightings }: Thread, numbers: SeededNumbers): Decision[] {
  return sightings.flatMap(({ night, line }) => {
    const decided = numbers.weighted([
      [undefined, 980],
      [["verify", "picture_clear"], 13],
      [["reject", "wrong_subject"], 3],
      [["reject", "picture_unclear"], 2],
      [["leave", "picture_unclear"], 2], // somebody looks, and decides nothing
    ] as const);
    if (decided === undefined) return [];
    const [decision, reason] = decided;
    const decidedOn = night + numbers.between(2, 12);
    if (decision === "leave") return [];
    return { night: decidedOn, act: (desk) => desk.review(decision, desk.observation(line), reason) };
  });
}

/** Some removed signs are retired by hand; a few come back. */
function retired({ business, sightings }: Thread, numbers: SeededNumbers): Decision[] {
  const seen = new Set(sightings.map(({ asset }) => asset));
  return business.assets.flatMap((asset): Decision[] => {
    if (asset.type !== "temp_sign" || !seen.has(asset) || !numbers.chance(0.3)) return [];
    const night = asset.until + numbers.between(5, 25);
    const review = (decision: "retire" | "unretire", reason: Reason) => (desk: Desk) =>
      desk.review(decision, desk.asset(business, asset), reason);
    const retire = { night, act: review("retire", "taken_down") };
    if (!numbers.chance(0.2)) return [retire];
    return [retire, { night: night + 9, act: review("unretire", "still_there") }];
  });
}

/** One business in seven claims its record; some are verified, and a few that ended are dissolved. */
function claimed(business: Business, numbers: SeededNumbers): Decision[] {
  const { from, until, city } = business;
  if (until < city.last_day && numbers.chance(0.25))
    return [{ night: until + 40, act: (desk) => desk.status(business, "dissolved") }];
  if (!numbers.chance(0.15)) return [];
  const night = from + numbers.between(20, 90);
  const claim = { night, act: (desk: Desk) => desk.status(business, "claimed") };
  if (!numbers.chance(0.5)) return [claim];
  const identity = identityOf(business, numbers);
  return [
    claim,
    { night: night + 14, act: (desk) => desk.status(business, "verified") },
    { night: night + 15, act: (desk) => desk.identity(business, identity) },
  ];
}

/** Decisions about two places of one name. */
export function namesakeDecisions({ outcome, threads: [{ business }] }: Namesakes): Decision[] {
  const night = business.city.last_day - 80;
  if (outcome === "open") return [];
  const act = (desk: Desk) => {
    const [first, second] = desk.records(business);
    if (first === undefined || second === undefined) throw new Error(`${business.name} is not two records`);
    if (outcome === "merged") desk.review("merge", second, "same_business", { into: first });
    else desk.review("settle_match", second, "different_businesses");
  };
  return [{ night, act }];
}

/** The steps of the cities. */
export function cityDecisions(): Decision[] {
  return CITIES.flatMap((city) =>
    city.steps.map(([night, step]) => ({ night, act: (desk: Desk) => desk.step(city, step) })),
  );
}

const FLAG_NIGHT = Date.parse("2026-09-21") / DAY_MS;

/** Three often seen businesses are flagged for an integrity review, and one of them is cleared. */
export function flagDecisions(threads: readonly Thread[]): Decision[] {
  const busy = threads.filter(({ business }) => business.declared && business.visits > 100).slice(0, 3);
  return busy.flatMap(({ business }, serial): Decision[] => {
    const flag = (desk: Desk) => desk.review("flag", desk.record(business), "suspicious_pattern");
    const unflag = (desk: Desk) => desk.review("unflag", desk.record(business), "checked_genuine");
    const flagged = { night: FLAG_NIGHT + serial, act: flag };
    return serial > 0 ? [flagged] : [flagged, { night: FLAG_NIGHT + 10, act: unflag }];
  });
}
