import { INDUSTRIES, IndustryOptionsResponse, industryPath } from "../../contract/cities/industry.ts";
import { IndustryOptionsParams } from "../../contract/params.ts";
import { SCHEMA } from "../../contract/versions.ts";
import { defineResource, type ReadContext } from "../define.ts";

const SOURCE = "UN ISIC Revision 5";

export const industries = defineResource({
  operationId: "listIndustries",
  path: "/api/v1/taxonomy/industries",
  summary: "Search the UN ISIC Revision 5 industries",
  description: "Returns the codes for industry filters. A filter matches a code and everything below it.",
  pathParams: {},
  query: IndustryOptionsParams.shape,
  wire: IndustryOptionsResponse,
  example: { path: {}, query: { query: "plumbing", level: "class" } },
  errors: [400],
  enumerate: () => [{}],
  load({ snapshot }, _path, { query, section, level, limit }) {
    return {
      schema: SCHEMA.industryOptions,
      source: SOURCE,
      query: query ?? null,
      industries: snapshot.industries({ query, section, level, limit }),
    };
  },
});

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
