import type { Database } from "better-sqlite3";
import type { CellCounts } from "../../method/coverage/coverage-cells.ts";
import { CITY, type CityRow, EVENT, type EventRow } from "../rows.ts";
import { cities, events } from "../tables/cities.ts";
import { integer } from "../tables/column.ts";
import { type Selected, selection } from "../tables/selection.ts";
import { type CityIndexQueries, cityIndexQueries } from "./city-index-queries.ts";

const CELLS = selection({ cells: cities.columns.observedCells });
const EVENT_COUNT = selection({ type: events.columns.type, count: integer().as("count(*)") });

export interface CityQueries extends CityIndexQueries {
  /** Published cities in the order they were registered. */
  cities(): readonly CityRow[];
  city(slug: string): CityRow | undefined;
  /** What was observed in the cells of a city, by cell. Decoded each time: only cell maps need it. */
  cellCounts(slug: string): readonly CellCounts[];
  /** Events detected at `since` (ms) or later, newest first, then by id, `offset` of them left out; any offset costs the same. */
  eventsOf(
    slug: string,
    options: { readonly since: number; readonly offset?: number; readonly limit: number },
  ): EventRow[];
  /** How many events of each type were detected at `since` (ms) or later; types without any are left out. */
  eventCountsOf(slug: string, options: { readonly since: number }): Selected<typeof EVENT_COUNT>[];
}

export function cityQueries(db: Database): CityQueries {
  // Cities are few and read by nearly every request: decoded once, when first asked for.
  let known: ReadonlyMap<string, CityRow> | undefined;
  const allCities = CITY.prepare(db, "FROM cities ORDER BY id");
  const cells = CELLS.prepare<[string]>(db, "FROM cities WHERE slug = ?");
  const cities = () => {
    known ??= new Map(allCities.all().map((city) => [city.slug, city]));
    return known;
  };
  return {
    cities: () => [...cities().values()],
    city: (slug) => cities().get(slug),
    cellCounts: (slug) => cells.get(slug)?.cells ?? [],
    ...cityIndexQueries(db),
    ...eventQueries(db),
  };
}

/** The events of a city are a range of rowids, newest first, so those since a time are its first ones. */
function eventQueries(db: Database): Pick<CityQueries, "eventsOf" | "eventCountsOf"> {
  const newest = db
    .prepare<[string], number>("SELECT seq FROM events WHERE city = ? ORDER BY detected_at DESC, id LIMIT 1")
    .pluck();
  const between = EVENT.prepare<[{ first: number; end: number; city: string; since: number }]>(
    db,
    `FROM events JOIN records ON records.id = events.record LEFT JOIN assets ON assets.id = events.asset
     WHERE events.seq >= :first AND events.seq < :end AND events.city = :city AND detected_at >= :since
     ORDER BY events.seq`,
  );
  const counts = EVENT_COUNT.prepare<[string, number]>(
    db,
    "FROM events WHERE city = ? AND detected_at >= ? GROUP BY type ORDER BY type",
  );
  return {
    eventsOf(city, { since, offset = 0, limit }) {
      const first = (newest.get(city) ?? 0) + offset;
      return between.all({ first, end: first + limit, city, since });
    },
    eventCountsOf: (slug, { since }) => counts.all(slug, since),
  };
}
