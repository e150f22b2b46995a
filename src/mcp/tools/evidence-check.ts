import type { EvidenceCheck } from "../../contract/mcp/evidence-tools.ts";
import { ambiguousCitation, missingCitation } from "../../contract/records/claim-boundary.ts";
import type { Observation } from "../../contract/records/observation.ts";
import type { ReadContext } from "../../resources/define.ts";
import { cityUrl, evidenceUrl } from "../../resources/links.ts";
import { evidence } from "../../resources/records/evidence.ts";
import type { City } from "../release-facts.ts";
import { type Asked, findAsked } from "./asked-record.ts";
import { citationCount, evidenceSummary, newestAccepted, whatFollows } from "./evidence-summary.ts";
import { candidatesOf, matchOf, type One, type Several, severalText } from "./find-record.ts";

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
