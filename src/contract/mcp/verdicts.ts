import { NO_RESULT } from "../records/claim-boundary.ts";
import type { EvidenceVerdict, RealityVerdict } from "./tools.ts";

/** What each verdict of the two checks says, and what it does not. */
export const VERDICT_TEXT: Readonly<Record<EvidenceVerdict | RealityVerdict, string>> = {
  physical_citations_found:
    "The record has accepted physical citations, and the answer names the newest with the state of its evidence. The verdict does not say that the business is legitimate or still there.",
  physically_observed:
    "The same as `physical_citations_found`, in the words of the deprecated tool. The verdict does not judge the business.",
  no_accepted_citation: `The record has no accepted physical citation, which proves nothing about the business. ${NO_RESULT.limitation}`,
  record_not_found: `The name leads to no record of the city, which proves nothing about the business. ${NO_RESULT.limitation}`,
  ambiguous_name:
    "The name fits several records, listed in `candidates`, and `citation` quotes none of them. Nothing is guessed: ask again with the `public_id` of one.",
};
