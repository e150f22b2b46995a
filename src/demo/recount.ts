import type { AssetRow, ObservationRow, RecordRow } from "../snapshot/rows.ts";

/** For tests: what the listed rows of a record, or of an asset, come to when only the accepted ones count. */
export function recount(rows: readonly ObservationRow[]) {
  const accepted = rows.filter(({ state }) => state !== "rejected");
  const times = accepted.map(({ observedAt }) => observedAt).sort((a, b) => a - b);
  return {
    observationCount: accepted.length,
    assetCount: new Set(accepted.map(({ asset }) => asset)).size,
    cellCount: new Set(accepted.map(({ cell }) => cell)).size,
    rowCount: rows.length,
    firstObserved: times[0] ?? null,
    lastObserved: times.at(-1) ?? null,
  };
}

/** The same members of a record as it is published. */
export function recordCounts(record: RecordRow): ReturnType<typeof recount> {
  const { observationCount, assetCount, cellCount, rowCount, firstObserved, lastObserved } = record;
  return { observationCount, assetCount, cellCount, rowCount, firstObserved, lastObserved };
}

/** Those that an asset has, too. */
export function assetCounts({
  observationCount,
  firstObserved,
  lastObserved,
}: AssetRow | ReturnType<typeof recount>) {
  return { observationCount, firstObserved, lastObserved };
}
