import type { Database } from "better-sqlite3";
import type { GateStatus } from "../../contract/enums.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { uuidFromText } from "../../kernel/ids.ts";
import { asOfAt } from "../../method/as-of.ts";
import { accepted, citedEvidence } from "../../method/citation.ts";
import { footprints } from "../../method/explorer.ts";
import { standingAlone } from "../../method/standing/standing.ts";
import type { JudgedSighting } from "../../method/types.ts";
import { observedSpan } from "../fold/asset-summary.ts";
import { type CityContent, factsOf, type RecordContent } from "../fold/city-content.ts";
import type { MergedRecord } from "../fold/listing.ts";
import type { SightingColumns } from "../fold/sighting-columns.ts";
import { NO_MIX } from "../queries/record-queries.ts";
import type { EvidenceMix } from "../rows.ts";
import { type IndexPlaces, indexPlaces } from "./index-places.ts";
import { inserter, type SqlValue } from "./inserter.ts";
import { recordValues } from "./record-values.ts";

export interface CityWriter {
  /** Writes a city with all its records; cities come in the order of registration. */
  city(content: CityContent): void;
  merged(record: MergedRecord, lng: number): void;
}

/** Owns the running numbers of observations and events, so that each city's and each record's lie side by side. */
export function cityWriter(db: Database, sightings: SightingColumns, asOf: number): CityWriter {
  const insertCity = inserter(db, "cities");
  const insertRecord = inserter(db, "records");
  const insertEvents = eventInserter(db);
  const insertParts = partsInserter(db, sightings);
  return {
    city(content) {
      const places = indexPlaces(content.index);
      const indexed: SqlValue[][] = [];
      for (const record of content.records) {
        const position = record.listed.position;
        const place = places.get(position) ?? null;
        const values = listedValues(record, place, sightings);
        indexed[(place?.rank ?? 0) - 1] = values;
        insertRecord([position, ...values, insertParts(record)]);
      }
      insertEvents(content);
      insertCity(cityValues(content, indexed, asOf));
    },
    merged({ record, position, into }, lng) {
      const values = recordValues(record, {
        ...NOTHING_OBSERVED,
        mergedInto: into.body.public_id,
        standing: standingAlone(factsOf(record), asOfAt(asOf, lng)),
      });
      insertRecord([position, ...values, 0]);
    },
  };
}

const NOTHING_OBSERVED = {
  places: null,
  check: undefined,
  history: [],
  mix: NO_MIX,
  firstObserved: null,
  lastObserved: null,
  observationCount: 0,
  assetCount: 0,
  cellCount: 0,
  rowCount: 0,
} as const;

function listedValues(
  content: RecordContent,
  places: IndexPlaces | null,
  columns: SightingColumns,
): SqlValue[] {
  const { listed, sightings } = content;
  const counted = accepted(sightings);
  const { first, last } = observedSpan(counted);
  return recordValues(listed.record, {
    places,
    mergedInto: null,
    check: content.check,
    standing: content.standing,
    history: content.history,
    mix: evidenceMix(sightings, columns),
    firstObserved: first,
    lastObserved: last,
    observationCount: counted.length,
    assetCount: new Set(counted.map(({ asset }) => asset)).size,
    cellCount: new Set(counted.map(({ cell }) => cell)).size,
    rowCount: sightings.length,
  });
}

/**
 * The city's row. Its snapshot id is a hash of `asOf`, of what its index shows, and of the rows of its other lists in order, so
 * releases in which all of these are equal share their cursors.
 */
function cityValues(
  { city, records, index, cohort, coverage, cells: observed, events }: CityContent,
  indexed: readonly SqlValue[][],
  asOf: number,
): SqlValue[] {
  const { details, cells } = city;
  const own: SqlValue[] = [
    city.id,
    city.slug,
    details.name,
    details.region,
    details.region_code,
    details.country,
    details.country_name,
    details.geoname_id,
    details.lat,
    details.lng,
    city.publicationStatus,
    city.collectionStatus,
    Number(city.launched),
    Number(city.denominatorReviewed),
    sha256Hex(cells.join("\n")),
    JSON.stringify(cells),
  ];
  const figures: SqlValue[] = [
    records.length,
    records.reduce((sum, { sightings }) => sum + accepted(sightings).length, 0),
    JSON.stringify(rankingSummary(index)),
    JSON.stringify(cohort),
    JSON.stringify(coverage),
  ];
  const observations = records.map(({ sightings }) => sightings.map(({ id }) => id));
  const lists = [events.map(({ id }) => id), ...observations];
  const content = [[asOf, ...own, ...figures], ...indexed, ...lists].map((row) =>
    sha256Hex(JSON.stringify(row)),
  );
  return [...own, uuidFromText(content.join("\n")), ...figures, JSON.stringify(observed)];
}

function rankingSummary(index: readonly RecordContent[]) {
  const count = (status: GateStatus) =>
    index.filter(({ standing }) => standing.gate.status === status).length;
  return {
    eligible: count("eligible"),
    evidence_building: count("evidence_building"),
    integrity_review: count("integrity_review"),
  };
}

/** Writes assets, observations and explorer facts of a record; returns the number of its first observation. */
function partsInserter(db: Database, columns: SightingColumns): (content: RecordContent) => number {
  const insertAsset = inserter(db, "assets");
  const insertObservation = inserter(db, "observations");
  const insertFact = inserter(db, "explorer_facts");
  let next = 1;
  return ({ listed, sightings, assets }) => {
    const record = listed.record.id;
    for (const { publicId, assetType, isMobile, ...asset } of assets)
      insertAsset([
        asset.id,
        record,
        publicId,
        assetType,
        Number(isMobile),
        asset.legibility,
        asset.firstObserved,
        asset.lastObserved,
        asset.status,
        asset.observationCount,
      ]);
    for (const { assetType, observations, assets, cells, firstObserved, lastObserved } of footprints(
      sightings,
    ))
      insertFact([
        record,
        assetType,
        observations,
        assets,
        JSON.stringify(cells),
        firstObserved,
        lastObserved,
      ]);
    const from = next;
    // A row of a higher id was never published earlier: backwards is newest published first, then highest id.
    for (const sighting of sightings.toReversed()) {
      insertObservation(observationValues(next, sighting, columns));
      next += 1;
    }
    return from;
  };
}

function observationValues(seq: number, sighting: JudgedSighting, columns: SightingColumns): SqlValue[] {
  const details = columns.details(sighting.id);
  return [
    seq,
    sighting.id,
    sighting.asset,
    sighting.source,
    sighting.observedAt,
    details.acceptedAt,
    sighting.publishedAt,
    details.reprocessedAt,
    Number(sighting.archived),
    details.recognitionModelVersion,
    details.methodologyVersion,
    sighting.cell,
    sighting.state,
    details.presenceKind,
    sighting.trust,
    details.ledgerHash,
    sighting.observer,
  ];
}

function evidenceMix(sightings: readonly JudgedSighting[], columns: SightingColumns): EvidenceMix {
  const kindOf = (row: number) => columns.presenceKind(row);
  const counted = accepted(sightings);
  return {
    source: tally(counted.map(({ source }) => source)),
    verification: tally(sightings.map(({ state }) => state)),
    citations: tally(counted.map(({ id }) => kindOf(id))),
    cited: citedEvidence(sightings, kindOf),
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

function eventInserter(db: Database): (content: CityContent) => void {
  const insert = inserter(db, "events");
  let next = 1;
  return ({ city, events }) => {
    for (const { label, ...event } of events) {
      insert([
        next,
        event.id,
        city.slug,
        event.type,
        event.detectedAt,
        event.headline,
        event.summary,
        event.record,
        event.asset,
        event.confidence,
        label,
        event.evidenceCount,
      ]);
      next += 1;
    }
  };
}
