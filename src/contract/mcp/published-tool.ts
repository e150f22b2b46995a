import { inlineJsonSchema } from "../json-schema.ts";
import type { ToolContract } from "./tool-contract.ts";
import { TOOL_ANNOTATIONS } from "./tools.ts";

/** A tool as listed by `tools/list`. Schemas are self-contained JSON Schema 2020-12. */
export type PublishedTool = ReturnType<typeof publishedTool>;

/** Returns the published form of a tool, shared by the server and `/mcp/contract.json`. */
export function publishedTool({ name, title, description, input, output }: ToolContract) {
  return {
    name,
    title,
    description,
    inputSchema: inlineJsonSchema(input, "input"),
    outputSchema: inlineJsonSchema(output, "output"),
    annotations: TOOL_ANNOTATIONS,
  };
}
