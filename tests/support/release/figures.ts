/** Figures of invented releases. */
import {
  type CityFigures,
  distances,
  type RecordFigures,
  type ReleaseFigures,
} from "../../../src/build/figures/figures.ts";

const DIGEST = "0000000000000000";
const ROWS_A_RECORD = 10;

/** An eligible, ranked record of eight observations that count. Its rows are from 10 times `at`, its own first. */
export function record(at: number, change: Partial<RecordFigures> = {}): RecordFigures {
  const row = ROWS_A_RECORD * at;
  return {
    id: `r${String(at).padStart(4, "0")}`,
    row,
    name: `Business ${at}`,
    industry: "I",
    status: "unclaimed",
    gate: "eligible",
    holds_until: "2026-12-31",
    rank: at,
    raw: 90 - at / 100,
    assets: [row + 1],
    observations: distances([2, 3, 4, 5, 6, 7, 8, 9].map((more) => row + more)),
    accepted: 8,
    counting: 8,
    digests: { evidence: DIGEST, status: DIGEST, identity: DIGEST, score: DIGEST },
    ...change,
  };
}

export function city(
  slug: string,
  records: readonly RecordFigures[],
  change: Partial<CityFigures> = {},
): CityFigures {
  return {
    city: slug,
    row: 1,
    name: slug.toUpperCase(),
    day: "2026-05-20",
    is_carried_over: false,
    coverage: {
      level: "medium",
      eligible_cells: 100,
      cells: 60,
      history: [
        { day: "2026-05-10", cells: 58, tier: "building" },
        { day: "2026-05-17", cells: 60, tier: "building" },
      ],
    },
    records: [...records],
    ...change,
  };
}

/** `count` records, the first at `from`. */
export function records(count: number, from = 1): RecordFigures[] {
  return Array.from({ length: count }, (_, at) => record(from + at));
}

export function release(
  cities: readonly CityFigures[],
  change: Partial<ReleaseFigures> = {},
): ReleaseFigures {
  return {
    format: "release-figures",
    version: 1,
    release_id: "a",
    data_as_of: "2026-05-20T12:00:00Z",
    last_sealed_row: 100_000,
    methods: { score: "s1", coverage: "c1" },
    merged: [],
    withdrawn: [],
    changes: [],
    cities,
    ...change,
  };
}

/** The release of the next day, with the records as `change` makes them; undefined: gone. */
export function nextDay(
  before: ReleaseFigures,
  change: (record: RecordFigures, at: number) => RecordFigures | undefined = (record) => record,
  more: Partial<ReleaseFigures> = {},
): ReleaseFigures {
  return {
    ...before,
    release_id: "b",
    data_as_of: "2026-05-21T12:00:00Z",
    last_sealed_row: before.last_sealed_row + 1000,
    cities: before.cities.map((each) => ({
      ...each,
      day: "2026-05-21",
      records: each.records.flatMap((was, at) => change(was, at) ?? []),
    })),
    ...more,
  };
}
