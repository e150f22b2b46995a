import { CURRENT_SENTENCE, type QuoteFacts, sentenceOf } from "../../contract/citation/sentences.ts";
import { FILES_NOTE, MCP_LIMITS, READS_PER_MINUTE } from "../../contract/limits.ts";
import { CITATION_NOTE, LICENSE, NO_RESULT, serviceName } from "../../contract/records/claim-boundary.ts";
import {
  type AgeShare,
  type CityShare,
  type ReadinessSummary,
  SearchAiReadiness,
} from "../../contract/records/search.ts";
import { CONTRACT_STATUS, SCHEMA } from "../../contract/versions.ts";
import { isoDate, isoTime } from "../../kernel/time.ts";
import type { RecordTally } from "../../snapshot/queries/release-queries.ts";
import type { CityRow, ReleaseRow } from "../../snapshot/rows.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { defineDocument } from "../define.ts";
import { cityDateOrNull, timeOrNull } from "../envelope.ts";
import { agentsUrl, robotsUrl } from "../links.ts";
import { SURFACES, surfaceUrl } from "../surfaces.ts";
import { usageVisibility } from "./machine-activity.ts";
import { statusFields, systemStatus } from "./system-status.ts";

/** Access, rate limits and citation rules of the service. `baseUrl` has no trailing slash. */

export function accessPolicy(baseUrl: string): SearchAiReadiness["access_policy"] {
  return {
    key_required: false,
    rate_limits: {
      reads_per_minute: READS_PER_MINUTE,
      mcp_messages_per_minute: MCP_LIMITS.requestsPerMinute,
      mcp_burst: MCP_LIMITS.burst,
      note: FILES_NOTE,
    },
    robots: {
      policy: "Search engines and AI assistants are welcome to read and cite this service.",
      robots_url: robotsUrl(baseUrl),
    },
    license: LICENSE,
  };
}

const SEEN_ONCE: Omit<QuoteFacts, "treeSize" | "asOfDate"> = {
  name: "{name}",
  city: "{city}",
  isSynthetic: false,
  accepted: 1,
  states: { provisional: 1, corroborated: 0, verified: 0 },
  observers: 1,
  counted: 1,
  firstDate: "{date}",
  lastDate: "{date}",
  newest: { row: "{row}", kind: "location_presence", date: "{date}", state: "provisional" },
};

/** Citation templates with field names in place of values, built by the same functions as real citations. */
export function recommendedCitations({
  asOf,
  baseUrl,
  treeSize,
  siteName,
}: ReleaseRow): SearchAiReadiness["recommended_citations"] {
  const asOfDate = isoDate(asOf);
  const service = serviceName({ siteName });
  const facts = { ...SEEN_ONCE, treeSize, asOfDate, service };
  return [
    {
      cites: "A record observed once by one observer",
      template: `${sentenceOf(CURRENT_SENTENCE, facts)} {citation_url}`,
      note: `Take \`citation\` of check_physical_evidence, or \`citations.suggested_citation\` of the evidence packet. ${CITATION_NOTE}`,
    },
    {
      cites: "A record without an accepted citation",
      template: `${sentenceOf(CURRENT_SENTENCE, { ...facts, accepted: 0, counted: 0, newest: null })} {citation_url}`,
      note: NO_RESULT.limitation,
    },
    {
      cites: "Aggregate figures",
      template: `${service}, data as of ${asOfDate}, ${baseUrl}/`,
      note: LICENSE,
    },
  ];
}

/** Counts of a release's contents. All figures are sums over the same tallies. */
export function readinessSummary(snapshot: Snapshot): ReadinessSummary {
  const tallies = snapshot.recordTallies();
  const entities = sum(tallies, "records");
  const latest = latestObserved(tallies);
  const observedProduction = tallies.filter((tally) => !tally.isSynthetic && tally.observations > 0);
  return {
    metrics_available: entities > 0,
    metrics_status: entities > 0 ? "computed_from_release" : "no_published_records",
    public_entities: entities,
    public_observations: sum(tallies, "observations"),
    public_assets: sum(tallies, "assets"),
    cities_with_production_evidence: new Set(observedProduction.map(({ city }) => city)).size,
    synthetic_entities: sum(tallies.filter(isSynthetic), "records"),
    latest_public_observation_at: timeOrNull(latest?.lastObserved ?? null),
    latest_public_observation_on: dayOf(snapshot, latest),
    coverage_is_city_specific: true,
    city_distribution: cityDistribution(snapshot.cities(), tallies),
    freshness_distribution: freshnessDistribution(tallies),
  };
}

type Tallies = readonly RecordTally[];

function isSynthetic(tally: RecordTally): boolean {
  return tally.isSynthetic;
}

function sum(tallies: Tallies, figure: "records" | "observations" | "assets"): number {
  return tallies.reduce((total, tally) => total + tally[figure], 0);
}

/** Cities begin their days at different instants: the day that began last counts. */
function latestObserved(tallies: Tallies): RecordTally | undefined {
  return tallies.reduce<RecordTally | undefined>(
    (latest, tally) =>
      tally.lastObserved !== null && tally.lastObserved > (latest?.lastObserved ?? Number.NEGATIVE_INFINITY)
        ? tally
        : latest,
    undefined,
  );
}

function dayOf(snapshot: Snapshot, tally: RecordTally | undefined): string | null {
  return tally === undefined ? null : cityDateOrNull(tally.lastObserved, snapshot.city(tally.city)?.lng ?? 0);
}

function cityDistribution(cities: readonly CityRow[], tallies: Tallies): CityShare[] {
  const byCity = Map.groupBy(tallies, ({ city }) => city);
  return cities.map(({ slug, name, coverage }) => {
    const own = byCity.get(slug) ?? [];
    return {
      slug,
      name,
      entities: sum(own, "records"),
      synthetic_entities: sum(own.filter(isSynthetic), "records"),
      observations: sum(own, "observations"),
      assets: sum(own, "assets"),
      coverage: { tier: coverage.tier, level: coverage.level },
    };
  });
}

/** Maximum age of each class in whole days; the last class has all older records. */
const AGE_CLASSES = [30, 90, 180, 365];

/** Assigns each record to one class; the last is for records without accepted observations. */
function freshnessDistribution(tallies: Tallies): AgeShare[] {
  const bounds = [...AGE_CLASSES, null].map((max, index) => ({
    min: (AGE_CLASSES[index - 1] ?? -1) + 1,
    max,
  }));
  const classes = bounds.map(({ min, max }) => ({
    min_age_days: min,
    max_age_days: max,
    entities: sum(
      tallies.filter(({ ageDays }) => ageDays !== null && ageDays >= min && (max === null || ageDays <= max)),
      "records",
    ),
  }));
  const never = tallies.filter(({ ageDays }) => ageDays === null);
  return [...classes, { min_age_days: null, max_age_days: null, entities: sum(never, "records") }];
}

const PATH = "/api/v1/search-ai-readiness";

export const searchAiReadiness = defineDocument({
  operationId: "getSearchAiReadiness",
  path: PATH,
  summary: "Get contents, freshness and citation rules for search engines and AI assistants",
  description:
    "All figures cover the current release. `usage_visibility` states where to find request counts.",
  wire: SearchAiReadiness,
  load(context) {
    const { snapshot } = context;
    const release = snapshot.release();
    const { asOf, baseUrl, lastSealAt } = release;
    return {
      schema: SCHEMA.searchAiReadiness,
      generated_at: isoTime(asOf),
      status: CONTRACT_STATUS,
      canonical_url: agentsUrl(baseUrl),
      machine_json_url: `${baseUrl}${PATH}`,
      summary: readinessSummary(snapshot),
      surfaces: surfaces(baseUrl),
      access_policy: accessPolicy(baseUrl),
      freshness: {
        data_as_of: isoTime(asOf),
        ...statusFields(context),
        latest_seal_at: timeOrNull(lastSealAt),
        status_url: `${baseUrl}${systemStatus.path}`,
        note: FRESHNESS_NOTE,
      },
      usage_visibility: usageVisibility(release),
      limitations: LIMITATIONS,
      recommended_citations: recommendedCitations(release),
    };
  },
});

const FRESHNESS_NOTE =
  "All responses describe the same time, `data_as_of`, and a new release replaces them together. Newer ledger rows await their seal. `current_status` applies to `status_as_of` and changes at `valid_until` if no newer release is published. `status_url` returns the status at the time of the request.";

const LIMITATIONS = [
  `Nothing found: ${NO_RESULT.meaning} ${NO_RESULT.limitation}`,
  "Counts cover published data, not all businesses or assets of a city.",
  "Coverage differs by city: figures of one city say nothing about another.",
  "Records marked `is_synthetic` are demonstration data. Totals include them, and `synthetic_entities` counts them separately.",
];

function surfaces(baseUrl: string): SearchAiReadiness["surfaces"] {
  return SURFACES.map((surface) => ({
    name: surface.id,
    title: surface.title,
    url: surfaceUrl(baseUrl, surface),
    media_type: surface.mediaType,
    purpose: surface.purpose,
  }));
}
