import { PresenceKind } from "../../contract/enums.ts";
import type { EvidenceCheck } from "../../contract/mcp/evidence-tools.ts";
import type { Candidates, Match, ScoreInShort } from "../../contract/mcp/fields.ts";
import {
  ambiguousCitation,
  missingCitation,
  NO_RESULT,
  NOTHING_COUNTS,
  PRESENCE_KIND_LIMIT,
} from "../../contract/records/claim-boundary.ts";
import type { EvidencePacket } from "../../contract/records/evidence.ts";
import { evidenceStateWords, type Observation } from "../../contract/records/observation.ts";
import { newestCitationUrl } from "../../resources/citations/citation.ts";
import type { ReadContext } from "../../resources/define.ts";
import { cityUrl, evidenceUrl } from "../../resources/links.ts";
import { presenceScore } from "../../resources/records/entity.ts";
import { evidence } from "../../resources/records/evidence.ts";
import type { City } from "../release-facts.ts";
import {
  type Asked,
  candidatesOf,
  findAsked,
  type Lookup,
  matchOf,
  type One,
  type Several,
  severalText,
} from "./find-record.ts";

interface RecordInShort {
  readonly found: boolean;
  readonly match?: Match;
  readonly presence_score?: ScoreInShort;
  readonly citation_url?: string | undefined;
  readonly candidates?: Candidates;
}

/** Lookup result of one name, shared by two tools. */
export function recordInShort(context: ReadContext, lookup: Lookup): RecordInShort {
  if (lookup.kind === "none") return { found: false };
  if (lookup.kind === "several") return { found: false, candidates: candidatesOf(lookup) };
  const { record, matchedBy } = lookup;
  const citation_url = newestCitationUrl(context.snapshot, record.public_id);
  const { pps, pps_without_any_one_observer, gate_holds_without_any_one_observer, cohort_percentile } =
    presenceScore.read(context, { public_id: record.public_id }, {});
  return {
    found: true,
    match: matchOf(record, matchedBy),
    presence_score: {
      pps,
      pps_without_any_one_observer,
      gate_holds_without_any_one_observer,
      cohort_percentile,
    },
    citation_url,
  };
}

/** Number of accepted physical citations of all kinds. */
export function citationCount({ citations }: EvidencePacket): number {
  return PresenceKind.options.reduce((sum, kind) => sum + citations[kind], 0);
}

/** The cited row, if it is among the packet's rows: those published last, all of which may be newer. */
export function newestAccepted({ observations, citations }: EvidencePacket): Observation | undefined {
  return observations.recent.find(({ id }) => id === citations.cited_row);
}

/** Summarizes the accepted citations, their certainty and their limits. */
export function evidenceSummary(packet: EvidencePacket, city: City): string {
  const { name } = packet.record;
  const citations = citationCount(packet);
  const { newest: state, independent_observers: observers } = packet.citations.evidence_state;
  if (state === null)
    return `The record "${name}" in ${city.name} has no accepted physical citation, which proves nothing about the business. ${whatFollows(city)}`;
  const count =
    citations === 1 ? "One accepted physical citation" : `${citations} accepted physical citations`;
  const certainty = evidenceStateWords({ state, observers, citations });
  const newest = newestAccepted(packet);
  const kind = newest === undefined ? "" : ` ${kindText(newest.presence_kind)}`;
  const counts = packet.observations.counting === 0 ? ` ${NOTHING_COUNTS}` : "";
  return `${count} of "${name}" in ${city.name}: ${certainty}.${counts}${kind}`;
}

/** What a missing record or citation means in this city. */
export function whatFollows({ coverage }: City): string {
  return `${NO_RESULT.limitation} ${coverage.note}`;
}

function kindText(kind: PresenceKind): string {
  return `The newest is a ${kind.replace("_", " ")}. ${PRESENCE_KIND_LIMIT[kind]}`;
}

/** Checks for accepted citations of a requested record in a city (slug or display name). Throws like `findAsked`. */
export function checkEvidence(context: ReadContext, asked: Asked, cityText: string): EvidenceCheck {
  const { city, lookup } = findAsked(context, asked, cityText);
  if (lookup.kind === "one") return recordCheck(context, city, lookup);
  return lookup.kind === "none"
    ? missingCheck(context, city, lookup.name)
    : ambiguousCheck(context, city, lookup);
}

function recordCheck(context: ReadContext, city: City, { record, matchedBy }: One): EvidenceCheck {
  const { public_id } = record;
  const entity = matchOf(record, matchedBy);
  const packet = evidence.read(context, { public_id }, {});
  const count = citationCount(packet);
  const newest = newestAccepted(packet);
  return {
    verdict: count === 0 ? "no_accepted_citation" : "physical_citations_found",
    summary: evidenceSummary(packet, city),
    citation: packet.citations.suggested_citation,
    citation_url: packet.citations.citation_url,
    ...(newest === undefined ? {} : { cited_observation: citedObservation(newest) }),
    entity,
    citation_count: count,
    evidence_url: evidenceUrl(context.snapshot.release().baseUrl, public_id),
    ...cityMembers(city),
  };
}

function missingCheck(context: ReadContext, city: City, name: string): EvidenceCheck {
  const { asOfDate, url } = source(context, city);
  return {
    verdict: "record_not_found",
    summary: `No Presence Record in ${city.name} has that name, which proves nothing about the business. ${whatFollows(city)}`,
    citation: missingCitation(name, city.name, asOfDate, url),
    ...cityMembers(city),
  };
}

function ambiguousCheck(context: ReadContext, city: City, several: Several): EvidenceCheck {
  return {
    verdict: "ambiguous_name",
    summary: severalText(several, city.name),
    citation: ambiguousCitation({
      name: several.name,
      city: city.name,
      records: several.total,
      isLowerBound: several.isLowerBound,
      isPart: several.matchedBy === "unique_substring",
      ...source(context, city),
    }),
    candidates: candidatesOf(several),
    ...cityMembers(city),
  };
}

/** Date and URL for a sentence about a city. */
function source(context: ReadContext, { slug, dataAsOf }: City) {
  return { asOfDate: dataAsOf.slice(0, 10), url: cityUrl(context.snapshot.release().baseUrl, slug) };
}

function cityMembers({ coverage, dataAsOf }: City) {
  return { coverage_context: coverage, data_as_of: dataAsOf };
}

function citedObservation(row: Observation) {
  const { id, observed_on, observed_at, presence_kind, verif_state, published_at, ledger_hash, proof_url } =
    row;
  const { counts_as_independent, set_aside } = row;
  return {
    id,
    observed_on,
    observed_at,
    presence_kind,
    verif_state,
    counts_as_independent,
    set_aside,
    published_at,
    ledger_hash,
    proof_url,
  };
}
