import type { RankedEntity } from "../../contract/cities/city.ts";
import type { ChangeEvent } from "../../contract/cities/pulse.ts";
import { MCP_LIMITS } from "../../contract/limits.ts";
import {
  checkBusinessReality as businessRealityContract,
  type EvidenceVerdict,
  checkPhysicalEvidence as physicalEvidenceContract,
  type RealityVerdict,
  realityDeprecation,
} from "../../contract/mcp/evidence-tools.ts";
import type { Detail, EventInShort } from "../../contract/mcp/fields.ts";
import {
  cityIndexTool,
  comparePresence as comparePresenceContract,
  getPulseTool,
  getPhysicalPresence as physicalPresenceContract,
} from "../../contract/mcp/tools.ts";
import { NAME_ONLY_NOTE, NO_RESULT, SIMILAR_NAMES_NOTE } from "../../contract/records/claim-boundary.ts";
import { cityIndex as resource } from "../../resources/cities/city-index.ts";
import { pulse } from "../../resources/cities/pulse.ts";
import type { ReadContext } from "../../resources/define.ts";
import { evidence } from "../../resources/records/evidence.ts";
import { cityMembers, findCity } from "../release-facts.ts";
import { cityList } from "./city-list.ts";
import { argumentError, definedOnly, defineTool, type Tool } from "./define-tool.ts";
import { checkEvidence, evidenceSummary, recordInShort } from "./evidence-check.ts";
import {
  type Answered,
  ASK_AGAIN,
  askedFor,
  findAsked,
  findRecord,
  identityOf,
  type Lookup,
  severalText,
  similarText,
} from "./find-record.ts";

const VERDICTS: Readonly<Record<EvidenceVerdict, RealityVerdict>> = {
  physical_citations_found: "physically_observed",
  no_accepted_citation: "no_accepted_citation",
  record_not_found: "record_not_found",
  ambiguous_name: "ambiguous_name",
};

/** Deprecated alias of check_physical_evidence, served until the contract's next major version. */
export const checkBusinessReality = defineTool(
  businessRealityContract,
  (context, { name_or_address, public_id, city, detail }) => {
    const asked = askedFor(businessRealityContract, "name_or_address", name_or_address, public_id);
    const { verdict, summary, ...check } = checkEvidence(context, asked, city, detail);
    return {
      verdict: VERDICTS[verdict],
      deprecated: realityDeprecation,
      summary: `${summary} ${NAME_ONLY_NOTE}`,
      ...check,
    };
  },
);

export const checkPhysicalEvidence = defineTool(
  physicalEvidenceContract,
  (context, { business_name, public_id, city, detail }) =>
    checkEvidence(
      context,
      askedFor(physicalEvidenceContract, "business_name", business_name, public_id),
      city,
      detail,
    ),
);

export const getPhysicalPresence = defineTool(
  physicalPresenceContract,
  (context, { business_name, public_id, city: cityText, detail }) => {
    const asked = askedFor(physicalPresenceContract, "business_name", business_name, public_id);
    const answered = findAsked(context, asked, cityText);
    return {
      ...recordInShort(context, answered.lookup, detail),
      note: presenceNote(context, answered),
      ...cityMembers(answered.scope, detail),
    };
  },
);

function presenceNote(context: ReadContext, { scope, lookup }: Answered): string {
  if (lookup.kind === "none")
    return [NO_RESULT.meaning, NO_RESULT.limitation, scope.reach, similarText(lookup)]
      .filter((sentence) => sentence !== "")
      .join(" ");
  if (lookup.kind === "several") return severalText(lookup, scope);
  const { public_id } = lookup.record;
  return evidenceSummary(evidence.read(context, { public_id }, {}), scope);
}

const NOTE = `Missing evidence is not treated as absence. ${NO_RESULT.limitation} Scores are relative to the ranked records of this city.`;
const SEVERAL = `A name with candidates matches several records. ${ASK_AGAIN}`;

export const comparePresence = defineTool(
  comparePresenceContract,
  (context, { business_names, city: cityText, detail }) => {
    const city = findCity(context, cityText);
    const compared = business_names.map((query) => ({
      query,
      lookup: findRecord(context, city.slug, query),
    }));
    return {
      city: city.name,
      city_slug: city.slug,
      comparison: compared.map(({ query, lookup }) => ({
        query,
        ...recordInShort(context, lookup, detail, MCP_LIMITS.comparedCandidates),
      })),
      note: comparisonNote(compared.map(({ lookup }) => lookup)),
      ...cityMembers(city, detail),
    };
  },
);

function comparisonNote(lookups: readonly Lookup[]): string {
  const several = lookups.some(({ kind }) => kind === "several") ? ` ${SEVERAL}` : "";
  const similar = lookups.some((lookup) => lookup.kind === "none" && lookup.similar.length > 0);
  return `${NOTE}${several}${similar ? ` ${SIMILAR_NAMES_NOTE}` : ""}`;
}

export const cityIndex = defineTool(cityIndexTool, (context, { city: cityText, limit, detail, ...query }) => {
  if (cityText === undefined) return listOfCities(context, limit, query);
  const city = findCity(context, cityText);
  const page = resource.read(context, { city: city.slug }, { ...definedOnly(query), limit: String(limit) });
  return {
    city: { slug: city.slug, name: city.name },
    filters: {
      industry: page.industry,
      online_presence: query.online_presence ?? null,
      ranking_state: page.ranking_state,
      claim_status: page.claim_status,
    },
    returned_count: page.returned_count,
    total_count: page.total_count,
    has_more: page.has_more,
    ...(page.next_cursor === null ? {} : { next_cursor: page.next_cursor }),
    snapshot_id: page.snapshot_id,
    rankings: page.rankings.map((record) => ranked(record, detail)),
    ranking_summary: page.ranking_summary,
    coverage_context: city.coverage,
    data_as_of: page.data_as_of,
  };
});

function listOfCities(
  context: ReadContext,
  limit: number,
  { cursor, ...filters }: Readonly<Record<string, string | undefined>>,
) {
  const given = Object.keys(definedOnly(filters));
  if (given.length > 0)
    throw argumentError(
      cityIndexTool,
      `pass city with ${given.join(", ")}, or no filters to list the cities`,
    );
  return cityList(context, { limit, cursor });
}

function ranked(record: RankedEntity, detail: Detail) {
  const { rank, public_id, name, is_synthetic, record_type, record_url, pps, ranking_gate } = record;
  const row = { rank, public_id, name, is_synthetic, record_type, record_url, pps };
  const identity_hierarchy = identityOf(record, detail);
  if (detail === "brief") {
    const { status, missing_requirements } = ranking_gate;
    return { ...row, ranking_gate: { status, missing_requirements }, identity_hierarchy };
  }
  const { pps_without_any_one_observer, gate_holds_without_any_one_observer } = record;
  return {
    ...row,
    pps_without_any_one_observer,
    gate_holds_without_any_one_observer,
    ranking_gate,
    identity_hierarchy,
  };
}

export const getPulse = defineTool(getPulseTool, (context, { city: cityText, limit, detail, ...query }) => {
  const city = findCity(context, cityText);
  const feed = pulse.read(context, { city: city.slug }, { ...definedOnly(query), limit: String(limit) });
  const isFull = detail === "full";
  return {
    city: feed.city,
    since: feed.since,
    events: isFull ? feed.events : feed.events.map(inShort),
    total_events: feed.summary.total_events,
    total_count: feed.total_count,
    has_more: feed.has_more,
    ...(feed.next_cursor === null ? {} : { next_cursor: feed.next_cursor }),
    ...(isFull ? { feeds: feed.feeds } : {}),
    ...cityMembers(city, detail),
    data_as_of: feed.data_as_of,
  };
});

function inShort(event: ChangeEvent): EventInShort {
  const { id, type, detected_at, summary, entity_public_id, entity_name, record_url, asset_type } = event;
  const { is_synthetic, confidence, confidence_label, evidence_count, verif_state } = event;
  return {
    id,
    type,
    detected_at,
    summary,
    entity_public_id,
    entity_name,
    is_synthetic,
    record_url,
    asset_type,
    confidence,
    confidence_label,
    evidence_count,
    verif_state,
    months_looked_since: event.months_looked_since,
  };
}

/** All tools, in the order of interface 4.21. */
export const tools: readonly Tool[] = [
  getPhysicalPresence,
  comparePresence,
  cityIndex,
  checkPhysicalEvidence,
  checkBusinessReality,
  getPulse,
];
