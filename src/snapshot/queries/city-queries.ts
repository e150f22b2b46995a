import type { Database } from "better-sqlite3";
import { integer, selection, values } from "../../kernel/table.ts";
import { CITY, type CityRow, EVENT } from "../rows.ts";
import { cities, events } from "../tables/cities.ts";
import { records } from "../tables/records.ts";
import { cityIndexQueries } from "./city-index-queries.ts";

const CELLS = selection({ cells: cities.columns.observedCells });
const { publicId, standing, history, observationCount, setAsideCount } = records.columns;
const STANDINGS = selection({ publicId, standing, history });
const LISTED = selection({ publicId, standing, observationCount, setAsideCount });
const EVENT_COUNT = selection({ type: events.columns.type, count: integer().as("count(*)") });

export function cityQueries(db: Database) {
  // Cities are few and read by nearly every request: decoded once, when first asked for.
  let known: ReadonlyMap<string, CityRow> | undefined;
  const stored = CITY.prepare(db, "FROM cities ORDER BY id");
  const cells = CELLS.prepare<[slug: string]>(db, "FROM cities WHERE slug = ?");
  const cities = () => {
    known ??= new Map(stored.all().map((city) => [city.slug, city]));
    return known;
  };
  return {
    /** Published cities in the order they were registered. */
    cities: (): readonly CityRow[] => [...cities().values()],
    city: (slug: string) => cities().get(slug),
    /** What was observed in the cells of a city, by cell. Decoded each time: only cell maps need it. */
    cellCounts: (slug: string) => cells.get(slug)?.cells ?? [],
    /** Standings and histories of a city's records, merged ones left out, in display order. */
    standingsOf: STANDINGS.prepare<[slug: string]>(
      db,
      "FROM records WHERE city = ? AND merged_into IS NULL ORDER BY position",
    ).all,
    /** The records in a city's index with what they rest on, in display order. */
    listedOf: LISTED.prepare<[slug: string]>(
      db,
      "FROM records WHERE city = ? AND by_name IS NOT NULL ORDER BY position",
    ).all,
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
    `FROM events JOIN records ON records.id = events.record LEFT JOIN assets ON assets.id = events.asset
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
