import { NO_RESULT } from "../records/claim-boundary.ts";
import type { EvidenceVerdict, RealityVerdict } from "./evidence-tools.ts";

/** Meaning and limits of each verdict. */
export const VERDICT_TEXT: Readonly<Record<EvidenceVerdict | RealityVerdict, string>> = {
  physical_citations_found:
    "The record has accepted physical citations. The result names the newest one and how certain its evidence is. The verdict does not state that the business is legitimate or still there.",
  physically_observed:
    "The same as `physical_citations_found`, under the deprecated tool's name. The verdict does not judge the business.",
  no_accepted_citation: `The record has no accepted physical citation, which proves nothing about the business. ${NO_RESULT.limitation}`,
  record_not_found: `The name matches no record in the city, which proves nothing about the business. ${NO_RESULT.limitation}`,
  ambiguous_name:
    "The name matches several records, listed in `candidates`, and `citation` quotes none of them. Call the tool again with the `public_id` of one.",
};
