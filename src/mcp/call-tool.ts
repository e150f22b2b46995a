import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { shownNames } from "../contract/faults.ts";
import { PublicError } from "../kernel/errors.ts";
import type { Log } from "../kernel/log.ts";
import type { ReadContext } from "../resources/define.ts";
import { answeredNote, failedNote, refusedNote } from "./call-note.ts";
import type { FinishedCall, FinishedCalls } from "./finished-calls.ts";
import type { ParsedCall, Tool } from "./tools/define-tool.ts";
import { ArgumentError, ToolError } from "./tools/tool-error.ts";
import { tools } from "./tools/tools.ts";

export interface CallDeps {
  /** Returns the current release, undefined before the first. Called for every call, because releases change. */
  context(): ReadContext | undefined;
  readonly log: Log;
  /** Creates the id that links a failure's response to the log. */
  newFailureId(): string;
  readonly finished: FinishedCalls;
}

const byName: ReadonlyMap<string, Tool> = new Map(tools.map((tool) => [tool.contract.name, tool]));

/** Runs a tool, or remembers what it answered. Failures become `isError` results. Returns undefined for an unknown tool. */
export function finishCall(deps: CallDeps, name: string, args: unknown): FinishedCall | undefined {
  const tool = byName.get(name);
  if (tool === undefined) return undefined;
  try {
    const context = deps.context();
    if (context === undefined) throw new ToolError("Nothing is published yet: try again later.");
    const call = tool.parse(args);
    const run = () => ran(context, name, call);
    // A cursor may lead to an earlier release, which is not kept for long.
    if ("cursor" in call.args) return run();
    return deps.finished.of(context).take(`${name} ${JSON.stringify(call.args)}`, run);
  } catch (error) {
    const note = error instanceof ArgumentError ? refusedNote(name) : failedNote(name, args);
    const content = [{ type: "text", text: publicText(error, deps, name) }];
    return { members: membersOf({ content, isError: true }), note };
  }
}

/** The same for the protocol's package. Throws ProtocolError -32602 for an unknown tool. */
export function callTool(
  deps: CallDeps,
  name: string,
  args: unknown,
  onFinished: (call: FinishedCall) => void,
): CallToolResult {
  const call = finishCall(deps, name, args);
  onFinished(call ?? { members: "", note: refusedNote(null) });
  if (call !== undefined) return JSON.parse(`{${call.members}}`);
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool: ${shownNames([name])}. Tools: ${[...byName.keys()].join(", ")}.`,
  );
}

/** Some hosts show the model only the text, so it contains the whole structure. */
function ran(context: ReadContext, tool: string, { args, run }: ParsedCall): FinishedCall {
  const structuredContent = run(context);
  const text = JSON.stringify(structuredContent);
  const content = membersOf({ content: [{ type: "text", text }] });
  return {
    members: `${content},"structuredContent":${text}`,
    note: answeredNote(context, tool, args, structuredContent),
  };
}

function membersOf(result: object): string {
  return JSON.stringify(result).slice(1, -1);
}

function publicText(error: unknown, { log, newFailureId }: CallDeps, tool: string): string {
  if (error instanceof ToolError || error instanceof PublicError) return error.message;
  const failure_id = newFailureId();
  const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log.error("tool_failed", { failure_id, tool, fault });
  return `Internal error ${failure_id}. Try again, or use other arguments. If it persists, report the error id.`;
}
