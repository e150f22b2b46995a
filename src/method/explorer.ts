import type { AssetType, ClaimState, ConfidenceLevel } from "../contract/enums.ts";
import { accepted } from "./citation.ts";
import { mean, PARAMETERS } from "./numbers.ts";
import type { Sighting } from "./types.ts";

/** Accepted sightings of one asset type of one record. */
export interface Footprint {
  readonly assetType: AssetType;
  readonly observations: number;
  readonly assets: number;
  readonly cells: readonly string[]; // distinct published cells, sorted
  readonly firstObserved: number;
  readonly lastObserved: number;
}

/** A footprint with the explorer's grouping and averaging values. Callers apply filters beforehand. */
export interface ExplorerEntry extends Footprint {
  readonly record: number;
  readonly city: string; // slug
  readonly coverageLevel: ConfidenceLevel;
  readonly industry: string | null;
  readonly claimState: ClaimState;
  readonly pps: number | null; // both are null unless the record is ranked
  readonly percentile: number | null;
}

/** One row of explorer.csv (interface 4.8). Averages cover ranked records and are null when too few would reveal a score. */
export type ExplorerRow = ReturnType<typeof rowOf>;

/** Returns one footprint per asset type of a record, sorted by type. */
export function footprints(sightings: readonly Sighting[]): Footprint[] {
  return [...Map.groupBy(accepted(sightings), ({ assetType }) => assetType)]
    .map(([assetType, seen]) => ({
      assetType,
      observations: seen.length,
      assets: new Set(seen.map(({ asset }) => asset)).size,
      cells: [...new Set(seen.map(({ cell }) => cell))].sort(),
      firstObserved: earliest(seen.map(({ observedAt }) => observedAt)),
      lastObserved: latest(seen.map(({ observedAt }) => observedAt)),
    }))
    .sort((a, b) => compareText(a.assetType, b.assetType));
}

/** Groups by city, industry, asset type and claim state. Most observations first; the key breaks ties. */
export function explorerRows(entries: readonly ExplorerEntry[]): ExplorerRow[] {
  const groups = [...Map.groupBy(entries, keyOf).values()];
  return inExplorerOrder(groups.flatMap((group) => (group[0] ? [rowOf(group[0], group)] : [])));
}

/** The rows of several cities in the order of `explorerRows`. */
export function inExplorerOrder<Row extends Keyed & Pick<ExplorerRow, "observations">>(
  rows: readonly Row[],
): Row[] {
  return rows
    .map((row) => ({ row, key: keyOf(row) }))
    .sort((a, b) => b.row.observations - a.row.observations || compareText(a.key, b.key))
    .map(({ row }) => row);
}

type Keyed = Pick<ExplorerEntry, "city" | "industry" | "assetType" | "claimState">;

function keyOf({ city, industry, assetType, claimState }: Keyed): string {
  return [city, industry ?? "", assetType, claimState].join("\u0000");
}

function rowOf(first: ExplorerEntry, group: readonly ExplorerEntry[]) {
  const { city, industry, assetType, claimState, coverageLevel } = first;
  return {
    city,
    industry,
    assetType,
    claimState,
    entities: new Set(group.map(({ record }) => record)).size,
    observations: total(group.map(({ observations }) => observations)),
    observedCells: new Set(group.flatMap(({ cells }) => cells)).size,
    coverageLevel,
    assets: total(group.map(({ assets }) => assets)),
    avgPps: average(group.map(({ pps }) => pps)),
    avgPercentile: average(group.map(({ percentile }) => percentile)),
    firstObserved: earliest(group.map(({ firstObserved }) => firstObserved)),
    lastObserved: latest(group.map(({ lastObserved }) => lastObserved)),
  };
}

function average(values: readonly (number | null)[]): number | null {
  const ranked = values.filter((value) => value !== null);
  return ranked.length < PARAMETERS.explorer.minimumRanked ? null : (mean(ranked) ?? null);
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function earliest(times: readonly number[]): number {
  return times.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}

function latest(times: readonly number[]): number {
  return times.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
