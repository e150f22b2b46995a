import { z } from "zod";
import {
  ConfidenceLevel,
  CoverageTier,
  CurrentStatus,
  MetricsStatus,
  NameMatch,
  OnlinePresence,
} from "../enums.ts";
import { carriedFields, envelopeFields, pageFields } from "../envelope.ts";
import { Count, Day, Demand, Timestamp, Uri } from "../fields.ts";
import { MAX_SEARCH_TOTAL, MAX_SEARCHED_CITIES, MAX_SIMILAR } from "../limits.ts";
import { SCHEMA } from "../versions.ts";
import { EntitySummary } from "./entity.ts";

/** Coverage tier, or `not_covered` when the service covers no city of the search. */
export const SearchCoverage = z.enum([...CoverageTier.options, "not_covered"]);

const { public_id, name, is_synthetic, record_url } = EntitySummary.shape;
const city = z.string().describe("City slug.");

export const SimilarNames = z
  .array(z.looseObject({ public_id, name, city, city_name: z.string(), is_synthetic, record_url }))
  .max(MAX_SIMILAR)
  .describe(
    `If no name matches: at most ${MAX_SIMILAR} similar published names, most similar first. None of them is a match: search again with the intended one.`,
  );
export type SimilarNames = z.infer<typeof SimilarNames>;

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
    similar_names: SimilarNames,
    coverage_status: SearchCoverage.describe(
      "Lowest coverage among the searched cities. `not_covered`: the service covers no city of the search, so an empty result proves nothing.",
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

const CityShare = z.looseObject({
  slug: z.string(),
  name: z.string(),
  entities: Count,
  synthetic_entities: Count,
  observations: Count,
  assets: Count,
  coverage: z.looseObject({ tier: CoverageTier, level: ConfidenceLevel }),
});
export type CityShare = z.infer<typeof CityShare>;

const AgeShare = z.looseObject({
  min_age_days: Count.nullable().describe(
    "Whole days since the last accepted observation; null when there is none.",
  ),
  max_age_days: Count.nullable().describe(
    "Inclusive; null in the oldest class and for records without an accepted observation.",
  ),
  entities: Count,
});
export type AgeShare = z.infer<typeof AgeShare>;

const Summary = z.looseObject({
  metrics_available: z.boolean(),
  metrics_status: MetricsStatus,
  public_entities: Count.describe("Published records, including synthetic ones."),
  public_observations: Count.describe("Accepted observations of the published records."),
  public_assets: Count.describe("Assets with an accepted observation."),
  cities_with_production_evidence: Count.describe("Cities with an observed, non-synthetic record."),
  synthetic_entities: Count.describe("Synthetic (demonstration) records among `public_entities`."),
  latest_public_observation_at: Timestamp.nullable().describe(
    "First instant of `latest_public_observation_on` in UTC; null without an accepted observation.",
  ),
  latest_public_observation_on: Day.nullable().describe(
    "Day of the latest accepted observation, in the solar time of its city.",
  ),
  coverage_is_city_specific: z.literal(true).describe("Coverage of one city says nothing about another."),
  city_distribution: z.array(CityShare).describe("All published cities."),
  freshness_distribution: z.array(AgeShare).describe("Records by age of their last observation."),
});
export type ReadinessSummary = z.infer<typeof Summary>;

const SurfaceEntry = z.looseObject({
  name: z.string(),
  title: z.string(),
  url: z.string().describe("Absolute URL; `{city}` stands for a city slug."),
  media_type: z.string(),
  purpose: z.string(),
});

const AccessPolicy = z.looseObject({
  key_required: z.boolean().describe("True when reads need a key."),
  rate_limits: z
    .looseObject({
      reads_per_minute: Count,
      mcp_messages_per_minute: Count,
      mcp_burst: Count,
      note: z.string(),
    })
    .describe("Requests per minute and client address."),
  robots: z.looseObject({ policy: z.string(), robots_url: Uri }),
  license: z.string(),
});

const Citation = z.looseObject({
  cites: z.string(),
  template: z.string().describe("Names in braces stand for fields of the response."),
  note: z.string(),
});

export const SearchAiReadiness = z
  .looseObject({
    schema: z.literal(SCHEMA.searchAiReadiness),
    generated_at: Timestamp,
    status: z.string(),
    canonical_url: Uri.describe("Guide for people and programs."),
    machine_json_url: Uri.describe("URL of this document."),
    summary: Summary,
    surfaces: z.array(SurfaceEntry),
    access_policy: AccessPolicy,
    freshness: z.looseObject({
      data_as_of: Timestamp,
      current_status: CurrentStatus,
      status_as_of: Timestamp.describe("Time to which `current_status` applies."),
      valid_until: Timestamp.nullable().describe(
        "Time at which `current_status` changes if no newer release is published; null when it does not change.",
      ),
      status_note: z.string(),
      status_url: Uri.describe("URL that returns the status at the time of the request."),
      latest_seal_at: Timestamp.nullable(),
      note: z.string(),
    }),
    usage_visibility: z.looseObject({ available: z.boolean(), reason: z.string() }),
    limitations: z.array(z.string()).min(1),
    recommended_citations: z.array(Citation).min(1),
  })
  .meta({
    id: "SearchAiReadiness",
    description: "Contents, freshness and citation rules for search engines and AI assistants.",
  });
export type SearchAiReadiness = z.infer<typeof SearchAiReadiness>;
