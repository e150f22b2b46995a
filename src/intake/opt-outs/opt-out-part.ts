/** One asset or one place of a record that stays: what an opt-out can be limited to. */
import { gridDisk, latLngToCell } from "h3-js";
import { OperatorError } from "../../kernel/errors.ts";
import type { LiveSighting } from "../../ledger/rows/live-rows.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import type { Scope } from "../erasure/cascade.ts";
import { isMobile } from "../matching/asset-kind.ts";
import { PLACE_RESOLUTION } from "../places/place.ts";

/** A public id, or a position; the place is its resolution-11 cell and the six around it, as in matching. */
export type OptOutPart =
  | { readonly asset: string }
  | { readonly place: { readonly lat: number; readonly lng: number } };

/** The rows that a part names: the asset, or the observations at the place. Throws OperatorError when there are none. */
export function partRows(
  part: OptOutPart,
  group: readonly number[],
  scope: Scope,
  { live }: LedgerWriter,
): number[] {
  return "asset" in part
    ? [assetRow(part.asset, group, scope, live.withPublicId(part.asset))]
    : rowsAt(part.place, group, scope);
}

function assetRow(
  publicId: string,
  group: readonly number[],
  { assets, sightings }: Scope,
  known: { readonly id: number; readonly kind: string } | undefined,
): number {
  if (known?.kind !== "asset")
    throw new OperatorError(`--asset ${publicId}: no asset has this public id, or it was erased already`);
  const owner = assets.get(known.id)?.record;
  const isSeen = sightings.some(({ body }) => body.asset === known.id && group.includes(body.record));
  if (isSeen || (owner !== undefined && group.includes(owner))) return known.id;
  throw new OperatorError(`--asset ${publicId}: it belongs to another record`);
}

function rowsAt(place: { lat: number; lng: number }, group: readonly number[], scope: Scope): number[] {
  const cells = new Set(gridDisk(latLngToCell(place.lat, place.lng, PLACE_RESOLUTION), 1));
  const rows = scope.sightings
    .filter(({ body }) => group.includes(body.record))
    .filter((sighting) => cells.has(cellOf(sighting) ?? ""))
    .map(({ id }) => id);
  if (rows.length > 0) return rows;
  throw new OperatorError(
    `--place ${place.lat},${place.lng}: the record has no live observation of a fixed asset there`,
  );
}

/** The place of a fixed asset's observation, while the row has it. */
export function cellOf({ body, exact }: LiveSighting): string | undefined {
  if (exact === undefined || isMobile(body.asset_type)) return undefined;
  return latLngToCell(exact.lat, exact.lng, PLACE_RESOLUTION);
}
