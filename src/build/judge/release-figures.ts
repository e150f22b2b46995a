/** The figures of a release that the bounds compare: plain data, read from its snapshot and its files. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { ConfidenceLevel } from "../../contract/enums.ts";
import { hasErrorCode } from "../../kernel/errors.ts";
import { releasePaths } from "../../kernel/home.ts";
import type { CityRow } from "../../snapshot/rows.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";

export interface ReleaseFigures {
  readonly asOf: number; // ms
  /** Versions of the methodology that made the values; null where the release has none of them. */
  readonly scoreMethod: string | null;
  readonly coverageMethod: string | null;
  readonly cities: readonly CityFigures[];
}

export interface CityFigures {
  readonly slug: string;
  readonly name: string;
  /** Rows erased since the values were computed, in a city whose values a patch release carried over; 0 elsewhere. */
  readonly erasedRows: number;
  readonly records: readonly RecordFigures[]; // listed ones
  readonly coverage: CoverageFigures;
}

export interface RecordFigures {
  readonly publicId: string;
  /** Whether the other release lacks rows of it because they were erased: then nothing about it counts. */
  readonly isErased: boolean;
  readonly raw: number; // 0..100
  readonly rank: number | null;
  readonly isEligible: boolean;
  readonly counting: number; // observations of any age that count
  readonly observers: number; // these three cover the window of the score
  readonly observations: number;
  readonly days: number;
}

export interface CoverageFigures {
  readonly level: ConfidenceLevel;
  readonly isReviewed: boolean;
  readonly eligibleCells: number;
  readonly cells: number; // eligible cells looked at in the last 90 days
  readonly history: readonly { readonly day: string; readonly cells: number }[]; // by week, oldest first
}

/** What was erased between the two releases, as the earlier one shows it. */
export interface Erased {
  readonly rows: number;
  readonly records: ReadonlySet<string>; // public ids
}

/** The figures of a release in `directory`, whose snapshot is open. */
export function releaseFigures(snapshot: Snapshot, directory: string, erased: Erased): ReleaseFigures {
  const { site } = releasePaths(directory);
  return {
    asOf: snapshot.release().asOf,
    scoreMethod: methodIn(join(site, "api/v1/presence-score"), ScoreMethod),
    coverageMethod: methodIn(join(site, "api/v1/coverage-status"), CoverageMethod),
    cities: snapshot.cities().map((city) => cityFigures(snapshot, city, erased)),
  };
}

function cityFigures(snapshot: Snapshot, city: CityRow, erased: Erased): CityFigures {
  return {
    slug: city.slug,
    name: city.name,
    erasedRows: city.carriedOverAt === null ? 0 : erased.rows,
    records: snapshot.listedOf(city.slug).map(({ publicId, standing, observationCount, setAsideCount }) => ({
      publicId,
      isErased: erased.records.has(publicId),
      raw: standing.score.raw,
      rank: standing.rank,
      isEligible: standing.gate.status === "eligible",
      counting: observationCount - setAsideCount,
      observers: standing.observers,
      observations: standing.observations,
      days: standing.days,
    })),
    coverage: coverageFigures(city),
  };
}

function coverageFigures({ coverage, denominatorReviewed }: CityRow): CoverageFigures {
  const { level, metrics, history } = coverage;
  return {
    level,
    isReviewed: denominatorReviewed,
    eligibleCells: metrics.eligible_coverage_cells,
    cells: metrics.observed_eligible_cells_90d,
    history: history.map(({ day, observed_eligible_cells_90d: cells }) => ({ day, cells })),
  };
}

const ScoreMethod = z
  .looseObject({
    components: z.looseObject({ methodology_version: z.string() }),
    ranking_gate: z.looseObject({ methodology_version: z.string(), independence_version: z.string() }),
  })
  .transform(({ components, ranking_gate: gate }) =>
    [components.methodology_version, gate.methodology_version, gate.independence_version].join(" "),
  );
const CoverageMethod = z
  .looseObject({ coverage: z.looseObject({ methodology_version: z.string() }) })
  .transform(({ coverage }) => coverage.methodology_version);

/** The versions that the first document of a folder states. */
function methodIn(folder: string, method: z.ZodType<string>): string | null {
  const [first] = namesIn(folder);
  if (first === undefined) return null;
  return method.safeParse(JSON.parse(readFileSync(join(folder, first), "utf8"))).data ?? null;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .sort();
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return [];
    throw error;
  }
}
