import { z } from "zod";
import { CoverageTier, NameMatch, OnlinePresence } from "../enums.ts";
import { envelopeFields } from "../envelope.ts";
import { Count, Demand } from "../fields.ts";
import { MAX_SEARCH_TOTAL, MAX_SEARCHED_CITIES } from "../limits.ts";
import { pageFields } from "../paging.ts";
import { EntitySummary } from "./entity.ts";

/** `not_covered`: the search concerned no city of the service. */
export const SearchCoverage = z.enum([...CoverageTier.options, "not_covered"]);
export type SearchCoverage = z.infer<typeof SearchCoverage>;

export const SearchResponse = z
  .looseObject({
    query: z
      .looseObject({
        name: z.string().nullable(),
        name_match: NameMatch.nullable().describe("How the name was compared; null without a name."),
        city: z.string().nullable().describe("Slug, in lower case."),
        industry: z.string().nullable(),
        online_presence: OnlinePresence.nullable(),
        website: z
          .string()
          .nullable()
          .describe("What is compared: the host, or host and path where many businesses share the host."),
        near: z.string().nullable(),
      })
      .describe("The filters as understood; null for those not given."),
    count: Count.describe("Records on this page."),
    ...pageFields,
    total_count: Count.max(MAX_SEARCH_TOTAL).describe(
      `Records that match, on all pages. They are counted up to ${MAX_SEARCH_TOTAL}: see \`total_is_lower_bound\`.`,
    ),
    total_is_lower_bound: z
      .boolean()
      .describe("True: more records match than `total_count` says, and pages go on to the last of them."),
    release_id: z.uuid().describe("The release that all pages of this answer come from."),
    results: z.array(EntitySummary),
    coverage_status: SearchCoverage.describe(
      "The lowest tier among the cities searched. `not_covered`: the service covers none of what was asked for, so nothing follows from an empty answer.",
    ),
    coverage_message: z.string(),
    searched_cities: z
      .array(z.string())
      .max(MAX_SEARCHED_CITIES)
      .describe(
        `Slugs of the cities searched, found or not: the city that was given, those around \`near\`, or else all. The first ${MAX_SEARCHED_CITIES} in order of registration.`,
      ),
    searched_city_count: Count.describe("How many cities were searched."),
    demand: Demand,
    ...envelopeFields,
  })
  .meta({ id: "SearchResponse", description: "Records that match the filters, one page of a frozen list." });
export type SearchResponse = z.infer<typeof SearchResponse>;
