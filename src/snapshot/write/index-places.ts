import { CitySort } from "../../contract/enums.ts";
import { datingEvidence } from "../../method/citation.ts";
import { observedSpan } from "../fold/asset-summary.ts";
import type { RecordContent } from "../fold/city-content.ts";
import { foldName } from "../search/fold-name.ts";

/** A record's place in each order of its city's index, from 1. */
export type IndexPlaces = Readonly<Record<CitySort, number>>;

/** The places of all records of an index, by display position; `index` is in the order of rank. */
export function indexPlaces(index: readonly RecordContent[]): ReadonlyMap<number, IndexPlaces> {
  const entries = index.map(indexEntry);
  for (const sort of CitySort.options)
    for (const [at, { places }] of entries.toSorted(ORDERS[sort]).entries()) places[sort] = at + 1;
  return new Map(entries.map(({ position, places }) => [position, places]));
}

type IndexEntry = ReturnType<typeof indexEntry>;

function indexEntry({ listed, sightings }: RecordContent, at: number) {
  const { name, body } = listed.record;
  return {
    at,
    position: listed.position,
    publicId: body.public_id,
    name: foldName(name),
    lastObserved: observedSpan(datingEvidence(sightings)).last ?? 0,
    places: { rank: 0, name: 0, observations: 0, last_observed: 0 },
  };
}

const ORDERS: Readonly<Record<CitySort, (a: IndexEntry, b: IndexEntry) => number>> = {
  rank: (a, b) => a.at - b.at,
  name: (a, b) => compareText(a.name, b.name) || compareText(a.publicId, b.publicId),
  observations: (a, b) => a.position - b.position, // the display order: most observed first, then public id
  last_observed: (a, b) => b.lastObserved - a.lastObserved || compareText(a.publicId, b.publicId),
};

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
