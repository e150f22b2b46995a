import type { JsonObject } from "../../kernel/text/canonical-json.ts";
import { inlineJsonSchema } from "../json-schema.ts";
import { TOOL_ANNOTATIONS, type ToolContract } from "./tools.ts";

/** A tool as `tools/list` shows it. Schemas are JSON Schema 2020-12 that stand by themselves. */
export interface PublishedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  readonly annotations: typeof TOOL_ANNOTATIONS;
}

/** The one form of a tool that clients see: the server and `/mcp/contract.json` show the same. */
export function publishedTool({ name, title, description, input, output }: ToolContract): PublishedTool {
  return {
    name,
    title,
    description,
    inputSchema: inlineJsonSchema(input, "input"),
    outputSchema: inlineJsonSchema(output, "output"),
    annotations: TOOL_ANNOTATIONS,
  };
}
