import { z } from "zod";
import type { PathValues } from "../../resources/define.ts";
import { recordOf } from "../../site/routes/record-documents.ts";

/** What a patch release makes anew, as plain data for its threads. A release without it makes every file. */
export const Touched = z.object({
  cities: z.array(z.string()), // slugs
  records: z.array(z.string()), // public ids
});
export type Touched = z.infer<typeof Touched>;

/** The names in addresses that stand for a city. */
const CITY_NAMES = ["city", "slug"];

export type IsTouched = (values: PathValues) => boolean;

/**
 * Decides by the values in its address whether a file is about anything that was touched. A file about no single city or record
 * may list all of them, so it always is.
 */
export function touches({ cities, records }: Touched): IsTouched {
  const touchedCities = new Set(cities);
  const touchedRecords = new Set(records);
  return (values) => {
    const record = recordOf(values);
    if (record !== undefined) return touchedRecords.has(record);
    const city = CITY_NAMES.map((name) => values[name]).find((value) => value !== undefined);
    return city === undefined || touchedCities.has(city);
  };
}
