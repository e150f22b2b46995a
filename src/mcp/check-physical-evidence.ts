import { checkPhysicalEvidence as contract } from "../contract/mcp/tools.ts";
import { defineTool } from "./define-tool.ts";
import { checkEvidence } from "./evidence-check.ts";

export const checkPhysicalEvidence = defineTool(contract, (context, { business_name, city }) =>
  checkEvidence(context, business_name, city),
);
