/** Facts for the tests of the methodology: a city on the meridian of Greenwich, where solar days are UTC days. */

import fc from "fast-check";
import { DAY_MS, HOUR_MS } from "../../../src/kernel/time.ts";
import { type AsOf, asOfAt } from "../../../src/method/numbers.ts";
import { judge } from "../../../src/method/standing/verification.ts";
import type { Industry, RecordFacts, Sighting } from "../../../src/method/types.ts";

export const TODAY = 20_000;
export const AS_OF: AsOf = asOfAt(TODAY * DAY_MS + 12 * HOUR_MS, 0);

export const DECLARED: Industry = { code: "5610", method: "declared", authoritative: true };
export const BY_NAME: Industry = { code: "5610", method: "name_rule", authoritative: false };

let nextId = 1;

/** A scout's sighting of a storefront in the first hour of the day that lies `age` days back, with `changes`. */
export function sighting(age: number, changes: Partial<Sighting> = {}): Sighting {
  const day = TODAY - age;
  nextId += 1;
  return {
    id: nextId,
    asset: 1,
    assetType: "storefront",
    source: "scout",
    observer: "a",
    observedAt: day * DAY_MS,
    day,
    cell: "882b9bc001fffff",
    fine: true,
    publishedAt: (day + 1) * DAY_MS,
    archived: false,
    verdict: undefined,
    setAside: null,
    ...changes,
  };
}

export function facts(
  id: number,
  sightings: readonly Sighting[],
  changes: Partial<RecordFacts> = {},
): RecordFacts {
  return {
    id,
    publicId: `ex_${String(id).padStart(4, "0")}`,
    industry: DECLARED,
    flagged: false,
    matchUnderReview: false,
    sightings: judge(sightings),
    ...changes,
  };
}

/** Enough to pass the gate: three observers, two days each. `age` of the newest. */
export function eligibleSightings(age: number, base: Partial<Sighting> = {}): Sighting[] {
  return ["a", "b", "c"].flatMap((observer) => [
    sighting(age, { ...base, observer }),
    sighting(age + 1, { ...base, observer }),
  ]);
}

export const CELLS = ["882b9bc001fffff", "882b9bc003fffff", "882b9bc005fffff", "882b9bc007fffff"];

const ASSET_TYPES = ["storefront", "site_sign", "temp_sign"] as const; // of the assets 1 to 3

/** Any sightings of one record, up to 500 days back, few observers and assets so that they meet. */
export function anySightings(
  size: { minLength?: number; maxLength?: number } = {},
): fc.Arbitrary<Sighting[]> {
  const one = fc.record({
    age: fc.nat({ max: 500 }),
    asset: fc.integer({ min: 1, max: 3 }),
    observer: fc.constantFrom("a", "b", "c", "d"),
    source: fc.constantFrom("scout", "fleet_cam", "telematics_api", "seed_survey"),
    cell: fc.constantFrom(...CELLS),
    verdict: fc.constantFrom(undefined, undefined, undefined, "verified", "rejected"),
    setAside: fc.constantFrom(null, null, null, null, "private_trace"),
  });
  return fc
    .array(one, { maxLength: 40, ...size })
    .map((drawn) =>
      drawn.map(({ age, ...rest }, index) =>
        sighting(age, { ...rest, id: index + 1, assetType: ASSET_TYPES[rest.asset - 1] ?? "storefront" }),
      ),
    );
}
