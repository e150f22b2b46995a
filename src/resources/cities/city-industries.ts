import { INDUSTRIES, industryPath } from "../../contract/cities/industry.ts";
import type { ReadContext } from "../define.ts";

/** An ISIC section or code with records in a city. */
export type CityIndustry = ReturnType<typeof cityIndustries>[number];

/** Returns the sections and exact codes of a city's active records, in classification order. */
export function cityIndustries({ snapshot }: Pick<ReadContext, "snapshot">, slug: string) {
  const counts = snapshot.industryCounts(slug);
  const listed = new Set(counts.flatMap(({ code }) => [code, industryPath(code)[0]]));
  const records = new Map<string, number>();
  for (const { code, records: count } of counts)
    for (const above of industryPath(code)) records.set(above, (records.get(above) ?? 0) + count);
  return INDUSTRIES.filter(({ code }) => listed.has(code)).map(({ code, title, level, sectionCode }) => ({
    code,
    title,
    level,
    section: sectionCode, // letter
    /** Number of records of this code and all codes below it, as in the index's industry filter. */
    records: records.get(code) ?? 0,
  }));
}
