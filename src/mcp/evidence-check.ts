import { missingCitation, NO_RESULT, PRESENCE_KIND_TEXT } from "../contract/claim-boundary.ts";
import { PresenceKind } from "../contract/enums.ts";
import type { EvidencePacket } from "../contract/evidence.ts";
import type { Match } from "../contract/mcp/fields.ts";
import type { EvidenceCheck } from "../contract/mcp/tools.ts";
import type { Observation } from "../contract/observation.ts";
import type { ReadContext } from "../resources/define.ts";
import { evidence } from "../resources/evidence.ts";
import { cityUrl, evidenceUrl } from "../resources/links.ts";
import { ASK_AGAIN, candidatesOf, findRecord, matchOf } from "./find-record.ts";
import { type City, findCity } from "./release-facts.ts";

/** Whether accepted citations of a name exist in a city (slug or display name). Throws ToolError for an unknown city. */
export function checkEvidence(context: ReadContext, name: string, cityText: string): EvidenceCheck {
  const city = findCity(context, cityText);
  const found = findRecord(context, city.slug, name);
  if (found.kind === "one") return recordCheck(context, city, matchOf(found.record, found.matchedBy));
  const base = nothingFound(context, city, name);
  if (found.kind === "none")
    return {
      verdict: "record_not_found",
      summary: `No Presence Record in ${city.name} has that name. ${whatFollows(city)}`,
      ...base,
    };
  return {
    verdict: "ambiguous_name",
    summary: `Several Presence Records in ${city.name} fit that name. ${ASK_AGAIN}`,
    candidates: candidatesOf(found.records),
    ...base,
  };
}

function recordCheck(context: ReadContext, city: City, entity: Match): EvidenceCheck {
  const packet = evidence.read(context, { public_id: entity.public_id }, {});
  const count = citationCount(packet);
  const shared = {
    entity,
    citation_count: count,
    citation: packet.citations.suggested_citation,
    citation_url: packet.citations.citation_url,
    evidence_url: evidenceUrl(context.snapshot.release().baseUrl, entity.public_id),
    ...cityMembers(city),
  };
  if (count === 0)
    return {
      verdict: "no_accepted_citation",
      summary: `The record "${entity.name}" in ${city.name} has no accepted physical citation. ${whatFollows(city)}`,
      ...shared,
    };
  const newest = newestAccepted(packet);
  return {
    verdict: "physical_citations_found",
    summary: positiveSummary(entity.name, city.name, count, newest),
    // The packet has the rows that were published last; the newest accepted one may be older than all of them.
    ...(newest === undefined ? {} : { cited_observation: citedObservation(newest) }),
    ...shared,
  };
}

function nothingFound(context: ReadContext, city: City, name: string) {
  const { baseUrl } = context.snapshot.release();
  return {
    citation: missingCitation(name, city.name, city.dataAsOf.slice(0, 10), cityUrl(baseUrl, city.slug)),
    ...cityMembers(city),
  };
}

function cityMembers(city: City) {
  return { coverage_context: city.coverage, data_as_of: city.dataAsOf };
}

function whatFollows(city: City): string {
  return `${NO_RESULT.limitation} ${city.coverage.note}`;
}

function citationCount({ citations }: EvidencePacket): number {
  return PresenceKind.options.reduce((sum, kind) => sum + citations[kind], 0);
}

/** The row that the citation speaks of. */
function newestAccepted({ observations, citations }: EvidencePacket): Observation | undefined {
  return observations.recent.find(({ id }) => id === citations.cited_row);
}

function positiveSummary(name: string, city: string, count: number, newest: Observation | undefined): string {
  const found = count === 1 ? "One accepted physical citation" : `${count} accepted physical citations`;
  const kind = newest === undefined ? "" : ` The newest: ${PRESENCE_KIND_TEXT[newest.presence_kind]}`;
  return `${found} of "${name}" in ${city}.${kind}`;
}

function citedObservation(row: Observation) {
  const { id, observed_at, presence_kind, verif_state, published_at, ledger_hash, proof_url } = row;
  return { id, observed_at, presence_kind, verif_state, published_at, ledger_hash, proof_url };
}
