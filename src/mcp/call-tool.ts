import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { shownNames } from "../contract/faults.ts";
import { PublicError } from "../kernel/errors.ts";
import type { Log } from "../kernel/log.ts";
import type { ReadContext } from "../resources/define.ts";
import { refusedNote } from "./call-note.ts";
import { FinishedCall, type FinishedCalls } from "./finished-calls.ts";
import { failedCall, runTool, toolByName } from "./run-tool.ts";
import type { Tool } from "./tools/define-tool.ts";
import { ToolError } from "./tools/tool-error.ts";

export interface CallDeps {
  /** Returns the current release, undefined before the first. Called for every call, because releases change. */
  context(): ReadContext | undefined;
  readonly log: Log;
  /** Creates the id that links a failure's response to the log. */
  newFailureId(): string;
  readonly finished: FinishedCalls;
  readonly search?: undefined; // this thread searches, too
}

export interface ThreadedDeps extends Omit<CallDeps, "search"> {
  /** Runs a tool that searches for names in another thread, and returns what `runToolAsText` does. */
  readonly search?: ((name: string, args: unknown) => Promise<string>) | undefined;
}

/** Arguments that are searched for: that may take many milliseconds, for each name. */
const SEARCHED = ["business_name", "business_names", "name_or_address"];

/** Runs a tool, or remembers what it answered. Failures become `isError` results. Returns undefined for an unknown tool. */
export function finishCall(deps: CallDeps, name: string, args: unknown): FinishedCall | undefined;
export function finishCall(
  deps: ThreadedDeps,
  name: string,
  args: unknown,
): FinishedCall | Promise<FinishedCall> | undefined;
export function finishCall(
  deps: ThreadedDeps,
  name: string,
  args: unknown,
): FinishedCall | Promise<FinishedCall> | undefined {
  const tool = toolByName.get(name);
  if (tool === undefined) return undefined;
  const failed = (error: unknown) => failedCall(error, publicText(error, deps, name), name, args);
  try {
    const finished = remembered(deps, name, tool, args);
    return finished instanceof Promise ? finished.catch(failed) : finished;
  } catch (error) {
    return failed(error);
  }
}

function remembered(
  deps: ThreadedDeps,
  name: string,
  tool: Tool,
  args: unknown,
): FinishedCall | Promise<FinishedCall> {
  const context = deps.context();
  if (context === undefined) throw new ToolError("Nothing is published yet: try again later.");
  const call = tool.parse(args);
  const run = () => runTool(context, name, call);
  // A cursor may lead to an earlier release, which is not kept for long.
  if ("cursor" in call.args) return run();
  const memory = deps.finished.of(context);
  const key = `${name} ${JSON.stringify(call.args)}`;
  const isSearch = SEARCHED.some((argument) => call.args[argument] !== undefined);
  if (deps.search === undefined || !isSearch) return memory.take(key, run);
  const known = memory.get(key);
  return known ?? searched(deps.search(name, call.args), (finished) => memory.set(key, finished));
}

async function searched(
  text: Promise<string>,
  remember: (call: FinishedCall) => void,
): Promise<FinishedCall> {
  const finished = FinishedCall.parse(JSON.parse(await text));
  remember(finished);
  return finished;
}

type OnFinished = (call: FinishedCall) => void;

/** The same for the protocol's package. Throws ProtocolError -32602 for an unknown tool. */
export function callTool(deps: CallDeps, name: string, args: unknown, onFinished: OnFinished): CallToolResult;
export function callTool(
  deps: ThreadedDeps,
  name: string,
  args: unknown,
  onFinished: OnFinished,
): CallToolResult | Promise<CallToolResult>;
export function callTool(deps: ThreadedDeps, name: string, args: unknown, onFinished: OnFinished) {
  const call = finishCall(deps, name, args);
  const result = (finished: FinishedCall | undefined): CallToolResult => {
    onFinished(finished ?? { members: "", note: refusedNote(null) });
    if (finished !== undefined) return JSON.parse(`{${finished.members}}`);
    const known = [...toolByName.keys()].join(", ");
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Unknown tool: ${shownNames([name])}. Tools: ${known}.`,
    );
  };
  return call instanceof Promise ? call.then(result) : result(call);
}

function publicText(error: unknown, { log, newFailureId }: ThreadedDeps, tool: string): string {
  if (error instanceof ToolError || error instanceof PublicError) return error.message;
  const failure_id = newFailureId();
  const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log.error("tool_failed", { failure_id, tool, fault });
  return `Internal error ${failure_id}. Try again, or use other arguments. If it persists, report the error id.`;
}
