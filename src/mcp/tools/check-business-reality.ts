import {
  checkBusinessReality as contract,
  type EvidenceVerdict,
  type RealityVerdict,
  realityDeprecation,
} from "../../contract/mcp/evidence-tools.ts";
import { NAME_ONLY_NOTE } from "../../contract/records/claim-boundary.ts";
import { askedFor } from "./asked-record.ts";
import { defineTool } from "./define-tool.ts";
import { checkEvidence } from "./evidence-check.ts";

const VERDICTS: Readonly<Record<EvidenceVerdict, RealityVerdict>> = {
  physical_citations_found: "physically_observed",
  no_accepted_citation: "no_accepted_citation",
  record_not_found: "record_not_found",
  ambiguous_name: "ambiguous_name",
};

/** Deprecated alias of check_physical_evidence, served until the contract's next major version. */
export const checkBusinessReality = defineTool(contract, (context, { name_or_address, public_id, city }) => {
  const asked = askedFor(contract, "name_or_address", name_or_address, public_id);
  const { verdict, summary, ...check } = checkEvidence(context, asked, city);
  return {
    verdict: VERDICTS[verdict],
    deprecated: realityDeprecation,
    summary: `${summary} ${NAME_ONLY_NOTE}`,
    ...check,
  };
});
