import type { AssetState } from "../../ledger/decisions/ledger-state.ts";
import { accepted, datingEvidence } from "../../method/citation.ts";
import type { AsOf } from "../../method/numbers.ts";
import { assetStatus, type JudgedSighting, legibilityScore } from "../../method/types.ts";
import type { AssetRow } from "../rows.ts";

/** The row of an asset from its listed sightings. `legibilityOf` takes a sighting's ledger row. */
export function assetRow(
  { id, body, retirements }: AssetState,
  seen: readonly JudgedSighting[],
  legibilityOf: (row: number) => number | null,
  asOf: AsOf,
): AssetRow {
  const counted = accepted(seen);
  const dating = datingEvidence(seen);
  const { first, last } = observedSpan(dating);
  return {
    id,
    publicId: body.public_id,
    assetType: body.asset_type,
    isMobile: body.is_mobile,
    legibility: legibilityScore(counted.map((sighting) => legibilityOf(sighting.id))),
    firstObserved: first,
    lastObserved: last,
    status: assetStatus(
      {
        assetType: body.asset_type,
        lastDay: dating.length === 0 ? undefined : latestDay(dating),
        retired: retirements.at(-1)?.retired ?? false,
      },
      asOf,
    ),
    observationCount: counted.length,
    setAsideCount: counted.filter(({ setAside }) => setAside !== null).length,
  };
}

/** A loop, because an asset can have more sightings than `Math.min` can have arguments. */
export function observedSpan(seen: readonly JudgedSighting[]): { first: number | null; last: number | null } {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { observedAt } of seen) {
    if (observedAt < first) first = observedAt;
    if (observedAt > last) last = observedAt;
  }
  return seen.length === 0 ? { first: null, last: null } : { first, last };
}

function latestDay(seen: readonly JudgedSighting[]): number {
  return seen.reduce((latest, { day }) => Math.max(latest, day), Number.NEGATIVE_INFINITY);
}
