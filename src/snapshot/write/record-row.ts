import { industryPath } from "../../contract/cities/industry.ts";
import { CitySort } from "../../contract/enums.ts";
import type { RowOf } from "../../kernel/table.ts";
import type { OnlineCheck } from "../../ledger/outside-tree.ts";
import { accepted, citedEvidence, datingEvidence } from "../../method/citation.ts";
import { industryState } from "../../method/standing/counting.ts";
import type { JudgedSighting } from "../../method/types.ts";
import { observedSpan, type RecordContent } from "../fold/city-content.ts";
import type { ShownRecord } from "../fold/ledger-fold.ts";
import type { SightingColumns } from "../fold/sighting-columns.ts";
import { foldName } from "../search/search-terms.ts";
import type { records } from "../tables/records.ts";

/** The row of a record: what the ledger says of it, and the figures of the release. */

type Row = RowOf<typeof records.columns>;

interface Figures
  extends ReturnType<typeof observedFigures>,
    Pick<Row, "position" | "mergedInto" | "standing" | "history" | "monthsLooked" | "observationsFrom"> {
  readonly places: IndexPlaces | null; // null: not in the city's index
  readonly check: OnlineCheck | undefined;
}

export function recordRow(record: ShownRecord, { places, check, ...figures }: Figures): Row {
  const { body, industry } = record;
  return {
    ...figures,
    id: record.id,
    publicId: body.public_id,
    name: record.name,
    city: body.city,
    byRank: places?.rank ?? null,
    byName: places?.name ?? null,
    byObservations: places?.observations ?? null,
    byLastObserved: places?.last_observed ?? null,
    industry: industry.code,
    industrySection: industry.code === null ? null : (industryPath(industry.code)[0] ?? null),
    industryState: industryState(industry),
    rankingState: figures.standing.rankingState,
    gateStatus: figures.standing.gate.status,
    status: record.status,
    recordStatus: record.recordStatus,
    identityStatus: record.identityStatus,
    isSynthetic: body.is_synthetic,
    website: record.website,
    identity: record.identity,
    onlineVerdict: check?.verdict ?? "unknown",
    online: {
      checkedAt: check?.checkedAt ?? null,
      signalTypes: check?.signalTypes ?? [],
      matchCount: check?.matchCount ?? 0,
    },
  };
}

export function observedFigures(sightings: readonly JudgedSighting[], columns: SightingColumns) {
  const counted = accepted(sightings);
  const { first, last } = observedSpan(datingEvidence(sightings));
  const kindOf = (row: number) => columns.presenceKind(row);
  return {
    evidenceMix: {
      source: tally(counted.map(({ source }) => source)),
      verification: tally(sightings.map(({ state }) => state)),
      citations: tally(counted.map(({ id }) => kindOf(id))),
      setAside: tally(counted.flatMap(({ setAside }) => setAside ?? [])),
      cited: citedEvidence(sightings, kindOf),
    },
    firstObserved: first,
    lastObserved: last,
    observationCount: counted.length,
    setAsideCount: counted.filter(({ setAside }) => setAside !== null).length,
    assetCount: new Set(counted.map(({ asset }) => asset)).size,
    cellCount: new Set(counted.filter(({ fine }) => fine).map(({ cell }) => cell)).size,
    rowCount: sightings.length,
    lastPublished: sightings.at(-1)?.publishedAt ?? null,
  };
}

/** Most frequent first, ties by value. */
function tally(values: readonly string[]): { value: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

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
