/** The rows of a release about one city, as they are stored. */
import type { GateStatus } from "../../contract/enums.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { uuidFromText } from "../../kernel/ids.ts";
import { encoder, type RowOf, type SqlValue } from "../../kernel/table.ts";
import { cellManifestId } from "../../ledger/looks.ts";
import { accepted } from "../../method/citation.ts";
import { type ExplorerEntry, explorerRows, type Footprint, footprints } from "../../method/explorer.ts";
import type { JudgedSighting } from "../../method/types.ts";
import { type CityContent, cityContent, type RecordContent } from "../fold/city-content.ts";
import type { CityFacts } from "../fold/city-facts.ts";
import type { SightingColumns } from "../fold/sighting-columns.ts";
import { type CarriedBy, cityMark } from "../mend/mending.ts";
import { claimState } from "../rows.ts";
import { cities, events } from "../tables/cities.ts";
import { observationPagesOf, type WrittenObservation } from "../tables/packed.ts";
import { assets, explorer, explorerFacts, observationPages, records } from "../tables/records.ts";
import { indexPlaces, observedFigures, recordRow } from "./record-row.ts";

type StoredRows = readonly SqlValue[][];

/** The values of each table's rows in the order of its columns. Plain data. */
export interface CityRows {
  readonly city: SqlValue[];
  readonly records: StoredRows;
  readonly assets: StoredRows;
  readonly explorerFacts: StoredRows;
  readonly explorer: StoredRows;
  readonly observationPages: StoredRows;
  readonly events: StoredRows; // without their first column, the number in the release
}

export interface CityRelease {
  readonly asOf: number; // ms
  readonly treeSize: number; // of the signed tree
  readonly firstObservation: number; // number of the city's first one
  readonly carried: CarriedBy | undefined;
}

const encodeRecord = encoder(records.columns);
const encodeAsset = encoder(assets.columns);
const encodeFact = encoder(explorerFacts.columns);
const encodeAggregate = encoder(explorer.columns);
const encodePage = encoder(observationPages.columns);
const encodeCity = encoder(cities.columns);
const { seq: _, ...ofEvent } = events.columns;
const encodeEvent = encoder(ofEvent);

/** Runs the methodology over a city. The same facts give the same rows, in any thread. */
export function cityRows(facts: CityFacts, release: CityRelease): CityRows {
  const content = cityContent(facts, release.asOf, release.carried);
  const { sightings } = facts;
  const places = indexPlaces(content.index);
  const indexed: SqlValue[][] = [];
  const stored: SqlValue[][] = [];
  let observationsFrom = release.firstObservation;
  for (const record of content.records) {
    const { listed, standing, history, monthsLooked, check } = record;
    const { position } = listed;
    const place = places.get(position) ?? null;
    const figures = observedFigures(record.sightings, sightings);
    const own = {
      position,
      places: place,
      mergedInto: null,
      standing,
      history,
      monthsLooked,
      check,
      observationsFrom,
    };
    const row = encodeRecord(recordRow(listed.record, { ...figures, ...own }));
    stored.push(row);
    observationsFrom += record.sightings.length;
    // Neither the first column nor the last: they depend on other cities.
    if (place !== null) indexed[place.rank - 1] = row.slice(1, -1);
  }
  return {
    city: cityRow(content, indexed, release),
    records: stored,
    ...evidenceRows(content, sightings, release),
    ...explorerOf(content),
    events: content.events.map((event) => encodeEvent(eventRow(event, content.city.slug))),
  };
}

function evidenceRows(
  { records }: CityContent,
  columns: SightingColumns,
  { firstObservation }: CityRelease,
): Pick<CityRows, "assets" | "observationPages"> {
  let from = firstObservation;
  const pages = records.flatMap(({ sightings }) => {
    // A row of a higher id was never published earlier: backwards is newest published first, then highest id.
    const newestFirst = sightings.toReversed().map((sighting) => written(sighting, columns));
    const own = observationPagesOf(newestFirst, from);
    from += sightings.length;
    return own.map(encodePage);
  });
  return {
    assets: records.flatMap(({ listed, assets }) =>
      assets.map((asset) => encodeAsset({ record: listed.record.id, ...asset })),
    ),
    observationPages: pages,
  };
}

/** What the explorer groups, and the groups of all of it. */
function explorerOf(content: CityContent): Pick<CityRows, "explorerFacts" | "explorer"> {
  const shown = content.records.flatMap((record) =>
    footprints(record.sightings).map((footprint) => ({ record, footprint })),
  );
  const entries = shown.map(({ record, footprint }) => explorerEntry(content, record, footprint));
  entries.sort((a, b) => a.record - b.record); // as the explorer's queries read them: averages are sums of doubles
  return {
    explorerFacts: shown.map(({ record, footprint }) =>
      encodeFact({ record: record.listed.record.id, ...footprint }),
    ),
    explorer: explorerRows(entries).map(encodeAggregate),
  };
}

function explorerEntry(
  { city, coverage }: CityContent,
  { listed: { record }, standing: { pps, percentile } }: RecordContent,
  footprint: Footprint,
): ExplorerEntry {
  return {
    ...footprint,
    record: record.id,
    city: city.slug,
    coverageLevel: coverage.level,
    industry: record.industry.code,
    claimState: claimState(record.status),
    pps,
    percentile,
  };
}

function written(sighting: JudgedSighting, columns: SightingColumns): WrittenObservation {
  const details = columns.details(sighting.id);
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
    acceptedAt: details.acceptedAt,
    stated: details.stated,
    methodologyVersion: details.methodologyVersion,
    presenceKind: details.presenceKind,
    sourceId: details.sourceId,
    ledgerHash: details.ledgerHash,
  };
}

function eventRow(event: CityContent["events"][number], city: string): RowOf<typeof ofEvent> {
  return {
    id: event.id,
    city,
    type: event.type,
    detectedAt: event.detectedAt,
    headline: event.headline,
    summary: event.summary,
    record: event.record,
    asset: event.asset,
    confidence: event.confidence,
    confidenceLabel: event.label,
    evidenceCount: event.evidenceCount,
    verifState: event.state,
    strongestState: event.strongestState,
    observerCount: event.observerCount,
    monthsLooked: event.monthsLooked,
  };
}

const { snapshotId, carriedOverAt, observedCells, ...content } = cities.columns;
const encodeContent = encoder(content);

type CityRow = RowOf<typeof cities.columns>;

function cityRow(
  city: CityContent,
  indexed: readonly SqlValue[][],
  { asOf, treeSize, carried }: CityRelease,
): SqlValue[] {
  const row = cityFigures(city);
  const stored = encodeContent(row);
  const id = contentId(city, [[asOf, ...stored], ...indexed]);
  return encodeCity({ ...row, ...cityMark(id, carried, treeSize), observedCells: city.cells });
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
