import type { RankedEntity } from "../../contract/cities/city.ts";
import {
  checkBusinessReality as businessRealityContract,
  type EvidenceVerdict,
  checkPhysicalEvidence as physicalEvidenceContract,
  type RealityVerdict,
  realityDeprecation,
} from "../../contract/mcp/evidence-tools.ts";
import {
  cityIndexTool,
  comparePresence as comparePresenceContract,
  getPulseTool,
  getPhysicalPresence as physicalPresenceContract,
} from "../../contract/mcp/tools.ts";
import { NAME_ONLY_NOTE, NO_RESULT } from "../../contract/records/claim-boundary.ts";
import { cityIndex as resource } from "../../resources/cities/city-index.ts";
import { pulse } from "../../resources/cities/pulse.ts";
import type { ReadContext } from "../../resources/define.ts";
import { evidence } from "../../resources/records/evidence.ts";
import { findCity } from "../release-facts.ts";
import { definedOnly, defineTool, type Tool } from "./define-tool.ts";
import { checkEvidence, evidenceSummary, recordInShort } from "./evidence-check.ts";
import {
  type Answered,
  ASK_AGAIN,
  askedFor,
  findAsked,
  findRecord,
  type Lookup,
  severalText,
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
  (context, { name_or_address, public_id, city }) => {
    const asked = askedFor(businessRealityContract, "name_or_address", name_or_address, public_id);
    const { verdict, summary, ...check } = checkEvidence(context, asked, city);
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
  (context, { business_name, public_id, city }) =>
    checkEvidence(
      context,
      askedFor(physicalEvidenceContract, "business_name", business_name, public_id),
      city,
    ),
);

export const getPhysicalPresence = defineTool(
  physicalPresenceContract,
  (context, { business_name, public_id, city: cityText }) => {
    const asked = askedFor(physicalPresenceContract, "business_name", business_name, public_id);
    const answered = findAsked(context, asked, cityText);
    return {
      ...recordInShort(context, answered.lookup),
      note: presenceNote(context, answered),
      coverage_context: answered.city.coverage,
      data_as_of: answered.city.dataAsOf,
    };
  },
);

function presenceNote(context: ReadContext, { city, lookup }: Answered): string {
  if (lookup.kind === "none") return `${NO_RESULT.meaning} ${NO_RESULT.limitation}`;
  if (lookup.kind === "several") return severalText(lookup, city.name);
  const { public_id } = lookup.record;
  return evidenceSummary(evidence.read(context, { public_id }, {}), city);
}

const NOTE = `Missing evidence is not treated as absence. ${NO_RESULT.limitation} Scores are relative to the ranked records of this city.`;
const SEVERAL = `A name with candidates matches several records. ${ASK_AGAIN}`;

export const comparePresence = defineTool(
  comparePresenceContract,
  (context, { business_names, city: cityText }) => {
    const city = findCity(context, cityText);
    const compared = business_names.map((query) => ({
      query,
      lookup: findRecord(context, city.slug, query),
    }));
    return {
      city: city.name,
      comparison: compared.map(({ query, lookup }) => ({ query, ...recordInShort(context, lookup) })),
      note: comparisonNote(compared.map(({ lookup }) => lookup)),
      coverage_context: city.coverage,
      data_as_of: city.dataAsOf,
    };
  },
);

function comparisonNote(lookups: readonly Lookup[]): string {
  return lookups.some(({ kind }) => kind === "several") ? `${NOTE} ${SEVERAL}` : NOTE;
}

export const cityIndex = defineTool(cityIndexTool, (context, { city: cityText, limit, ...query }) => {
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
    rankings: page.rankings.map(ranked),
    ranking_summary: page.ranking_summary,
    coverage_context: city.coverage,
    data_as_of: page.data_as_of,
  };
});

function ranked(record: RankedEntity) {
  const { rank, public_id, name, record_type, record_url, pps, ranking_gate, identity_hierarchy } = record;
  const { pps_without_any_one_observer, gate_holds_without_any_one_observer } = record;
  return {
    rank,
    public_id,
    name,
    record_type,
    record_url,
    pps,
    pps_without_any_one_observer,
    gate_holds_without_any_one_observer,
    ranking_gate,
    identity_hierarchy,
  };
}

export const getPulse = defineTool(getPulseTool, (context, { city: cityText, ...query }) => {
  const city = findCity(context, cityText);
  const feed = pulse.read(context, { city: city.slug }, definedOnly(query));
  return {
    city: feed.city,
    since: feed.since,
    events: feed.events,
    total_events: feed.summary.total_events,
    total_count: feed.total_count,
    has_more: feed.has_more,
    ...(feed.next_cursor === null ? {} : { next_cursor: feed.next_cursor }),
    feeds: feed.feeds,
    coverage_context: city.coverage,
    data_as_of: feed.data_as_of,
  };
});

/** All tools, in the order of interface 4.21. */
export const tools: readonly Tool[] = [
  getPhysicalPresence,
  comparePresence,
  cityIndex,
  checkPhysicalEvidence,
  checkBusinessReality,
  getPulse,
];
