import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AS_OF, anySightings, CELLS, sighting, TODAY } from "../../../tests/support/method/facts.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { dateOfDay, endOfDay } from "../numbers.ts";
import { weekEnds } from "../record-track.ts";
import { isIndependent } from "../standing/counting.ts";
import type { LookRow, Sighting } from "../types.ts";
import { type CoverageInput, cellCounts, cityCoverage } from "./coverage.ts";
import type { CoverageSighting } from "./coverage-window.ts";

describe("coverage", () => {
  /** Week rows of the last year over some cells. */
  const anyWeeks = fc
    .array(fc.record({ back: fc.nat({ max: 52 }), cells: fc.subarray([...CELLS]) }), { maxLength: 8 })
    .map((drawn) =>
      drawn.map(({ back, cells: looked }): LookRow => {
        const last = TODAY - 5 - 7 * back;
        return { span: "week", first: last - 6, last, publishedAt: (last + 8) * DAY_MS, cells: looked };
      }),
    );

  const cellNames = (count: number) => Array.from({ length: count }, (_, index) => `cell ${index}`);

  type Seen = CoverageSighting & Pick<Sighting, "observer">;

  /** As a scout's number, the code of the tag's first letter: the same observer in every record. */
  const scoutOf = ({ source, observer }: Pick<Seen, "source" | "observer">) =>
    source === "scout" ? observer.charCodeAt(0) : undefined;

  const seen = (age: number, changes: Partial<Seen> = {}): Seen => {
    const plain = sighting(age, changes);
    return { ...plain, record: 1, scout: scoutOf(plain), ...changes };
  };

  const coverage = (sightings: readonly CoverageSighting[], changes: Partial<CoverageInput> = {}) =>
    cityCoverage({
      sightings,
      looks: [],
      cells: cellNames(40),
      denominatorReviewed: true,
      registeredDay: TODAY - 400,
      asOf: AS_OF,
      ...changes,
    });

  /** Sightings of `cells` cells by three scouts of one record, all of `age`, `times` times over. */
  const sweep = (age: number, cells: number, times = 1) =>
    Array.from({ length: times }, () =>
      cellNames(cells).flatMap((cell) => ["a", "b", "c"].map((observer) => seen(age, { cell, observer }))),
    ).flat();

  test("a city without any sighting", () => {
    const { tier, level, freshness, tierSince, metrics, denseGate } = coverage([]);
    expect([tier, level, freshness, tierSince]).toEqual(["none", "none", "stale", dateOfDay(TODAY - 400)]);
    expect(Object.values(metrics).filter((value) => value !== 0)).toEqual([40]); // the denominator
    expect(denseGate.missing_requirements).toEqual(["eligible_cell_coverage", "independent_scouts"]);
  });

  test("a city without eligible cells divides by nothing", () => {
    const { metrics, denseGate, level } = coverage([seen(0)], { cells: [] });
    expect(metrics.cell_coverage_ratio_90d).toBe(0);
    expect(denseGate).toMatchObject({ available: false, eligible: false });
    expect(level).toBe("low");
  });

  test("all metrics by hand", () => {
    const { metrics } = coverage(
      [
        seen(0, { record: 1, asset: 1, cell: "cell 0" }),
        seen(0, { record: 1, asset: 1, cell: "cell 0" }), // the same visit again
        seen(44, { record: 1, asset: 1, cell: "cell 1", observer: "b" }),
        seen(45, { record: 2, asset: 2, cell: "cell 2", source: "fleet_cam" }),
        seen(89, { record: 2, asset: 2, cell: "outside", observer: "c" }),
        seen(90, { record: 3, asset: 3, cell: "cell 3", source: "fleet_cam" }),
        seen(10, { record: 3, asset: 4, cell: "coarse", fine: false, source: "telematics_api" }),
        seen(179, { record: 4, asset: 5, source: "seed_survey" }),
        seen(180, { record: 5, asset: 6 }), // too old for every metric
        seen(1, { record: 6, asset: 7, verdict: "rejected" }),
        seen(-1, { record: 7, asset: 8 }), // later than as_of
      ],
      { cells: cellNames(10) },
    );
    expect(metrics).toEqual({
      physical_citations_180d: 8,
      unique_entities_180d: 4, // records 1 to 4
      unique_assets_180d: 5,
      observed_cells_90d: 4, // cells 0, 1, 2 and the one outside
      observed_eligible_cells_90d: 3,
      eligible_coverage_cells: 10,
      cell_coverage_ratio_90d: 0.3,
      repeated_eligible_cells_90d: 0,
      repeated_cell_ratio_90d: 0,
      independent_scout_observers_180d: 3, // a and b of record 1, c of record 2
      independent_scout_observations_180d: 3, // a day 0, b day 44, c day 89
      independent_scout_days_180d: 3,
      repeat_entity_rate_180d: 0.75, // records 1, 2 and 3 of four
      active_observation_days_30d: 2, // today and 10 days ago
      fresh_cell_rate_45d: 0.5, // cells 0 and 1 of four
      source_family_count_180d: 4,
      largest_source_family_share_180d: 0.5, // 4 of 8 by scouts
    });
  });

  test("tiers: none, seed, building", () => {
    expect(coverage(sweep(180, 20)).tier).toBe("none");
    expect(coverage(sweep(0, 16)).tier).toBe("seed"); // 48 citations
    expect(coverage(sweep(0, 17)).tier).toBe("building"); // 51 citations
    expect(coverage(sweep(0, 9, 5)).tier).toBe("seed"); // 135 citations in 9 cells
    expect(coverage(sweep(0, 9, 5), { cells: cellNames(36) }).tier).toBe("building"); // a quarter of 36 is 9
  });

  test("dense asks for the gate 7 days running", () => {
    const six = coverage(sweep(5, 20));
    expect(six.tier).toBe("building");
    expect(six.denseGate).toMatchObject({
      pass_streak_days: 6,
      eligible: true,
      available: false,
      missing_requirements: [],
    });
    const seven = coverage(sweep(6, 20));
    expect([seven.tier, seven.tierSince]).toEqual(["dense", dateOfDay(TODAY)]);
    expect(seven.denseGate).toMatchObject({
      pass_streak_days: 7,
      eligible: true,
      available: true,
      missing_requirements: [],
    });
    expect(coverage(sweep(20, 20)).tierSince).toBe(dateOfDay(TODAY - 14));
  });

  test("what does not count is a citation, and lifts neither tier nor cells, level or freshness", () => {
    const newcomers = sweep(1, 20, 3).map((each) => ({ ...each, setAside: "private_trace" as const }));
    const { tier, level, freshness, metrics, message } = coverage(newcomers);
    expect({ tier, level, freshness }).toEqual({ tier: "none", level: "none", freshness: "stale" });
    expect(metrics).toMatchObject({ physical_citations_180d: newcomers.length, observed_cells_90d: 0 });
    expect(message).toContain("No sighting of the last 180 days counts as independent evidence.");
  });

  test("the streak breaks on the day the cells leave their window", () => {
    expect(coverage(sweep(89, 20)).denseGate.pass_streak_days).toBe(90);
    const over = coverage(sweep(90, 20));
    expect([over.tier, over.denseGate.pass_streak_days]).toEqual(["seed", 0]); // no cell in 90 days
    expect(over.tierSince).toBe(dateOfDay(TODAY));
  });

  test("a scout's old visit leaving the window does not take away the scout", () => {
    expect(coverage([...sweep(10, 20), seen(185)]).denseGate.pass_streak_days).toBe(11);
  });

  test("each requirement of the dense gate", () => {
    expect(coverage(sweep(9, 20), { denominatorReviewed: false }).denseGate).toMatchObject({
      available: false,
      missing_requirements: ["reviewed_denominator"],
    });
    expect(coverage(sweep(9, 11, 2)).denseGate.missing_requirements).toEqual(["eligible_cell_coverage"]); // 27.5 %
    expect(coverage(sweep(9, 12, 2)).denseGate.eligible).toBe(true); // 30 %
    const twoScouts = sweep(9, 20).filter(({ observer }) => observer !== "c");
    expect(coverage(twoScouts).denseGate.requirements[2]).toEqual({
      key: "independent_scouts",
      met: false,
      current: 2,
      required: 3,
    });
  });

  /** A week row that names the first so many cells; its Sunday is `age` days ago (TODAY is a Friday). */
  const week = (age: number, cells: number): LookRow => ({
    span: "week",
    first: TODAY - age - 6,
    last: TODAY - age,
    publishedAt: (TODAY - age + 8) * DAY_MS,
    cells: cellNames(cells),
  });

  test("a cell looked at counts as one with a find, and no day of a week but a whole one", () => {
    const metrics = (looks: readonly LookRow[]) => coverage([], { looks }).metrics;
    const counted = (looks: readonly LookRow[]) => {
      const { observed_cells_90d, observed_eligible_cells_90d, fresh_cell_rate_45d } = metrics(looks);
      return [observed_cells_90d, observed_eligible_cells_90d, fresh_cell_rate_45d];
    };
    expect(counted([week(5, 12)])).toEqual([12, 12, 1]);
    expect(counted([week(82, 12), week(5, 6)])).toEqual([12, 12, 0.5]); // began 88 days ago
    expect(counted([week(83, 12)])).toEqual([12, 12, 0]);
    expect(counted([week(84, 12)])).toEqual([0, 0, 0]); // began 90 days ago
    expect(counted([week(-2, 12)])).toEqual([0, 0, 0]); // not over
    expect(counted([{ ...week(5, 12), span: "month" }])).toEqual([0, 0, 0]);
    const { observed_cells_90d } = coverage([seen(3, { cell: "cell 39" })], { looks: [week(5, 12)] }).metrics;
    expect(observed_cells_90d).toBe(13);
  });

  test("repeated are cells looked at in two different weeks", () => {
    const repeated = (looks: readonly LookRow[], sightings: readonly CoverageSighting[] = []) =>
      coverage(sightings, { looks }).metrics.repeated_eligible_cells_90d;
    expect(repeated([week(5, 12), week(12, 8)])).toBe(8);
    expect(repeated([week(5, 12)], [seen(5, { cell: "cell 0" }), seen(6, { cell: "cell 1" })])).toBe(0);
    expect(repeated([week(5, 12)], [seen(4, { cell: "cell 0" })])).toBe(1); // the Monday after
  });

  test("levels by share of the cells looked at again, and by tier", () => {
    const level = (cells: number, changes: Partial<CoverageInput> = {}) =>
      coverage([...sweep(9, cells, 5), ...sweep(30, cells, 5)], { highAllowed: true, ...changes }).level;
    expect([level(4), level(11), level(12), level(23), level(24)]).toEqual([
      "low", // 10 %
      "low",
      "medium", // 30 %
      "medium",
      "high", // 60 %
    ]);
    expect(level(24, { denominatorReviewed: false })).toBe("low");
    expect(level(40, { highAllowed: false })).toBe("medium"); // no measurement says how much is missed
    expect(coverage(sweep(9, 40, 5)).level).toBe("low"); // once
    expect(coverage([...sweep(5, 24), ...sweep(4, 24)]).level).toBe("medium"); // not dense yet
  });

  test("weights count in the ratios and bounds, not in the numbers of cells", () => {
    const weights = cellNames(40).map((_, at) => (at < 4 ? 100 : 1)); // 436 in all
    const { metrics, denseGate, history } = coverage(sweep(9, 2, 20), { weights });
    expect(metrics).toMatchObject({
      observed_eligible_cells_90d: 2,
      eligible_coverage_cells: 40,
      cell_coverage_ratio_90d: 0.4587,
    });
    expect(denseGate.missing_requirements).toEqual([]);
    expect(history.at(-1)).toMatchObject({ observed_eligible_cells_90d: 2, cell_coverage_ratio_90d: 0.4587 });
  });

  test("freshness up to 14 and 45 days", () => {
    const freshness = (age: number) => coverage([seen(age)]).freshness;
    expect([14, 15, 45, 46].map(freshness)).toEqual(["current", "aging", "aging", "stale"]);
  });

  test("texts never word a missing match as proof", () => {
    expect(coverage([]).message).toContain("says nothing about what is there");
    for (const sightings of [[], sweep(5, 4), sweep(0, 20), sweep(9, 30)]) {
      const { message, label, limitations } = coverage(sightings);
      expect(`${message} ${label} ${limitations}`).not.toMatch(/closed|verified business|does not exist/i);
    }
    expect(coverage(sweep(0, 20)).message).toBe(
      "Coverage: growing (3 of 4). 60 sightings accepted in 180 days, 20 of 40 areas checked in 90 days.",
    );
  });

  test("the sweep finds the tier and its start as a walk over separate days does", () => {
    const city = fc.tuple(
      anySightings({ minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 5 }),
      anyWeeks,
    );
    fc.assert(
      fc.property(city, fc.integer({ min: 1, max: 4 }), ([drawn, copies, looks], cellCount) => {
        const used = [...new Set(drawn.map(({ cell }) => cell))].sort();
        const sightings = Array.from({ length: copies * 4 }, () =>
          drawn.map((each) => ({ ...each, record: each.asset, scout: scoutOf(each) })),
        ).flat();
        const registeredDay = TODAY - 30;
        const on = (day: number) =>
          coverage(sightings, {
            looks,
            cells: used.slice(0, cellCount),
            registeredDay,
            asOf: endOfDay(day, AS_OF),
          });
        const today = endOfDay(TODAY, AS_OF);
        const now = coverage(sightings, {
          looks,
          cells: used.slice(0, cellCount),
          registeredDay,
          asOf: today,
        });
        let since = TODAY;
        const counting = drawn.filter(isIndependent);
        const first = Math.min(registeredDay, ...counting.map(({ day }) => day));
        while (since > first && on(since - 1).tier === now.tier) since -= 1;
        expect(now.tierSince).toBe(dateOfDay(since));
        let streak = 0;
        const passes = (day: number) => on(day).denseGate.requirements.every(({ met }) => met);
        while (streak < 500 && passes(TODAY - streak)) streak += 1;
        expect(now.denseGate.pass_streak_days).toBe(streak);
      }),
      { numRuns: 15 },
    );
  });

  test("the history has the last 26 Sundays, or those since the city began", () => {
    const days = weekEnds(AS_OF).map(dateOfDay);
    expect(coverage([], { registeredDay: TODAY - 400 }).history.map(({ day }) => day)).toEqual(days);
    const begun = TODAY - 30;
    const since = days.filter((day) => day >= dateOfDay(begun));
    expect(coverage([], { registeredDay: begun }).history.map(({ day }) => day)).toEqual(since);
    expect(coverage([seen(60)], { registeredDay: begun }).history[0]?.day).toBe(
      days.find((day) => day >= dateOfDay(TODAY - 60)),
    );
    expect(coverage([], { registeredDay: TODAY }).history).toEqual([]);
  });

  test("each point of the history is what the coverage of that Sunday was", () => {
    fc.assert(
      fc.property(
        anySightings({ maxLength: 60 }),
        fc.integer({ min: 0, max: 4 }),
        anyWeeks,
        (drawn, cellCount, looks) => {
          const cells = [...new Set(drawn.map(({ cell }) => cell))].sort().slice(0, cellCount);
          const sightings = [1, 2, 3].flatMap((record) =>
            drawn.map((each) => ({ ...each, record, scout: scoutOf(each) })),
          );
          const { history } = coverage(sightings, { cells, looks });
          for (const [at, sunday] of weekEnds(AS_OF).entries()) {
            const { tier, metrics } = coverage(sightings, { cells, looks, asOf: endOfDay(sunday, AS_OF) });
            expect(history[at]).toEqual({
              day: dateOfDay(sunday),
              observed_eligible_cells_90d: metrics.observed_eligible_cells_90d,
              cell_coverage_ratio_90d: metrics.cell_coverage_ratio_90d,
              tier,
            });
          }
        },
      ),
      { numRuns: 20 },
    );
  });

  test("nine thousand days and twenty thousand sightings are swept at once", () => {
    const long = Array.from({ length: 20_000 }, (_, index) =>
      seen(index % 9_000, { observedAt: (TODAY - 9_000) * DAY_MS }),
    );
    expect(coverage(long, { registeredDay: TODAY - 9_000 }).metrics.physical_citations_180d).toBe(540); // 180 days x 3
  });
});

describe("coverage cells", () => {
  const seen = (age: number, changes: Partial<CoverageSighting> = {}): CoverageSighting => ({
    ...sighting(age, changes),
    record: 1,
    scout: undefined,
    ...changes,
  });

  test("counts by hand: the window, the whole time, and what never counts", () => {
    const counts = cellCounts(
      [
        seen(0, { cell: "b", record: 1 }),
        seen(89, { cell: "b", record: 2 }),
        seen(90, { cell: "b", record: 3 }), // out of the 90 days
        seen(400, { cell: "a" }),
        seen(1, { cell: "b", record: 4, verdict: "rejected" }),
        seen(1, { cell: "only rejected", verdict: "rejected" }),
        seen(1, { cell: "wide", fine: false }),
        seen(-1, { cell: "later" }),
      ],
      [],
      AS_OF,
    );
    expect(counts).toEqual([
      {
        cell: "a",
        observations90d: 0,
        records90d: 0,
        observations: 1,
        lastObserved: (TODAY - 400) * DAY_MS,
        weeksLooked90d: 0,
        monthsLooked: 0,
      },
      {
        cell: "b",
        observations90d: 2,
        records90d: 2,
        observations: 3,
        lastObserved: TODAY * DAY_MS,
        weeksLooked90d: 2,
        monthsLooked: 0,
      },
    ]);
  });

  test("looks stand beside finds", () => {
    const row = (span: LookRow["span"], first: number, last: number, cells: string[]): LookRow => ({
      span,
      first: TODAY - first,
      last: TODAY - last,
      publishedAt: 0,
      cells,
    });
    const looks = [
      row("week", 11, 5, ["a", "b"]),
      row("week", 95, 89, ["a"]), // not wholly in the window
      row("month", 64, 34, ["a"]),
      row("month", 33, 4, ["a", "c"]),
      row("day", 10, 10, ["a"]),
    ];
    const counts = cellCounts([seen(20, { cell: "a" }), seen(8, { cell: "b" })], looks, AS_OF);
    expect(
      counts.map(({ cell, observations, weeksLooked90d, monthsLooked }) => [
        cell,
        observations,
        weeksLooked90d,
        monthsLooked,
      ]),
    ).toEqual([
      ["a", 1, 2, 2],
      ["b", 1, 1, 0],
      ["c", 0, 0, 1],
    ]);
  });

  test("what does not count is listed in its cell, and is no look at it", () => {
    const newcomer = { ...sighting(1, { setAside: "private_trace" }), record: 1, scout: undefined };
    expect(cellCounts([newcomer], [], AS_OF)).toMatchObject([{ observations: 1, weeksLooked90d: 0 }]);
  });

  test("the cells of the last 90 days are those that the coverage metrics count", () => {
    const inRecords = fc
      .array(anySightings(), { maxLength: 4 })
      .map((records) =>
        records.flatMap((sightings, record) =>
          sightings.map((each, at) => ({ ...each, record, scout: undefined, fine: at % 5 > 0 })),
        ),
      );
    fc.assert(
      fc.property(inRecords, fc.integer({ min: 0, max: 3 }), (sightings, eligibleCount) => {
        const cells = [...new Set(sightings.map(({ cell }) => cell))].sort().slice(0, eligibleCount);
        const { metrics } = cityCoverage({
          sightings,
          looks: [],
          cells,
          denominatorReviewed: true,
          registeredDay: TODAY,
          asOf: AS_OF,
        });
        const counts = cellCounts(sightings, [], AS_OF);
        const recent = counts.filter(({ weeksLooked90d }) => weeksLooked90d > 0);
        expect(recent).toHaveLength(metrics.observed_cells_90d);
        expect(recent.filter(({ cell }) => cells.includes(cell))).toHaveLength(
          metrics.observed_eligible_cells_90d,
        );
        for (const { records90d, observations90d, observations } of counts) {
          expect(records90d).toBeLessThanOrEqual(observations90d);
          expect(observations90d).toBeLessThanOrEqual(observations);
        }
      }),
    );
  });
});
