import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { shownNames } from "../contract/faults.ts";
import { BoundedCache } from "../kernel/bounded-cache.ts";
import { PublicError } from "../kernel/errors.ts";
import type { Log } from "../kernel/log.ts";
import type { ReadContext } from "../resources/define.ts";
import { answeredNote, FinishedCall, type FinishedCalls, failedNote, refusedNote } from "./call-notes.ts";
import type { PlainMessage } from "./messages.ts";
import { ArgumentError, type ParsedCall, type Tool, ToolError } from "./tools/define-tool.ts";
import { tools } from "./tools/tools.ts";

/** The package's text before the members of a result, and from there to the id. */
interface Envelope {
  readonly head: string;
  readonly middle: string;
}

const MAX_ENVELOPES = 500;
/** No known client sends a longer one. */
const MAX_LENGTH = 2000;
const END = "}";

/**
 * Envelopes that the protocol's package has accepted. The package takes longer than most tools, and its judgment depends on
 * the envelope alone: so it judges each one once, and later results are put into the text that it wrote around the first.
 */
export class KnownEnvelopes {
  readonly #known = new BoundedCache<string, Envelope>(MAX_ENVELOPES);

  /** Makes the package's answer for a message of the members of a result; undefined for an envelope that it has not accepted. */
  answerOf({ envelope, id }: PlainMessage): ((members: string) => string) | undefined {
    const known = this.#known.get(envelope);
    return known && ((members) => `${known.head}${members}${known.middle}${JSON.stringify(id)}${END}`);
  }

  /** Learns from the package's answer with these members of a result. Any other answer teaches nothing. */
  learn({ envelope, id }: PlainMessage, members: string, answer: string): void {
    const end = `${JSON.stringify(id)}${END}`;
    const at = answer.indexOf(members);
    if (at < 0 || !answer.endsWith(`"id":${end}`) || envelope.length > MAX_LENGTH) return;
    const middle = answer.slice(at + members.length, -end.length);
    this.#known.set(envelope, { head: answer.slice(0, at), middle });
  }
}

/** Runs tools over a release, without the protocol: in the server's thread, or in the one that reads. */

export const toolByName: ReadonlyMap<string, Tool> = new Map(tools.map((tool) => [tool.contract.name, tool]));

/** The result of a tool, as JSON of FinishedCall. Throws what is no fault of the caller. */
export function runToolAsText(context: ReadContext, name: string, args: unknown): string {
  const tool = toolByName.get(name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  try {
    return JSON.stringify(runTool(context, name, tool.parse(args)));
  } catch (error) {
    if (error instanceof ToolError || error instanceof PublicError)
      return JSON.stringify(failedCall(error, error.message, name, args));
    throw error;
  }
}

/** Some hosts show the model only the text, so it contains the whole structure. */
export function runTool(context: ReadContext, tool: string, { args, run }: ParsedCall): FinishedCall {
  const structuredContent = run(context);
  const text = JSON.stringify(structuredContent);
  const content = membersOf({ content: [{ type: "text", text }] });
  return {
    members: `${content},"structuredContent":${text}`,
    note: answeredNote(context, tool, args, structuredContent),
  };
}

/** A call that failed, as an `isError` result with this text. */
export function failedCall(error: unknown, text: string, name: string, args: unknown): FinishedCall {
  const note = error instanceof ArgumentError ? refusedNote(name) : failedNote(name, args);
  return { members: membersOf({ content: [{ type: "text", text }], isError: true }), note };
}

function membersOf(result: object): string {
  return JSON.stringify(result).slice(1, -1);
}

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
