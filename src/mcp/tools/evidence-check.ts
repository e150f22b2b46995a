import { PresenceKind } from "../../contract/enums.ts";
import { MCP_LIMITS } from "../../contract/limits.ts";
import type { EvidenceCheck, EvidenceVerdict } from "../../contract/mcp/evidence-tools.ts";
import type { Candidates, Detail, Match, ScoreInShort } from "../../contract/mcp/fields.ts";
import {
  ambiguousCitation,
  missingCitation,
  NO_RESULT,
  NOTHING_COUNTS,
  PRESENCE_KIND_LIMIT,
  serviceName,
} from "../../contract/records/claim-boundary.ts";
import type { LastSeen } from "../../contract/records/entity.ts";
import type { EvidencePacket } from "../../contract/records/evidence.ts";
import { evidenceStateWords, markedName, type Observation } from "../../contract/records/observation.ts";
import type { SimilarNames } from "../../contract/records/search.ts";
import { newestCitationUrl, recordLastSeen } from "../../resources/citations/citation.ts";
import type { ReadContext } from "../../resources/define.ts";
import { evidenceUrl } from "../../resources/links.ts";
import { presenceScore } from "../../resources/records/entity.ts";
import { evidence } from "../../resources/records/evidence.ts";
import { cityMembers, type Scope } from "../release-facts.ts";
import {
  type Asked,
  candidatesOf,
  findAsked,
  type Lookup,
  matchOf,
  type None,
  type One,
  type Several,
  sameNameIn,
  severalText,
  similarNamesOf,
  similarText,
} from "./find-record.ts";

interface RecordInShort {
  readonly found: boolean;
  readonly match?: Match;
  readonly presence_score?: ScoreInShort;
  readonly citation_count?: number;
  readonly citation_url?: string | undefined;
  readonly last_seen?: LastSeen;
  readonly candidates?: Candidates;
  readonly same_name_in?: string[];
  readonly similar_names?: SimilarNames;
}

/** Lookup result of one name, shared by two tools. */
export function recordInShort(
  context: ReadContext,
  lookup: Lookup,
  detail: Detail,
  max?: number, // of candidates, and of other cities
): RecordInShort {
  const elsewhere = sameNameIn(context, lookup, max);
  if (lookup.kind === "none")
    return { found: false, ...elsewhere, ...similarNamesOf(lookup, max && MCP_LIMITS.comparedSimilar) };
  if (lookup.kind === "several")
    return { found: false, candidates: candidatesOf(context, lookup, max), ...elsewhere };
  const { record } = lookup;
  const citation_url = newestCitationUrl(context.snapshot, record.public_id);
  const last_seen = recordLastSeen(context.snapshot, record.public_id);
  const { pps, pps_without_any_one_observer, gate_holds_without_any_one_observer, cohort_percentile } =
    presenceScore.read(context, { public_id: record.public_id }, {});
  return {
    found: true,
    match: matchOf(lookup, detail),
    presence_score: {
      pps,
      pps_without_any_one_observer,
      gate_holds_without_any_one_observer,
      cohort_percentile,
    },
    citation_count: context.snapshot.record(record.public_id)?.observationCount ?? 0,
    citation_url,
    ...(last_seen === null ? {} : { last_seen }),
    ...elsewhere,
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
export function evidenceSummary(packet: EvidencePacket, city: Scope): string {
  const { name, is_synthetic: isSynthetic } = packet.record;
  const quoted = markedName({ name: `"${name}"`, isSynthetic });
  const citations = citationCount(packet);
  const { newest: state, independent_observers: observers } = packet.citations.evidence_state;
  if (state === null)
    return `The record ${quoted} in ${city.name} has no accepted physical citation, which proves nothing about the business. ${whatFollows(city)}`;
  const count =
    citations === 1 ? "One accepted physical citation" : `${citations} accepted physical citations`;
  const certainty = evidenceStateWords({ state, observers, citations });
  const newest = newestAccepted(packet);
  const kind = newest === undefined ? "" : ` ${kindText(newest.presence_kind)}`;
  const counts = packet.observations.counting === 0 ? ` ${NOTHING_COUNTS}` : "";
  return `${count} of ${quoted} in ${city.name}: ${certainty}.${counts}${kind}`;
}

/** What a missing record or citation means where it was looked for. */
export function whatFollows({ coverage, reach }: Scope): string {
  return [NO_RESULT.limitation, reach, coverage.note].filter((part) => part !== "").join(" ");
}

function kindText(kind: PresenceKind): string {
  return `The newest is a ${kind.replace("_", " ")}. ${PRESENCE_KIND_LIMIT[kind]}`;
}

/** Checks for accepted citations of a requested record in a city (slug or display name), or in all. Throws like `findAsked`. */
export function checkEvidence(
  context: ReadContext,
  asked: Asked,
  cityText: string | undefined,
  detail: Detail = "brief",
): EvidenceCheck {
  const { scope, lookup } = findAsked(context, asked, cityText);
  const about = { ...sameNameIn(context, lookup), ...cityMembers(scope, detail) };
  if (lookup.kind === "one") return { ...recordCheck(context, scope, lookup, detail), ...about };
  return lookup.kind === "none"
    ? { ...missingCheck(context, scope, lookup), ...about }
    : { ...ambiguousCheck(context, scope, lookup), ...about };
}

function recordCheck(context: ReadContext, city: Scope, found: One, detail: Detail) {
  const { public_id } = found.record;
  const entity = matchOf(found, detail);
  const packet = evidence.read(context, { public_id }, {});
  const count = citationCount(packet);
  const newest = newestAccepted(packet);
  const verdict: EvidenceVerdict = count === 0 ? "no_accepted_citation" : "physical_citations_found";
  return {
    verdict,
    summary: evidenceSummary(packet, city),
    citation: packet.citations.suggested_citation,
    citation_url: packet.citations.citation_url,
    ...(newest === undefined ? {} : { cited_observation: citedObservation(newest) }),
    ...(packet.last_seen === null ? {} : { last_seen: packet.last_seen }),
    entity,
    citation_count: count,
    evidence_url: evidenceUrl(context.snapshot.release().baseUrl, public_id),
  };
}

function missingCheck(context: ReadContext, scope: Scope, missing: None) {
  const summary = `No Presence Record in ${scope.name} has that name, which proves nothing about the business. ${whatFollows(scope)}`;
  return {
    verdict: "record_not_found" as const,
    summary: `${summary} ${similarText(missing)}`.trim(),
    citation: missingCitation({ name: missing.name, ...source(context, scope) }),
    ...similarNamesOf(missing),
  };
}

function ambiguousCheck(context: ReadContext, scope: Scope, several: Several) {
  return {
    verdict: "ambiguous_name" as const,
    summary: severalText(several, scope),
    citation: ambiguousCitation({
      name: several.name,
      records: several.total,
      isLowerBound: several.isLowerBound,
      isPart: several.matchedBy === "unique_substring",
      ...source(context, scope),
    }),
    candidates: candidatesOf(context, several),
  };
}

/** Place, name of the service, date and URL for a sentence without a record. */
function source({ snapshot }: ReadContext, { name: city, url, dataAsOf }: Scope) {
  const service = serviceName({ siteName: snapshot.release().siteName });
  return { city, service, asOfDate: dataAsOf.slice(0, 10), url };
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
