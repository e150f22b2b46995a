import type { Database } from "better-sqlite3";
import type { GateStatus } from "../../contract/enums.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { uuidFromText } from "../../kernel/ids.ts";
import { cellManifestId } from "../../ledger/looks/cell-bitmap.ts";
import { asOfAt } from "../../method/as-of.ts";
import { accepted } from "../../method/citation.ts";
import { footprints } from "../../method/explorer.ts";
import { standingAlone } from "../../method/standing/standing.ts";
import type { JudgedSighting } from "../../method/types.ts";
import { type CityContent, factsOf, type RecordContent } from "../fold/city-content.ts";
import type { MergedRecord } from "../fold/listing.ts";
import type { SightingColumns } from "../fold/sighting-columns.ts";
import { cityMark } from "../mend/city-mark.ts";
import type { CarriedBy } from "../mend/mending.ts";
import { cities, events } from "../tables/cities.ts";
import type { SqlValue } from "../tables/column.ts";
import { observationPagesOf, type WrittenObservation } from "../tables/observation-page.ts";
import { assets, explorerFacts, observationPages, records } from "../tables/records.ts";
import { encoder, inserter, type RowOf } from "../tables/table.ts";
import { indexPlaces } from "./index-places.ts";
import { observedFigures, recordRow } from "./record-row.ts";

export interface CityWriter {
  /** Writes a city with all its records; cities come in the order of registration. */
  city(content: CityContent, carried?: CarriedBy): void;
  merged(record: MergedRecord, lng: number): void;
}

interface ReleaseTimes {
  readonly asOf: number; // ms
  readonly treeSize: number; // of the signed tree
}

/** Owns the running numbers of observations and events, so that each city's and each record's lie next to each other. */
export function cityWriter(db: Database, sightings: SightingColumns, release: ReleaseTimes): CityWriter {
  const { asOf } = release;
  const insertCity = inserter(db, cities);
  const insertRecord = inserter(db, records);
  const insertEvents = eventInserter(db);
  const insertEvidence = evidenceInserter(db, sightings);
  return {
    city(content, carried) {
      const places = indexPlaces(content.index);
      const indexed: SqlValue[][] = [];
      for (const record of content.records) {
        const { listed, standing, history, check } = record;
        const { position } = listed;
        const place = places.get(position) ?? null;
        const figures = observedFigures(record.sightings, sightings);
        const observationsFrom = insertEvidence(record);
        const own = { position, places: place, mergedInto: null, standing, history, check, observationsFrom };
        const stored = insertRecord(recordRow(listed.record, { ...figures, ...own }));
        // Neither the first column nor the last: they depend on other cities.
        if (place !== null) indexed[place.rank - 1] = stored.slice(1, -1);
      }
      insertEvents(content);
      insertCity(cityRow(content, indexed, release, carried));
    },
    merged({ record, position, into }, lng) {
      insertRecord(
        recordRow(record, {
          ...observedFigures([], sightings),
          position,
          places: null,
          mergedInto: into.body.public_id,
          standing: standingAlone(factsOf(record), asOfAt(asOf, lng)),
          history: [],
          check: undefined,
          observationsFrom: 0,
        }),
      );
    },
  };
}

const { snapshotId, carriedOverAt, observedCells, ...content } = cities.columns;
const encodeContent = encoder(content);

type CityRow = RowOf<typeof cities.columns>;

function cityRow(
  city: CityContent,
  indexed: readonly SqlValue[][],
  { asOf, treeSize }: ReleaseTimes,
  carried: CarriedBy | undefined,
): CityRow {
  const row = cityFigures(city);
  const stored = encodeContent(row);
  const id = contentId(city, [[asOf, ...stored], ...indexed]);
  return { ...row, ...cityMark(id, carried, treeSize), observedCells: city.cells };
}

/**
 * A hash of `asOf`, of what the city's index shows, and of the rows of its other lists in order, so releases in which all of
 * these are equal share their cursors.
 */
function contentId({ records, events }: CityContent, indexed: readonly SqlValue[][]): string {
  const lists = [
    events.map(({ id }) => id),
    ...records.map(({ sightings }) => sightings.map(({ id }) => id)),
  ];
  return uuidFromText([...indexed, ...lists].map((row) => sha256Hex(JSON.stringify(row))).join("\n"));
}

function cityFigures({
  city,
  records,
  index,
  cohort,
  coverage,
  accuracy,
}: CityContent): RowOf<typeof content> {
  const { details, cells } = city;
  return {
    id: city.id,
    slug: city.slug,
    name: details.name,
    region: details.region,
    regionCode: details.region_code,
    country: details.country,
    countryName: details.country_name,
    geonameId: details.geoname_id,
    lat: details.lat,
    lng: details.lng,
    publicationStatus: city.publicationStatus,
    collectionStatus: city.collectionStatus,
    launched: city.launched,
    denominatorReviewed: city.denominatorReviewed,
    cellManifestId: cellManifestId(cells),
    cells,
    recordCount: records.length,
    observationCount: records.reduce((sum, { sightings }) => sum + accepted(sightings).length, 0),
    rankingSummary: rankingSummary(index),
    cohort,
    coverage,
    accuracy,
  };
}

function rankingSummary(index: readonly RecordContent[]): CityRow["rankingSummary"] {
  const count = (status: GateStatus) =>
    index.filter(({ standing }) => standing.gate.status === status).length;
  return {
    eligible: count("eligible"),
    evidence_building: count("evidence_building"),
    integrity_review: count("integrity_review"),
  };
}

/** Writes assets, observations and explorer facts of a record; returns the number of its first observation. */
function evidenceInserter(db: Database, columns: SightingColumns): (content: RecordContent) => number {
  const insertAsset = inserter(db, assets);
  const insertPage = inserter(db, observationPages);
  const insertFact = inserter(db, explorerFacts);
  let next = 1;
  return ({ listed, sightings, assets }) => {
    const record = listed.record.id;
    for (const asset of assets) insertAsset({ record, ...asset });
    for (const footprint of footprints(sightings)) insertFact({ record, ...footprint });
    const from = next;
    // A row of a higher id was never published earlier: backwards is newest published first, then highest id.
    const newestFirst = sightings.toReversed().map((sighting) => written(sighting, columns));
    for (const page of observationPagesOf(newestFirst, from)) insertPage(page);
    next += sightings.length;
    return from;
  };
}

function written(sighting: JudgedSighting, columns: SightingColumns): WrittenObservation {
  return {
    id: sighting.id,
    asset: sighting.asset,
    source: sighting.source,
    observedAt: sighting.observedAt,
    publishedAt: sighting.publishedAt,
    derivedFromArchive: sighting.archived,
    cell: sighting.cell,
    state: sighting.state,
    trust: sighting.trust,
    observerTag: sighting.observer,
    setAside: sighting.setAside,
    ...columns.details(sighting.id),
  };
}

function eventInserter(db: Database): (content: CityContent) => void {
  const insert = inserter(db, events);
  let seq = 1;
  return ({ city, events }) => {
    for (const event of events) {
      insert({
        seq,
        id: event.id,
        city: city.slug,
        type: event.type,
        detectedAt: event.detectedAt,
        headline: event.headline,
        summary: event.summary,
        record: event.record,
        asset: event.asset,
        confidence: event.confidence,
        confidenceLabel: event.label,
        evidenceCount: event.evidenceCount,
      });
      seq += 1;
    }
  };
}
