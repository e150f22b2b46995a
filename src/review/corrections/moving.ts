import { intakeHashes } from "../../intake/lines/sighting.ts";
import { tagAt } from "../../intake/sources/line-sources.ts";
import type { Place } from "../../ledger/decisions/merges.ts";
import type { LiveSighting } from "../../ledger/rows/live-rows.ts";
import type { Decider } from "../reasons.ts";
import type { DeskAtWork } from "./correction.ts";

/** Observations with the places that they get. */
export type Moved = readonly (readonly [observation: number, place: Place])[];

/** The places of observations at a record, each under its principal's tag there. */
export function atRecord(
  { ledger }: DeskAtWork,
  record: number,
  sightings: readonly LiveSighting[],
  assetOf: (asset: number) => number = (asset) => asset,
): Moved {
  const hashes = intakeHashes(ledger.purposeKey);
  const principals = new Map(ledger.live.principalsOf(sightings).map((seen) => [seen.tag, seen.principal]));
  return sightings.map(({ id, body: { asset, observer_tag: tag } }) => {
    const observer_tag = tagAt({ tag, principal: principals.get(tag) ?? null }, record, hashes);
    return [id, { record, asset: assetOf(asset), observer_tag }];
  });
}

/** Within a transaction. Returns the first row; 0 where nothing moves. */
export function move({ desk }: DeskAtWork, moved: Moved, decider: Decider): number {
  const rows = moved.map(([target, place]) =>
    desk.append({ kind: "reassign", body: { target, ...place, ...decider } }),
  );
  return rows[0] ?? 0;
}
