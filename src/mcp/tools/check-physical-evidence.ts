import { checkPhysicalEvidence as contract } from "../../contract/mcp/evidence-tools.ts";
import { askedFor } from "./asked-record.ts";
import { defineTool } from "./define-tool.ts";
import { checkEvidence } from "./evidence-check.ts";

export const checkPhysicalEvidence = defineTool(contract, (context, { business_name, public_id, city }) =>
  checkEvidence(context, askedFor(contract, "business_name", business_name, public_id), city),
);
