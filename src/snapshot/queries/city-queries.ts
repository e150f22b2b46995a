import type { Database } from "better-sqlite3";
import type {
  AssetType,
  CollectionStatus,
  ConfidenceLabel,
  EventType,
  PublicationStatus,
} from "../../contract/enums.ts";
import type { CellCountsRow, CityRow, EventRow } from "../rows.ts";
import { type CityIndexQueries, cityIndexQueries } from "./city-index-queries.ts";

interface StoredCity {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly region: string;
  readonly region_code: string;
  readonly country: string;
  readonly country_name: string;
  readonly geoname_id: number;
  readonly lat: number;
  readonly lng: number;
  readonly publication_status: PublicationStatus;
  readonly collection_status: CollectionStatus;
  readonly launched: number;
  readonly denominator_reviewed: number;
  readonly cell_manifest_id: string;
  readonly cells: string;
  readonly snapshot_id: string;
  readonly record_count: number;
  readonly observation_count: number;
  readonly ranking_summary: string;
  readonly cohort: string;
  readonly coverage: string;
}

const CITY_COLUMNS = `id, slug, name, region, region_code, country, country_name, geoname_id, lat, lng, publication_status,
  collection_status, launched, denominator_reviewed, cell_manifest_id, cells, snapshot_id, record_count, observation_count,
  ranking_summary, cohort, coverage`;

function cityRow(stored: StoredCity): CityRow {
  return {
    id: stored.id,
    slug: stored.slug,
    name: stored.name,
    region: stored.region,
    regionCode: stored.region_code,
    country: stored.country,
    countryName: stored.country_name,
    geonameId: stored.geoname_id,
    lat: stored.lat,
    lng: stored.lng,
    publicationStatus: stored.publication_status,
    collectionStatus: stored.collection_status,
    launched: stored.launched === 1,
    denominatorReviewed: stored.denominator_reviewed === 1,
    cellManifestId: stored.cell_manifest_id,
    cells: JSON.parse(stored.cells),
    snapshotId: stored.snapshot_id,
    recordCount: stored.record_count,
    observationCount: stored.observation_count,
    rankingSummary: JSON.parse(stored.ranking_summary),
    cohort: JSON.parse(stored.cohort),
    coverage: JSON.parse(stored.coverage),
  };
}

interface StoredEvent {
  readonly id: string;
  readonly city: string;
  readonly type: EventType;
  readonly detected_at: number;
  readonly headline: string;
  readonly summary: string;
  readonly record_public_id: string;
  readonly record_name: string;
  readonly industry: string | null;
  readonly asset_public_id: string | null;
  readonly asset_type: AssetType | null;
  readonly confidence: number;
  readonly confidence_label: ConfidenceLabel;
  readonly evidence_count: number;
}

function eventRow(stored: StoredEvent): EventRow {
  return {
    id: stored.id,
    city: stored.city,
    type: stored.type,
    detectedAt: stored.detected_at,
    headline: stored.headline,
    summary: stored.summary,
    recordPublicId: stored.record_public_id,
    recordName: stored.record_name,
    industry: stored.industry,
    assetPublicId: stored.asset_public_id,
    assetType: stored.asset_type,
    confidence: stored.confidence,
    confidenceLabel: stored.confidence_label,
    evidenceCount: stored.evidence_count,
  };
}

interface EventCount {
  readonly type: EventType;
  readonly count: number;
}

export interface CityQueries extends CityIndexQueries {
  /** Published cities in the order they were registered. */
  cities(): readonly CityRow[];
  city(slug: string): CityRow | undefined;
  /** What was observed in the cells of a city, by cell. Decoded each time: only cell maps need it. */
  cellCounts(slug: string): readonly CellCountsRow[];
  /** Events detected at `since` (ms) or later, newest first, then by id, `offset` of them left out; any offset costs the same. */
  eventsOf(
    slug: string,
    options: { readonly since: number; readonly offset?: number; readonly limit: number },
  ): EventRow[];
  /** How many events of each type were detected at `since` (ms) or later; types without any are left out. */
  eventCountsOf(slug: string, options: { readonly since: number }): EventCount[];
}

export function cityQueries(db: Database): CityQueries {
  // Cities are few and read by nearly every request: decoded once, when first asked for.
  let known: ReadonlyMap<string, CityRow> | undefined;
  const allCities = db.prepare<[], StoredCity>(`SELECT ${CITY_COLUMNS} FROM cities ORDER BY id`);
  const cells = db.prepare<[string], string>("SELECT observed_cells FROM cities WHERE slug = ?").pluck();
  const cities = () => {
    known ??= new Map(allCities.all().map((stored) => [stored.slug, cityRow(stored)]));
    return known;
  };
  return {
    cities: () => [...cities().values()],
    city: (slug) => cities().get(slug),
    cellCounts: (slug) => JSON.parse(cells.get(slug) ?? "[]"),
    ...cityIndexQueries(db),
    ...eventQueries(db),
  };
}

/** The events of a city are a range of rowids, newest first, so those since a time are its first ones. */
function eventQueries(db: Database): Pick<CityQueries, "eventsOf" | "eventCountsOf"> {
  const newest = db
    .prepare<[string], number>("SELECT seq FROM events WHERE city = ? ORDER BY detected_at DESC, id LIMIT 1")
    .pluck();
  const between = db.prepare<[{ first: number; end: number; city: string; since: number }], StoredEvent>(
    `SELECT e.*, r.public_id AS record_public_id, r.name AS record_name, r.industry, a.public_id AS asset_public_id, a.asset_type
     FROM events e JOIN records r ON r.id = e.record LEFT JOIN assets a ON a.id = e.asset
     WHERE e.seq >= :first AND e.seq < :end AND e.city = :city AND e.detected_at >= :since ORDER BY e.seq`,
  );
  const counts = db.prepare<[string, number], EventCount>(
    "SELECT type, count(*) AS count FROM events WHERE city = ? AND detected_at >= ? GROUP BY type ORDER BY type",
  );
  return {
    eventsOf(city, { since, offset = 0, limit }) {
      const first = (newest.get(city) ?? 0) + offset;
      return between.all({ first, end: first + limit, city, since }).map(eventRow);
    },
    eventCountsOf: (slug, { since }) => counts.all(slug, since),
  };
}
