import { NO_RESULT } from "../claim-boundary.ts";
import type { EvidenceVerdict, RealityVerdict } from "./tools.ts";

/** What each verdict of the two checks says, and what it does not. */
export const VERDICT_TEXT: Readonly<Record<EvidenceVerdict | RealityVerdict, string>> = {
  physical_citations_found:
    "The record has accepted physical citations; the answer names the newest. It does not say that the business is legitimate, or that it is still there.",
  physically_observed:
    "The same as `physical_citations_found`, in the words of the deprecated tool. It is no judgement of the business.",
  no_accepted_citation: `There is a record without any accepted physical citation. ${NO_RESULT.limitation}`,
  record_not_found: `The name leads to no record of the city. ${NO_RESULT.limitation}`,
  ambiguous_name:
    "The name fits several records, listed in `candidates`. Nothing is guessed: ask again with one of those names, or tell them apart by `record_url`.",
};
