import type { Database } from "better-sqlite3";
import type { IndustryLevel } from "../../contract/enums.ts";
import { integer, selection, values } from "../../kernel/table.ts";
import { CITY, type CityRow, EVENT, RECORD } from "../rows.ts";
import { foldName } from "../search/search-terms.ts";
import { cities, events } from "../tables/cities.ts";
import { lastRead } from "../tables/packed.ts";
import { records } from "../tables/records.ts";
import { gazetteer, industries } from "../tables/release.ts";
import { cityIndexQueries } from "./city-index-queries.ts";

const CELLS = selection({ cells: cities.columns.observedCells });
const { publicId, standing, history } = records.columns;
const STANDINGS = selection({ publicId, standing, history });
const EVENT_COUNT = selection({ type: events.columns.type, count: integer().as("count(*)") });

export function cityQueries(db: Database) {
  // Cities are few and read by nearly every request: decoded once, when first asked for.
  let known: ReadonlyMap<string, CityRow> | undefined;
  const stored = CITY.prepare(db, "FROM cities ORDER BY id");
  const lastPublished = values<[slug: string], number | null>(
    db,
    "SELECT max(last_published) FROM records WHERE city = ? AND merged_into IS NULL",
  );
  const cells = CELLS.prepare<[slug: string]>(db, "FROM cities WHERE slug = ?");
  const cities = () => {
    known ??= new Map(stored.all().map((city) => [city.slug, city]));
    return known;
  };
  return {
    /** Published cities in the order they were registered. */
    cities: (): readonly CityRow[] => [...cities().values()],
    city: (slug: string) => cities().get(slug),
    /** What was observed in the cells of a city, by cell. Only maps need it, one city after the other. */
    cellCounts: lastRead((slug: string) => cells.get(slug)?.cells ?? []),
    /** Standings and histories of a city's records, merged ones left out, in display order. */
    standingsOf: STANDINGS.prepare<[slug: string]>(
      db,
      "FROM records WHERE city = ? AND merged_into IS NULL ORDER BY position",
    ).all,
    /** The records of a city, merged ones left out, in the order of their public ids. */
    recordsOf: RECORD.prepare<[slug: string]>(
      db,
      "FROM records WHERE city = ? AND merged_into IS NULL ORDER BY public_id",
    ).all,
    /** When the newest row of these records was published; null without any. */
    lastPublishedIn: (slug: string): number | null => lastPublished.get(slug) ?? null,
    /** Ids of a city's events, newest first. */
    eventIdsOf: values<[slug: string], string>(db, "SELECT id FROM events WHERE city = ? ORDER BY seq").all,
    ...cityIndexQueries(db),
    ...eventQueries(db),
  };
}

interface EventPage {
  readonly since: number; // ms
  readonly offset?: number;
  readonly limit: number;
}

/** The events of a city are a range of rowids, newest first, so those since a time are its first ones. */
function eventQueries(db: Database) {
  const newest = values<[city: string], number>(
    db,
    "SELECT seq FROM events WHERE city = ? ORDER BY detected_at DESC, id LIMIT 1",
  );
  const between = EVENT.prepare<[{ first: number; end: number; city: string; since: number }]>(
    db,
    `FROM events JOIN records ON records.id = events.record JOIN cities ON cities.slug = events.city LEFT JOIN assets ON assets.id = events.asset
     WHERE events.seq >= :first AND events.seq < :end AND events.city = :city AND detected_at >= :since
     ORDER BY events.seq`,
  );
  const counts = EVENT_COUNT.prepare<[city: string, since: number]>(
    db,
    "FROM events WHERE city = ? AND detected_at >= ? GROUP BY type ORDER BY type",
  );
  return {
    /** Events detected at `since` or later, newest first, then by id, `offset` of them left out; any offset costs the same. */
    eventsOf(city: string, { since, offset = 0, limit }: EventPage) {
      const first = (newest.get(city) ?? 0) + offset;
      return between.all({ first, end: first + limit, city, since });
    },
    /** How many events of each type were detected at `since` (ms) or later; types without any are left out. */
    eventCountsOf: (city: string, { since }: Pick<EventPage, "since">) => counts.all(city, since),
  };
}

const INDUSTRY = selection(industries.columns, "seq", "folded");
const CATALOG_PLACE = selection({
  name: gazetteer.columns.name,
  lat: gazetteer.columns.lat,
  lng: gazetteer.columns.lng,
});
const CATALOG_CITY = selection(gazetteer.columns, "seq", "folded");

interface IndustryOptions {
  readonly query?: string | undefined; // anywhere in the title, or the beginning of the code
  readonly section?: string | undefined; // a letter
  readonly level?: IndustryLevel | undefined;
  readonly limit: number;
}

interface DegreeBox {
  readonly south: number;
  readonly north: number;
  readonly west: number;
  readonly east: number;
  readonly limit: number;
}

interface GazetteerOptions {
  readonly query?: string | undefined; // anywhere in the name, whatever its case and accents
  readonly country?: string | undefined; // ISO 3166-1 alpha-2
  readonly limit: number;
}

export function referenceQueries(db: Database) {
  const entries = INDUSTRY.prepare<[object]>(
    db,
    `FROM industries
     WHERE (:query IS NULL OR instr(folded, :query) OR (code >= :code AND code < :code || ':'))
       AND (:section IS NULL OR section_code = :section) AND (:level IS NULL OR level = :level)
     ORDER BY seq LIMIT :limit`,
  );
  const catalog = CATALOG_CITY.prepare<[object]>(
    db,
    `FROM gazetteer
     WHERE (:query IS NULL OR instr(folded, :query)) AND (:country IS NULL OR country_code = :country)
     ORDER BY seq LIMIT :limit`,
  );
  const places = CATALOG_PLACE.prepare<[object]>(
    db,
    `FROM gazetteer WHERE lat BETWEEN :south AND :north AND lng BETWEEN :west AND :east
     ORDER BY seq LIMIT :limit`,
  );
  const foldedOrNull = (query: string | undefined) => (query === undefined ? null : foldName(query));
  return {
    /** Entries of the taxonomy in its own order. */
    industries: ({ query, section, level, limit }: IndustryOptions) =>
      entries.all({
        query: foldedOrNull(query),
        code: query?.toUpperCase() ?? null,
        section: section?.toUpperCase() ?? null,
        level: level ?? null,
        limit,
      }),
    /** The most populous places of the catalog within these degrees. */
    placesBetween: (box: DegreeBox) => places.all(box),
    /** Cities of the catalog, most populous first. */
    gazetteerCities: ({ query, country, limit }: GazetteerOptions) =>
      catalog.all({ query: foldedOrNull(query), country: country?.toUpperCase() ?? null, limit }),
  };
}
