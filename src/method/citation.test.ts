import fc from "fast-check";
import { expect, test } from "vitest";
import { anySightings, sighting } from "../../tests/support/method/facts.ts";
import { citedEvidence, NOTHING_CITED } from "./citation.ts";
import { judge } from "./standing/verification.ts";
import type { Sighting } from "./types.ts";

const kindOf = () => "location_presence" as const;
const cited = (sightings: readonly Sighting[]) => citedEvidence(judge(sightings), kindOf);

test("counts accepted sightings by state and observer, and names the newest", () => {
  const early = sighting(40, { id: 1, observer: "a" });
  const pair = [sighting(5, { id: 2, observer: "a" }), sighting(4, { id: 3, observer: "b" })];
  const reviewed = sighting(9, { id: 4, observer: "c", asset: 2, verdict: "verified" });
  const rejected = sighting(1, { id: 5, observer: "d", verdict: "rejected" });
  expect(cited([early, ...pair, reviewed, rejected])).toEqual({
    accepted: 4,
    counted: 4,
    observers: 3,
    states: { provisional: 1, corroborated: 2, verified: 1 },
    first: early.observedAt,
    last: pair[1]?.observedAt,
    newest: { id: 3, observedAt: pair[1]?.observedAt, kind: "location_presence", state: "corroborated" },
  });
});

test("sightings set aside are accepted, and have no independent observer", () => {
  const aside = sighting(3, { id: 2, observer: "b", setAside: "private_trace" });
  expect(cited([sighting(4, { id: 1, observer: "a" }), aside])).toMatchObject({
    accepted: 2,
    counted: 1,
    observers: 1,
    states: { provisional: 2, corroborated: 0, verified: 0 },
    newest: { id: 2 },
  });
  expect(cited([aside])).toMatchObject({ accepted: 1, counted: 0, observers: 0 });
});

test("nothing but rejected sightings is nothing to cite", () => {
  expect(cited([sighting(1, { verdict: "rejected" })])).toEqual(NOTHING_CITED);
  expect(cited([])).toEqual(NOTHING_CITED);
});

test("of sightings of the same time the highest row is the newest, whatever their order", () => {
  fc.assert(
    fc.property(anySightings(), (sightings) => {
      expect(cited(sightings.toReversed())).toEqual(cited(sightings));
    }),
  );
  const rows = [7, 9, 8].map((id) => sighting(3, { id }));
  expect(cited(rows).newest?.id).toBe(9);
});
