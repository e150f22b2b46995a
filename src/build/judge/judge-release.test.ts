import { describe, expect, test } from "vitest";
import { DAY_MS } from "../../kernel/time.ts";
import { type Bounds, judgeGone, judgeRelease } from "./judge-release.ts";
import type { CityFigures, RecordFigures, ReleaseFigures } from "./release-figures.ts";

const BOUNDS: Bounds = { recordsGone: 5, scoresMoved: 50, ranksMoved: 50, coverageMoved: 30, floor: 10 };
const AS_OF = Date.UTC(2026, 4, 20);

const record = (at: number, change: Partial<RecordFigures> = {}): RecordFigures => ({
  publicId: `r${at}`,
  isErased: false,
  raw: 90 - at / 10,
  rank: at + 1,
  isEligible: true,
  counting: 8,
  observers: 4,
  observations: 8,
  days: 5,
  ...change,
});

const coverage = (change: Partial<CityFigures["coverage"]> = {}): CityFigures["coverage"] => ({
  level: "medium",
  isReviewed: true,
  eligibleCells: 100,
  cells: 60,
  history: [
    { day: "2026-05-10", cells: 58 },
    { day: "2026-05-17", cells: 60 },
  ],
  ...change,
});

const city = (slug: string, records: number, change: Partial<CityFigures> = {}): CityFigures => ({
  slug,
  name: slug.toUpperCase(),
  erasedRows: 0,
  records: Array.from({ length: records }, (_, at) => record(at)),
  coverage: coverage(),
  ...change,
});

const release = (cities: readonly CityFigures[], change: Partial<ReleaseFigures> = {}): ReleaseFigures => ({
  asOf: AS_OF,
  scoreMethod: "s1",
  coverageMethod: "c1",
  cities,
  ...change,
});

/** The release of the next night, with the records of each city as `change` makes them. */
function next(
  before: ReleaseFigures,
  change: (record: RecordFigures, at: number) => RecordFigures | undefined,
  { days = 1, ...rest }: Partial<ReleaseFigures> & { days?: number } = {},
): ReleaseFigures {
  const cities = before.cities.map((each) => ({
    ...each,
    records: each.records.flatMap((was, at) => change(was, at) ?? []),
  }));
  return { ...before, asOf: before.asOf + days * DAY_MS, cities, ...rest };
}

const texts = (before: ReleaseFigures, after: ReleaseFigures, bounds: Partial<Bounds> = {}): string[] =>
  judgeRelease(before, after, { ...BOUNDS, ...bounds }).map(({ text }) => text);

const guelph = release([city("guelph", 100)]);

describe("records gone", () => {
  const lose = (count: number) => (was: RecordFigures, at: number) => (at < count ? undefined : was);

  test("are counted against the share and the floor", () => {
    expect(texts(guelph, next(guelph, lose(5)))).toEqual([]);
    expect(judgeRelease(guelph, next(guelph, lose(30)), BOUNDS)).toEqual([
      {
        bound: "records_gone",
        city: "guelph",
        moved: 30,
        of: 100,
        bound_percent: 5,
        text: "GUELPH: 30 of 100 records are gone (bound: 5%)",
      },
    ]);
  });

  test("of a small town hold nothing until the floor, but all towns together do", () => {
    const hamlet = release([city("hamlet", 10)]);
    expect(texts(hamlet, next(hamlet, lose(3)))).toEqual([]);
    const hamlets = release(Array.from({ length: 9 }, (_, at) => city(`hamlet-${at}`, 10)));
    expect(texts(hamlets, next(hamlets, lose(3)))).toEqual([
      "All cities: 27 of 90 records are gone (bound: 5%)",
    ]);
  });

  test("with their city are named with it", () => {
    const two = release([city("guelph", 100), city("york", 200)]);
    expect(texts(two, { ...two, cities: two.cities.slice(0, 1) })).toEqual([
      "All cities: 200 of 300 records are gone (bound: 5%)",
      "YORK: 200 of 200 records are gone (bound: 5%)",
    ]);
  });

  test("that were merged stay reachable and do not count", () => {
    expect(judgeRelease(guelph, next(guelph, lose(30)), BOUNDS, () => true)).toEqual([]);
  });

  test("never hold with the bound 100", () => {
    expect(
      texts(
        guelph,
        next(guelph, () => undefined),
        { recordsGone: 100 },
      ),
    ).toEqual([]);
  });

  test("are judged by number alone where another version made the release", () => {
    expect(judgeGone({ moved: 30, of: 100 }, BOUNDS).map(({ text }) => text)).toEqual([
      "All cities: 30 of 100 records are gone (bound: 5%)",
    ]);
  });
});

describe("what an erasure took out", () => {
  const halved = (was: RecordFigures) => ({ ...was, raw: was.raw / 2, rank: null, isEligible: false });

  test("counts in no bound where the earlier release still has the rows", () => {
    const erased = (was: RecordFigures, at: number) => ({ ...was, isErased: at < 70 });
    const before = next(guelph, erased, { days: 0 });
    expect(
      texts(
        guelph,
        next(guelph, (was, at) => (at < 70 ? undefined : was)),
      ),
    ).toHaveLength(1);
    expect(
      texts(
        before,
        next(guelph, (was, at) => (at < 70 ? undefined : was)),
      ),
    ).toEqual([]);
    expect(
      texts(
        before,
        next(guelph, (was, at) => (at < 70 ? halved(was) : was)),
      ),
    ).toEqual([]);
  });

  test("counts in no bound after a patch release, which kept the scores", () => {
    const changed = (was: RecordFigures, at: number) => (at < 70 ? halved(was) : was);
    const after = next(guelph, changed);
    const cells = {
      coverage: coverage({ level: "low", cells: 0, history: [{ day: "2026-05-17", cells: 0 }] }),
    };
    const without = { ...after, cities: after.cities.map((each) => ({ ...each, ...cells })) };
    expect(texts(guelph, without).length).toBeGreaterThan(2);
    const patched = release([city("guelph", 100, { erasedRows: 70 })]);
    expect(texts(patched, without)).toEqual([]);
  });
});

describe("scores", () => {
  test("that moved beyond ageing hold, in either direction", () => {
    for (const points of [-20, 20])
      expect(
        texts(
          guelph,
          next(guelph, (was, at) => ({ ...was, raw: was.raw + (at < 60 ? points : 0) })),
        )[0],
      ).toBe("GUELPH: 60 of 100 records have a score that moved by more than 10 points (bound: 50%)");
  });

  test("that only aged do not hold: a little each day, or with observations that leave the window", () => {
    expect(
      texts(
        guelph,
        next(guelph, (was) => ({ ...was, raw: was.raw - 35 }), { days: 90 }),
      ),
    ).toEqual([]);
    const leaving = (was: RecordFigures) => ({ ...was, raw: 20, observers: 1, observations: 2, days: 1 });
    expect(texts(guelph, next(guelph, leaving))).toEqual([]);
    const lost = (was: RecordFigures) => ({ ...leaving(was), counting: 2, rank: null, isEligible: false });
    expect(texts(guelph, next(guelph, lost))).toHaveLength(2);
  });

  test("of another version of the methodology are not compared", () => {
    const after = next(guelph, (was) => ({ ...was, raw: 5, rank: 101 - (was.rank ?? 0) }), {
      scoreMethod: "s2",
    });
    expect(texts(guelph, after)).toEqual([]);
  });
});

describe("ranks", () => {
  test("that a wrong feed took hold, although no score moved", () => {
    const after = next(guelph, (was) => was);
    const flooded = after.cities.map((each) => ({
      ...each,
      records: [
        ...each.records,
        ...Array.from({ length: 40 }, (_, at) => record(at, { publicId: `x${at}`, raw: 99 })),
      ],
    }));
    expect(texts(guelph, { ...after, cities: flooded })).toEqual([
      "GUELPH: 100 of 100 ranked records lost their rank, or moved by more than 3 places and 10% of the ranking (bound: 50%)",
    ]);
  });

  test("that a wrong program took hold, although nothing else moved", () => {
    const after = next(guelph, (was) => ({ ...was, rank: null, isEligible: false }));
    expect(texts(guelph, after)[0]).toMatch(/^GUELPH: 100 of 100 ranked records lost their rank/);
  });

  test("that end because the others are too few do not hold", () => {
    expect(
      texts(
        guelph,
        next(guelph, (was) => ({ ...was, rank: null })),
      ),
    ).toEqual([]);
  });

  test("that change with age alone do not hold, however close the scores", () => {
    const before = next(guelph, (was, at) => ({ ...was, raw: 50 + at / 1000 }), { days: 0 });
    const after = next(before, (was, at) => ({ ...was, raw: was.raw - (at % 2) * 0.3 }));
    expect(texts(before, after)).toEqual([]);
  });
});

describe("coverage", () => {
  const withCells = (change: Partial<CityFigures["coverage"]>, at = { coverageMethod: "c1" }) =>
    release([city("guelph", 100, { coverage: coverage(change) })], { asOf: AS_OF + DAY_MS, ...at });

  test("that lost cells of a past week holds", () => {
    const fallen = withCells({ cells: 20, history: [{ day: "2026-05-17", cells: 20 }] });
    expect(texts(guelph, fallen)).toEqual([
      "GUELPH: 40 of 100 eligible cells came into the coverage or left it (bound: 30%)",
    ]);
    const otherMethod = withCells(
      { cells: 20, history: [{ day: "2026-05-17", cells: 20 }] },
      { coverageMethod: "c2" },
    );
    expect(texts(guelph, otherMethod)).toEqual([]);
  });

  test("that only aged does not hold; cells that come all at once do", () => {
    expect(texts(guelph, withCells({ cells: 0, level: "low" }))).toEqual([]);
    expect(texts(guelph, withCells({ cells: 95 }))).toHaveLength(1);
  });

  test("levels of several cities hold", () => {
    const cities = ["a", "b", "c", "d"].map((slug) => city(slug, 20));
    const low = cities.map((each) => ({ ...each, coverage: coverage({ level: "low", isReviewed: false }) }));
    expect(texts(release(cities), release(low))).toEqual([
      "All cities: 4 of 4 cities have another coverage level (bound: 30%)",
    ]);
  });
});

test("cities that are new, and records that are new, hold nothing", () => {
  const grown = release([city("guelph", 100), city("york", 500)]);
  expect(texts(guelph, grown)).toEqual([]);
  expect(texts(release([]), grown)).toEqual([]);
});
