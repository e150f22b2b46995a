import { z } from "zod";
import { CoverageTier, NameMatch, OnlinePresence } from "../enums.ts";
import { carriedFields, envelopeFields } from "../envelope.ts";
import { Count, Demand } from "../fields.ts";
import { MAX_SEARCH_TOTAL, MAX_SEARCHED_CITIES } from "../limits.ts";
import { pageFields } from "../paging.ts";
import { EntitySummary } from "./entity.ts";

/** Coverage tier, or `not_covered` when the service covers no city of the search. */
export const SearchCoverage = z.enum([...CoverageTier.options, "not_covered"]);

export const SearchResponse = z
  .looseObject({
    query: z
      .looseObject({
        name: z.string().nullable(),
        name_match: NameMatch.nullable().describe("How the name was compared; null without a name."),
        city: z.string().nullable().describe("City slug, in lower case."),
        industry: z.string().nullable(),
        online_presence: OnlinePresence.nullable(),
        website: z
          .string()
          .nullable()
          .describe("The compared value: the host, or host and path for hosts that many businesses share."),
        near: z.string().nullable(),
      })
      .describe("The filters as interpreted; null for omitted ones."),
    count: Count.describe("Records on this page."),
    ...pageFields,
    total_count: Count.max(MAX_SEARCH_TOTAL).describe(
      `Matching records on all pages, counted up to ${MAX_SEARCH_TOTAL}: see \`total_is_lower_bound\`.`,
    ),
    total_is_lower_bound: z
      .boolean()
      .describe("True when more records match than `total_count`. Paging still reaches all of them."),
    release_id: z.uuid().describe("The release behind all pages of this list."),
    results: z.array(EntitySummary),
    coverage_status: SearchCoverage.describe(
      "Lowest coverage tier among the searched cities. `not_covered`: the service covers no city of the search, so nothing follows from an empty result.",
    ),
    coverage_message: z.string(),
    searched_cities: z
      .array(z.string())
      .max(MAX_SEARCHED_CITIES)
      .describe(
        `Slugs of the searched cities, with or without matches: the city passed, those around \`near\`, or all. At most ${MAX_SEARCHED_CITIES}, in order of registration.`,
      ),
    searched_city_count: Count.describe("Number of searched cities."),
    demand: Demand,
    ...envelopeFields,
    ...carriedFields,
  })
  .meta({ id: "SearchResponse", description: "One page of the matching records, from a frozen list." });
export type SearchResponse = z.infer<typeof SearchResponse>;
