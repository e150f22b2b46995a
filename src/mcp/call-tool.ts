import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { PublicError } from "../kernel/errors.ts";
import type { Log } from "../kernel/log.ts";
import type { ReadContext } from "../resources/define.ts";
import type { Tool } from "./define-tool.ts";
import { ToolError } from "./tool-error.ts";
import { tools } from "./tools.ts";

export interface CallParts {
  /** The release being served; undefined before the first. Asked anew for every call, because releases come and go. */
  context(): ReadContext | undefined;
  readonly log: Log;
  /** Names a failure in the answer and in the log. */
  newFailureId(): string;
}

const byName: ReadonlyMap<string, Tool> = new Map(tools.map((tool) => [tool.contract.name, tool]));

/** Run a tool. Throws ProtocolError -32602 for a name that no tool has; every other failure is an `isError` result. */
export function callTool(parts: CallParts, name: string, given: unknown): CallToolResult {
  const tool = byName.get(name);
  if (tool === undefined)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Unknown tool: ${name.slice(0, 100)}. Tools: ${[...byName.keys()].join(", ")}.`,
    );
  try {
    const context = parts.context();
    if (context === undefined) throw new ToolError("Nothing has been published yet: try again later.");
    const structuredContent = tool.call(context, given);
    // Some hosts show the model only the text, so it holds all that the structure holds.
    return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
  } catch (error) {
    return { content: [{ type: "text", text: publicText(error, parts, name) }], isError: true };
  }
}

function publicText(error: unknown, { log, newFailureId }: CallParts, tool: string): string {
  if (error instanceof ToolError || error instanceof PublicError) return error.message;
  const failure_id = newFailureId();
  const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log.error("tool_failed", { failure_id, tool, fault });
  return `Internal error ${failure_id}. The failure was logged; try again, or with other arguments.`;
}
