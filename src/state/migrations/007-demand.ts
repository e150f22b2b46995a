import type { ColumnTypes } from "./column-types.ts";

/** These answered 200 for cities of the service alone; a search took any text for a city. */
const ANSWERED_CITIES = `SELECT city FROM usage_requests WHERE city IS NOT NULL AND status = 200
  AND (transport = 'mcp' OR operation IN ('getCityIndex', 'getCoverageStatus', 'getPulse', 'city_page'))`;

/**
 * Who searched in which place on a day, deleted with the day's salt. Earlier versions kept the city and the record of a request as they came in its
 * address, whatever was written there. Of these stay the cities that an answer was about, and what led to an answer at all.
 */
export const demandTables = ({ end }: ColumnTypes): readonly string[] => [
  `CREATE TABLE usage_search_clients (
    utc_day TEXT NOT NULL,
    place TEXT NOT NULL,
    instance_hash TEXT NOT NULL,
    PRIMARY KEY (utc_day, place, instance_hash)
  ) ${end}`,
  `UPDATE usage_requests SET record = NULL
   WHERE record IS NOT NULL AND (status IS NULL OR status NOT IN (200, 304))`,
  `UPDATE usage_requests SET city = NULL WHERE city IS NOT NULL AND city NOT IN (${ANSWERED_CITIES})`,
  `DELETE FROM usage_counters WHERE dimension = 'city' AND value NOT IN (${ANSWERED_CITIES})`,
  `DELETE FROM usage_counters WHERE dimension = 'record' AND (value LIKE '% %' OR value NOT LIKE '%!_%' ESCAPE '!')`,
];
