import { describe, expect, test } from "vitest";
import { city, nextDay, record, records, release } from "../../../tests/support/release/figures.ts";
import { distances, type RecordFigures, type ReleaseFigures } from "../figures/figures.ts";
import { judgeRelease } from "./judge-release.ts";

const ghent = release([city("ghent", records(100))]);
/** A row after the first release. */
const LATER = 100_500;

const texts = (
  before: ReleaseFigures,
  after: ReleaseFigures,
  strictness: "strict" | "normal" | "off" = "normal",
) => judgeRelease(before, after, strictness).map(({ text }) => text);

const lose = (count: number) => (was: RecordFigures, at: number) => (at < count ? undefined : was);
const unrank = (was: RecordFigures): RecordFigures => ({
  ...was,
  gate: "evidence_building",
  holds_until: null,
  rank: null,
});
const unrankFirst = (count: number) => (was: RecordFigures, at: number) => (at < count ? unrank(was) : was);

describe("a good night is not held", () => {
  test("of a growing city, five nights in a row, whatever its scores and ranks do", () => {
    let before = ghent;
    for (let night = 1; night <= 5; night += 1) {
      const grown = nextDay(before, (was, at) => ({
        ...was,
        raw: (was.raw * 7 + at) % 100,
        rank: 1 + ((at * 37) % 900),
      }));
      const [first] = grown.cities;
      if (first === undefined) throw new Error("no city");
      const after = {
        ...grown,
        cities: [{ ...first, records: [...first.records, ...records(90 * night, 1000 * night)] }],
      };
      expect(texts(before, after, "strict")).toEqual([]);
      before = after;
    }
  });

  test("of 300 reviews that reject, dissolve, merge and unrank", () => {
    const before = release([city("ghent", records(600))]);
    const decided = Array.from({ length: 300 }, (_, at) => at);
    const changes = decided.map((at): [number, number, string] => [
      LATER + at,
      10 * (at + 1) + (at % 10),
      "reject",
    ]);
    const reviewed = (was: RecordFigures, at: number) => {
      if (at < 100) return undefined;
      return at < 300
        ? { ...unrank(was), observations: was.observations.slice(0, 2), accepted: 2, counting: 2 }
        : was;
    };
    const after = nextDay(before, reviewed, { changes });
    const [first] = after.cities;
    if (first === undefined) throw new Error("no city");
    const coverage = {
      ...first.coverage,
      history: [{ day: "2026-05-17", cells: 5, tier: "building" as const }],
    };
    const darker = { ...after, cities: [{ ...first, coverage }] };
    expect(texts(before, darker, "strict")).toEqual([]);
    expect(texts(before, { ...darker, changes: [] })).toHaveLength(4);
  });

  test("that lost what was merged, erased or undone", () => {
    const merged =
      ghent.cities[0]?.records.slice(0, 30).map(({ id }): [string, string] => [id, "r0099"]) ?? [];
    expect(texts(ghent, nextDay(ghent, lose(30), { merged }), "strict")).toEqual([]);
    const withdrawn = Array.from({ length: 30 }, (_, at): [number, number] => [10 * (at + 1) + 4, LATER]);
    expect(texts(ghent, nextDay(ghent, lose(30), { withdrawn }), "strict")).toEqual([]);
    expect(texts(ghent, nextDay(ghent, unrankFirst(30), { withdrawn }), "strict")).toEqual([]);
    const changes = withdrawn.map(([row]): [number, number, string] => [LATER, row, "batch_undone"]);
    expect(texts(ghent, nextDay(ghent, lose(30), { changes }), "strict")).toEqual([]);
  });

  test("of a city that somebody took out of publication", () => {
    const two = release([
      city("ghent", records(100), { row: 7 }),
      city("york", records(50, 500), { row: 8 }),
    ]);
    const gone = { ...nextDay(two), cities: nextDay(two).cities.slice(0, 1) };
    expect(texts(two, gone)).toContain("YORK: 50 of 50 records are gone (bound: 5%)");
    expect(texts(two, { ...gone, changes: [[LATER, 8, "unpublish"]] }, "strict")).toEqual([]);
    expect(texts(two, { ...gone, changes: [[LATER, 8, "pause"]] })).not.toEqual([]);
  });

  test("whose records are too old to be eligible", () => {
    const old = nextDay(ghent, (was) => ({ ...was, holds_until: "2026-05-20" }), {});
    expect(texts(old, nextDay(old, unrank), "strict")).toEqual([]);
    const young = nextDay(ghent, (was) => ({ ...was, holds_until: "2026-05-21" }), {});
    expect(texts(young, nextDay(young, unrank))).toEqual([
      "GHENT: 100 of 100 eligible records are no longer eligible (bound: 10%)",
    ]);
  });

  test("of another version of the methodology, whatever it does to eligibility and coverage", () => {
    const after = nextDay(ghent, unrank, { methods: { score: "s2", coverage: "c2" } });
    const dark = after.cities.map((each) => ({
      ...each,
      coverage: { ...each.coverage, history: [{ day: "2026-05-17", cells: 0, tier: "none" as const }] },
    }));
    expect(texts(ghent, { ...after, cities: dark }, "strict")).toEqual([]);
    expect(
      texts(ghent, { ...nextDay(ghent, lose(30)), methods: { score: "s2", coverage: "c2" } }),
    ).toHaveLength(2);
  });

  test("before the first ranked release, and with STRICTNESS=off", () => {
    const unranked = nextDay(ghent, (was) => ({ ...was, rank: null }));
    expect(texts(unranked, nextDay(unranked, lose(60)), "strict")).toEqual([]);
    expect(texts(ghent, nextDay(ghent, lose(60)), "off")).toEqual([]);
  });

  test("after a patch release, which kept values of before the erasure", () => {
    const patched = release([city("ghent", records(100), { is_carried_over: true })], { withdrawn: [] });
    const withdrawn = Array.from({ length: 40 }, (_, at): [number, number] => [90_000 + at, LATER]);
    expect(texts(patched, nextDay(patched, unrankFirst(40), { withdrawn }))).toEqual([]);
    expect(texts(patched, nextDay(patched, unrankFirst(60), { withdrawn }))).toEqual([
      "GHENT: 20 of 100 eligible records are no longer eligible (bound: 10%)",
    ]);
  });
});

describe("a mistake is held", () => {
  test("a feed's loss of 30 % of a city's records", () => {
    expect(judgeRelease(ghent, nextDay(ghent, lose(30)), "normal")).toEqual([
      {
        bound: "records_gone",
        city: "ghent",
        moved: 30,
        of: 100,
        bound_percent: 5,
        text: "GHENT: 30 of 100 records are gone (bound: 5%)",
      },
      {
        bound: "observations_gone",
        city: "ghent",
        moved: 240,
        of: 800,
        bound_percent: 5,
        text: "GHENT: 240 of 800 observations are gone (bound: 5%)",
      },
    ]);
    expect(texts(ghent, nextDay(ghent, lose(5)))).toEqual([]);
    expect(texts(ghent, nextDay(ghent, lose(5)), "strict")).toHaveLength(2);
  });

  test("observations that are gone from records that stay, but not those that another record has now", () => {
    const halved = (was: RecordFigures) => ({
      ...was,
      observations: was.observations.slice(0, 4),
      accepted: 4,
      counting: 4,
    });
    const after = nextDay(ghent, halved);
    expect(texts(ghent, after)).toEqual(["GHENT: 400 of 800 observations are gone (bound: 5%)"]);
    const rows = Array.from({ length: 100 }, (_, at) =>
      [6, 7, 8, 9].map((more) => 10 * (at + 1) + more),
    ).flat();
    const [first] = after.cities;
    if (first === undefined) throw new Error("no city");
    const collected = record(9000, { observations: distances(rows) });
    expect(
      texts(ghent, { ...after, cities: [{ ...first, records: [...first.records, collected] }] }),
    ).toEqual([]);
  });

  test("a program's fault that drops eligibility, also where rules wrote rows about it", () => {
    const said = ["GHENT: 30 of 100 eligible records are no longer eligible (bound: 10%)"];
    expect(texts(ghent, nextDay(ghent, unrankFirst(30)))).toEqual(said);
    const changes = Array.from({ length: 100 }, (_, at): [number, number, string] => [
      LATER + at,
      10 * (at + 1) + 2,
      "recount",
    ]);
    expect(texts(ghent, nextDay(ghent, unrankFirst(30), { changes }))).toEqual(said);
  });

  test("coverage that has fallen in a week of the past, and a tier, but not what grew old", () => {
    const with_ = (history: { day: string; cells: number; tier: "building" | "seed" }[]) => {
      const after = nextDay(ghent);
      return {
        ...after,
        cities: after.cities.map((each) => ({ ...each, coverage: { ...each.coverage, cells: 1, history } })),
      };
    };
    expect(
      texts(
        ghent,
        with_([
          { day: "2026-05-17", cells: 60, tier: "building" },
          { day: "2026-05-24", cells: 1, tier: "building" },
        ]),
        "strict",
      ),
    ).toEqual([]);
    expect(texts(ghent, with_([{ day: "2026-05-17", cells: 40, tier: "building" }]))).toEqual([
      "GHENT: 20 of 60 cells that were looked at are no longer counted (bound: 10%)",
    ]);
    expect(texts(ghent, with_([{ day: "2026-05-17", cells: 60, tier: "seed" }]))).toEqual([
      "GHENT: 1 of 1 coverage tiers of a past week are lower (bound: 0%)",
    ]);
  });

  test("many small towns that each lose fewer than the least", () => {
    const hamlets = release(
      Array.from({ length: 9 }, (_, at) => city(`hamlet-${at}`, records(10, 100 * at + 1))),
    );
    expect(texts(hamlets, nextDay(hamlets, lose(3)))[0]).toBe(
      "All cities: 27 of 90 records are gone (bound: 5%)",
    );
    const one = release([city("hamlet", records(10))]);
    expect(texts(one, nextDay(one, lose(3)))).toEqual([]);
  });

  test("in a format of another version, as far as both say it", () => {
    const after = { ...nextDay(ghent, lose(30)), version: 2 };
    expect(texts(ghent, after)).toHaveLength(2);
    expect(texts(ghent, { ...nextDay(ghent, unrank), version: 2 })).toEqual([]);
  });
});
