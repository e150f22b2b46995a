import fc from "fast-check";
import { expect, test } from "vitest";
import { PARAMETERS } from "../../src/method/parameters.ts";
import { countable } from "../../src/method/standing/counting.ts";
import { rawScore } from "../../src/method/standing/score.ts";
import { cityStandings } from "../../src/method/standing/standing.ts";
import { judge } from "../../src/method/standing/verification.ts";
import { AS_OF, anySightings, eligibleSightings, facts, sighting } from "../../tests/support/method/facts.ts";
import { spearman } from "./spearman.ts";
import { rawOf, STEPS, scoresOf } from "./steps.ts";
import { cityFigures, tableRows } from "./table.ts";

test("the last step is the present score", () => {
  fc.assert(
    fc.property(anySightings(), (sightings) => {
      const counted = countable(judge(sightings), AS_OF);
      const { raw } = rawScore(counted, AS_OF);
      expect(rawOf(counted, AS_OF, PARAMETERS.score)).toBeCloseTo(raw, 7);
    }),
  );
  const records = [1, 2, 3, 4, 5].map((id) => facts(id, eligibleSightings(id * 10)));
  const last = STEPS.at(-1);
  if (last === undefined) throw new Error("there are steps");
  const scores = scoresOf(records, AS_OF, last);
  for (const [id, { pps }] of cityStandings(records, AS_OF).standings)
    expect(scores.get(id)?.pps).toBeCloseTo(pps ?? Number.NaN, 7);
});

test("Spearman's correlation of ranks, by hand", () => {
  // Wikipedia's example of intelligence and hours of television: -29 / 165
  const iq = [106, 100, 86, 101, 99, 103, 97, 113, 112, 110];
  const hours = [7, 27, 2, 50, 28, 29, 20, 12, 6, 17];
  expect(spearman(iq, hours)).toBeCloseTo(-29 / 165, 9);
  expect(spearman([1, 2, 2, 3], [10, 20, 20, 30])).toBeCloseTo(1, 9);
  expect(spearman([1, 1], [1, 2])).toBeUndefined();
});

test("a record that one busy observer kept unranked enters with the second step", () => {
  const busy = [
    ...Array.from({ length: 9 }, (_, age) => sighting(age)),
    sighting(0, { observer: "b" }),
    sighting(0, { observer: "c" }),
  ];
  const records = [1, 2, 3, 4, 5].map((id) => facts(id, eligibleSightings(id * 10)));
  const figures = cityFigures([...records, facts(6, busy)], AS_OF);
  expect(figures.map(({ ranked, entered }) => [ranked, entered])).toEqual([
    [5, 0],
    [6, 1],
    [6, 0],
    [6, 0],
    [6, 0],
  ]);
  expect(tableRows("two towns", [figures, figures])[1]).toMatch(
    /^\| two towns \| .* \| 12 \| \+2 −0 \| 0 \| /,
  );
});
