import type { Candidates, Match, ScoreInShort } from "../../contract/mcp/fields.ts";
import { newestCitationUrl } from "../../resources/citations/citation.ts";
import type { ReadContext } from "../../resources/define.ts";
import { presenceScore } from "../../resources/records/presence-score.ts";
import { candidatesOf, type Lookup, matchOf } from "./find-record.ts";

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
