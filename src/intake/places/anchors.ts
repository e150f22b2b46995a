import { gridDisk } from "h3-js";
import type { KeyedHash } from "../matching/keyed-hash.ts";

/**
 * Things known at places: a place is its resolution-11 cell and the six around it, because positions are a few metres off.
 * Only the cell where a thing was first seen counts as its own; otherwise sightings could carry it down the street, cell by
 * cell. Where rings overlap, the lowest row id wins, regardless of the order in which they became known.
 */
export class Anchors {
  readonly #own = new Map<string, number>();
  readonly #around = new Map<string, number>();
  readonly #ids = new Set<number>();

  /** Ids of all things, in the order in which they became known. */
  get ids(): ReadonlySet<number> {
    return this.#ids;
  }

  add(key: string, id: number): void {
    this.#ids.add(id);
    lower(this.#own, key, id);
    if (!isCell(key)) return;
    for (const cell of gridDisk(key, 1)) lower(this.#around, cell, id);
  }

  at(key: string): number | undefined {
    return this.#own.get(key) ?? this.#around.get(key);
  }
}

const REF_MARK = "#";
/** The key of a sighting that has neither place nor reference. */
export const NOWHERE = "";

/** What stands for the place of a mobile asset: its source's own reference, as a keyed hash. */
export function refKey(hash: string): string {
  return REF_MARK + hash.slice(0, 24);
}

/** The key of an asset's reference; `hash` is that of source references. */
export function assetRefKey(ref: string, hash: KeyedHash): string {
  return refKey(hash(JSON.stringify(["asset_ref", ref])));
}

/** Whether a place is a cell: not a reference, and not nowhere. */
export function isCell(key: string): boolean {
  return key !== NOWHERE && !key.startsWith(REF_MARK);
}

function lower(map: Map<string, number>, key: string, id: number): void {
  const known = map.get(key);
  if (known === undefined || id < known) map.set(key, id);
}
