import { TOOLS } from "../../contract/mcp/tools.ts";
import type { JsonValue } from "../../kernel/text/canonical-json.ts";
import { readExample } from "./examples.ts";

/** Results of the tools' canonical examples (`structuredContent`), by tool name. */
export type ToolExamples = ReadonlyMap<string, JsonValue>;

/** Reads the results that `npm run examples` generated. Throws like `readExample`. */
export function toolExamples(): ToolExamples {
  return new Map(
    TOOLS.map(({ name, output }) => [name, JSON.parse(JSON.stringify(readExample(`mcp/${name}`, output)))]),
  );
}
