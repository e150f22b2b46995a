import { describe, expect, test } from "vitest";
import { AS_OF, TODAY } from "../../../tests/support/method/facts.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { type SeededRandom, seededRandom } from "../../kernel/seeded.ts";
import { PARAMETERS } from "../numbers.ts";
import { wilsonInterval } from "../standing/verification.ts";
import {
  allowsHigh,
  drawRevisit,
  isDrawOf,
  measure,
  REVISITED_TYPES,
  type RevisitedType,
  type SharesByType,
  type SignShare,
  type VisitedAsset,
  type VisitedCell,
  type Visits,
} from "./measurement.ts";

describe("draw revisit", () => {
  const SEAL = "a".repeat(64);
  const frame = {
    assets: Array.from({ length: 500 }, (_, at) => at + 1),
    cells: Array.from({ length: 90 }, (_, at) => `cell ${at}`),
  };
  const SIZES = { assets: 40, cells: 12 };
  const plan = drawRevisit(frame, SEAL, SIZES);

  test("the smallest hashes of seal and row, as anyone can compute them", () => {
    const byHand = frame.assets
      .map((row) => [sha256Hex(`${SEAL}:revisit:asset:${row}`), row] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, 40)
      .map(([, row]) => row)
      .sort((a, b) => a - b);
    expect(plan.assets).toEqual(byHand);
    expect(plan.cells).toHaveLength(12);
    expect(new Set(plan.cells).size).toBe(12);
  });

  test("neither the order of the frame nor the size of the draw changes a place in it", () => {
    const reversed = { assets: frame.assets.toReversed(), cells: frame.cells.toReversed() };
    expect(drawRevisit(reversed, SEAL, SIZES)).toEqual(plan);
    const more = drawRevisit(frame, SEAL, { assets: 60, cells: 20 });
    expect(more.assets).toEqual(expect.arrayContaining([...plan.assets]));
    expect(more.cells).toEqual(expect.arrayContaining([...plan.cells]));
  });

  test("another seal draws others; a frame smaller than the draw is drawn whole", () => {
    expect(drawRevisit(frame, "b".repeat(64), SIZES)).not.toEqual(plan);
    expect(drawRevisit(frame, SEAL, { assets: 1000, cells: 1000 })).toEqual({
      assets: frame.assets,
      cells: frame.cells.toSorted(),
    });
  });

  test("a plan that follows from its seal is told from one that somebody chose", () => {
    expect(isDrawOf(plan, SEAL, frame)).toBe(true);
    const other = frame.assets.find((row) => !plan.assets.includes(row)) ?? 0;
    const swapped = [...plan.assets.slice(1), other].sort((a, b) => a - b);
    expect(isDrawOf({ ...plan, assets: swapped }, SEAL, frame)).toBe(false);
    expect(isDrawOf({ ...plan, cells: [...plan.cells.slice(1), "cell x"] }, SEAL, frame)).toBe(false);
    expect(isDrawOf(plan, "b".repeat(64), frame)).toBe(false);
  });

  test("what an erasure took out of the frame is passed over", () => {
    const [gone = 0] = plan.assets;
    expect(isDrawOf(plan, SEAL, { ...frame, assets: frame.assets.filter((row) => row !== gone) })).toBe(true);
  });
});

describe("measurement", () => {
  const visits = (changes: Partial<Visits> = {}): Visits => ({
    firstDay: TODAY - 10,
    lastDay: TODAY - 5,
    assets: [],
    cells: [],
    ...changes,
  });
  const assets = (count: number, found: boolean | null, assetType: RevisitedType = "storefront") =>
    Array.from({ length: count }, (): VisitedAsset => ({ assetType, found }));
  const cells = (count: number, found: number, matched: number): VisitedCell[] =>
    Array.from({ length: count }, () => ({
      reached: true,
      signs: [{ assetType: "storefront", found, matched }],
    }));
  const unreached = (count: number): VisitedCell[] =>
    Array.from({ length: count }, () => ({ reached: false, signs: [] }));

  test("precision by hand: what was found of what was visited", () => {
    const drawn = [
      ...assets(45, true),
      ...assets(5, false),
      ...assets(8, null),
      ...assets(2, true, "billboard"),
    ];
    const { precision, assetsDrawn, assetsVisited } = measure(visits({ assets: drawn }));
    expect([assetsDrawn, assetsVisited]).toEqual([60, 52]);
    expect(precision.total).toMatchObject({ hits: 47, signs: 52, value: 0.9038, unknown: null });
    expect(precision.byType.storefront).toMatchObject({ hits: 45, signs: 50, value: 0.9 });
    expect(precision.byType.storefront.interval).toEqual({ low: 0.7818, high: 0.9668 }); // Clopper and Pearson
    expect(precision.byType.billboard).toMatchObject({ hits: 2, signs: 2, value: null, interval: null });
  });

  test("detection by hand: what was listed of what was found", () => {
    const { detection, cellsVisited } = measure(visits({ cells: [...cells(10, 4, 3), ...cells(10, 2, 1)] }));
    expect(cellsVisited).toBe(20);
    expect(detection.total).toMatchObject({ hits: 40, signs: 60, value: 0.6667, unknown: null });
    expect(detection.byType.site_sign).toMatchObject({ signs: 0, value: null, unknown: "too_few_signs" });
  });

  test("too few visits: the shares are not known, and it says why", () => {
    expect(measure(visits()).precision.total.unknown).toBe("too_few_signs");
    expect(measure(visits({ assets: assets(29, true) })).precision.total.unknown).toBe("too_few_signs");
    expect(measure(visits({ assets: assets(30, true) })).precision.total.value).toBe(1);
    expect(measure(visits({ cells: cells(14, 9, 9) })).detection.total.unknown).toBe("too_few_cells");
    expect(measure(visits({ cells: cells(15, 9, 9) })).detection.total.value).toBe(1);
    expect(measure(visits({ cells: cells(15, 1, 1) })).detection.total.unknown).toBe("too_few_signs");
  });

  test("who leaves out more than a fifth of what was drawn measures nothing", () => {
    const missed = (count: number) =>
      measure(visits({ assets: [...assets(80, true), ...assets(count, null)] }));
    expect(missed(20).precision.total.unknown).toBeNull();
    expect(missed(21).precision.total.unknown).toBe("too_few_reached");
    const closed = (count: number) => measure(visits({ cells: [...cells(20, 5, 4), ...unreached(count)] }));
    expect(closed(5).detection.total.unknown).toBeNull();
    expect(closed(6).detection.total.unknown).toBe("too_few_reached");
  });

  test("the level high needs a known rate, above the bound, and a recent measurement", () => {
    const rate = (matched: number, firstDay = TODAY) =>
      measure(visits({ firstDay, cells: cells(20, 10, matched) }));
    expect(allowsHigh(undefined, AS_OF)).toBe(false);
    expect(allowsHigh(measure(visits()), AS_OF)).toBe(false);
    expect(rate(5).detection.total.value).toBe(0.5); // not above the bound
    expect(allowsHigh(rate(5), AS_OF)).toBe(false);
    expect(rate(6).detection.total.interval?.low).toBeGreaterThan(PARAMETERS.coverage.highDetection);
    expect(allowsHigh(rate(6), AS_OF)).toBe(true);
    expect(allowsHigh(rate(6, TODAY - 365), AS_OF)).toBe(true);
    expect(allowsHigh(rate(6, TODAY - 366), AS_OF)).toBe(false);
  });

  /** A sign that is there, listed or not; and one that is listed, there or not. */
  interface Town {
    readonly cells: readonly {
      readonly name: string;
      readonly signs: readonly { type: RevisitedType; listed: boolean }[];
    }[];
    readonly listed: readonly { readonly type: RevisitedType; readonly there: boolean }[];
  }

  const TOWN_CELLS = 150;

  /** Streets differ: some are full of signs, some were observed well, and the two go together. */
  function simulatedTown(random: SeededRandom): Town {
    const cells = Array.from({ length: TOWN_CELLS }, (_, at) => {
      const busy = random();
      const known = 0.35 + 0.4 * busy + 0.5 * (random() - 0.5);
      const signs = Array.from({ length: Math.floor(1 + 50 * busy ** 2) }, () => ({
        type: pick(random, [0.7, 0.85]),
        listed: random() < known,
      }));
      return { name: `cell ${at}`, signs };
    });
    const there = cells.flatMap(({ signs }) => signs.filter(({ listed }) => listed));
    const gone = Array.from({ length: Math.floor(there.length / 9) }, () => pick(random, [0.4, 0.6]));
    return {
      cells,
      listed: [
        ...there.map(({ type }) => ({ type, there: true })),
        ...gone.map((type) => ({ type, there: false })),
      ],
    };
  }

  function pick(random: SeededRandom, bounds: readonly [number, number]): RevisitedType {
    const at = random();
    return at < bounds[0] ? "storefront" : at < bounds[1] ? "billboard" : "site_sign";
  }

  function visit(town: Town, run: number): Visits {
    const frame = { assets: town.listed.map((_, at) => at), cells: town.cells.map(({ name }) => name) };
    const plan = drawRevisit(frame, `seal ${run}`, PARAMETERS.revisit);
    const drawn = new Set(plan.cells);
    return visits({
      assets: plan.assets.flatMap((at) => {
        const asset = town.listed[at];
        return asset === undefined ? [] : [{ assetType: asset.type, found: asset.there }];
      }),
      cells: town.cells
        .filter(({ name }) => drawn.has(name))
        .map(({ signs }) => ({
          reached: true,
          signs: REVISITED_TYPES.map((assetType) => {
            const found = signs.filter(({ type }) => type === assetType);
            return { assetType, found: found.length, matched: found.filter(({ listed }) => listed).length };
          }),
        })),
    });
  }

  const RUNS = 1000;
  const MUST_HOLD = 935;
  const ALL = "all";
  type Group = RevisitedType | typeof ALL;
  const GROUPS: readonly Group[] = [ALL, ...REVISITED_TYPES];

  const sharesOf = ({ total, byType }: SharesByType, group: Group) => (group === ALL ? total : byType[group]);
  const isIn = (group: Group) => (sign: { readonly type: RevisitedType }) =>
    group === ALL || sign.type === group;
  const covers = ({ interval }: Pick<SignShare, "interval">, truth: number) =>
    interval !== null && interval.low <= truth && truth <= interval.high;

  /** The shares as somebody knows them who knows every sign. */
  function truthOf({ listed, cells }: Town, group: Group) {
    const signs = cells.flatMap((cell) => cell.signs).filter(isIn(group));
    const assets = listed.filter(isIn(group));
    return {
      precision: assets.filter(({ there }) => there).length / assets.length,
      detection: signs.filter((sign) => sign.listed).length / signs.length,
    };
  }

  test("in a town whose signs are known, the 95 % intervals cover the truth in at least 935 of 1,000 runs", () => {
    const town = simulatedTown(seededRandom(27));
    const runs = Array.from({ length: RUNS }, (_, run) => measure(visit(town, run)));
    for (const group of GROUPS) {
      for (const what of ["precision", "detection"] as const) {
        const truth = truthOf(town, group)[what];
        const known = runs.map((run) => sharesOf(run[what], group)).filter(({ unknown }) => unknown === null);
        const covered = known.filter((shares) => covers(shares, truth)).length;
        // Few signs of a type are drawn in some runs, which then claim nothing.
        expect(known.length, `${what} of ${group}`).toBeGreaterThan(group === ALL ? RUNS - 1 : RUNS / 4);
        expect(covered / known.length, `${what} of ${group}`).toBeGreaterThanOrEqual(MUST_HOLD / RUNS);
      }
    }
    // Why the signs of a cell are no independent trials: an interval that takes them for such misses the truth too often.
    const truth = truthOf(town, ALL).detection;
    const wilson = runs.map(({ detection: { total } }) => wilsonInterval(total.hits, total.signs));
    expect(wilson.filter((interval) => covers({ interval }, truth)).length).toBeLessThan(MUST_HOLD);
  });
});
