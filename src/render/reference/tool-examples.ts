import { TOOLS } from "../../contract/mcp/tools.ts";
import type { JsonValue } from "../../kernel/text/canonical-json.ts";
import { readExample } from "./examples.ts";

/** The result of each tool's canonical example (`structuredContent`), by the name of the tool. */
export type ToolExamples = ReadonlyMap<string, JsonValue>;

/** As `npm run examples` left them. Throws as `readExample` does. */
export function toolExamples(): ToolExamples {
  return new Map(
    TOOLS.map(({ name, output }) => [name, JSON.parse(JSON.stringify(readExample(`mcp/${name}`, output)))]),
  );
}
