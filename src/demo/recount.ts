import type { AssetRow, ObservationRow, RecordRow } from "../snapshot/rows.ts";

/** For tests: the counts of a record's or asset's listed rows: of the accepted ones, dated by those of them that count. */
export function recount(rows: readonly ObservationRow[]) {
  const accepted = rows.filter(({ state }) => state !== "rejected");
  const counting = accepted.filter(({ setAside }) => setAside === null);
  const dating = counting.length > 0 ? counting : accepted;
  const times = dating.map(({ observedAt }) => observedAt).sort((a, b) => a - b);
  return {
    observationCount: accepted.length,
    assetCount: new Set(accepted.map(({ asset }) => asset)).size,
    cellCount: new Set(accepted.filter(({ isMobile }) => !isMobile).map(({ cell }) => cell)).size,
    rowCount: rows.length,
    firstObserved: times[0] ?? null,
    lastObserved: times.at(-1) ?? null,
  };
}

/** The same counts of a published record. */
export function recordCounts(record: RecordRow): ReturnType<typeof recount> {
  const { observationCount, assetCount, cellCount, rowCount, firstObserved, lastObserved } = record;
  return { observationCount, assetCount, cellCount, rowCount, firstObserved, lastObserved };
}

/** The counts that an asset has, too. */
export function assetCounts({
  observationCount,
  firstObserved,
  lastObserved,
}: AssetRow | ReturnType<typeof recount>) {
  return { observationCount, firstObserved, lastObserved };
}
