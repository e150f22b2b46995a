import { MCP_LIMITS } from "../contract/limits.ts";
import { parseUntrustedJson } from "../kernel/text/json.ts";

/** The headers that the protocol reads, as they came. */
export type ProtocolHeaders = Readonly<Record<string, string>>;

/** A single request for a tool or for the list of tools, in the parts that an answer is made of. */
export interface PlainMessage {
  /** Everything but the id and the arguments, with the protocol's headers. */
  readonly envelope: string;
  readonly id: string | number;
  /** Undefined for the list. */
  readonly call: { readonly name: string; readonly args: object | undefined } | undefined;
}

/** Returns undefined for batches, other methods, and messages of a form that no client sends. */
export function plainMessage(headers: ProtocolHeaders, body: unknown): PlainMessage | undefined {
  if (!isObject(body)) return undefined;
  const { id, method, params, ...others } = body;
  if (!isId(id)) return undefined;
  if (method === TOOL_LIST) {
    const envelope = envelopeOf([headers, typeof id, method, others, params]);
    return { envelope, id, call: undefined };
  }
  if (method !== TOOL_CALL || !isObject(params)) return undefined;
  const { arguments: args, ...frame } = params;
  const { name } = frame;
  if (typeof name !== "string" || !isArguments(args)) return undefined;
  return { envelope: envelopeOf([headers, typeof id, method, others, frame]), id, call: { name, args } };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isId(id: unknown): id is string | number {
  return typeof id === "string" || Number.isSafeInteger(id);
}

/** The package drops a member `__proto__` before a tool sees it. */
function isArguments(args: unknown): args is object | undefined {
  return args === undefined || (isObject(args) && !Object.hasOwn(args, "__proto__"));
}

/** Distinguishes the methods that stand for a stranger's `toString` (untrusted-json.ts), which JSON would leave out. */
function envelopeOf(parts: readonly unknown[]): string {
  return JSON.stringify(parts, (_, value: unknown) => (typeof value === "function" ? ["function"] : value));
}

/** Parses and checks a POST body before any message is executed. */

export type RequestId = string | number | null;

export interface Incoming {
  /** A message or batch for the protocol; undefined when nothing needs an answer. */
  readonly body: unknown;
  /** Number of requests it counts as. */
  readonly cost: number;
  /** Id for an error about the whole body. */
  readonly id: RequestId;
}

/** Fault of the whole body (JSON-RPC 2.0 section 5.1). */
export class MessageFault extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = "MessageFault";
    this.code = code;
  }
}

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;

/** Maximum nesting. No tool needs deeper values, and they could overflow the stack of recursive functions. */
const MAX_DEPTH = 32;

/** Throws MessageFault for invalid JSON, too deep nesting or an invalid batch. */
export function readMessages(text: string): Incoming {
  const body = withoutNulls(parsed(text));
  if (depthBeyond(body, MAX_DEPTH))
    throw new MessageFault(INVALID_REQUEST, `the message must be nested at most ${MAX_DEPTH} levels deep`);
  return Array.isArray(body) ? readBatch(body) : { body, cost: 1, id: idOf(body) };
}

function parsed(text: string): unknown {
  try {
    return parseUntrustedJson(text);
  } catch {
    throw new MessageFault(PARSE_ERROR, "the body is not valid JSON");
  }
}

/** A parameter of null is none, `arguments` among them. */
function withoutNulls(body: unknown): unknown {
  for (const message of Array.isArray(body) ? body : [body]) {
    const params = member(message, "params");
    if (typeof params !== "object" || params === null || Array.isArray(params)) continue;
    for (const [name, value] of Object.entries(params))
      if (value === null) Reflect.deleteProperty(params, name);
  }
  return body;
}

/** Batches exist only in protocol version 2025-03-26. */
function readBatch(batch: readonly unknown[]): Incoming {
  if (batch.length === 0)
    throw new MessageFault(INVALID_REQUEST, "the batch must contain at least one message");
  if (batch.length > MCP_LIMITS.batchMessages)
    throw new MessageFault(
      INVALID_REQUEST,
      `the batch must contain at most ${MCP_LIMITS.batchMessages} messages (got ${batch.length})`,
    );
  const ids = batch.map(idOf).filter((id) => id !== null);
  if (new Set(ids).size < ids.length)
    throw new MessageFault(INVALID_REQUEST, "message ids in a batch must be unique");
  // A request canceled by its own batch would never be answered and would block the connection.
  const remaining = batch.filter((message) => member(message, "method") !== "notifications/cancelled");
  return { body: remaining.length === 0 ? undefined : remaining, cost: batch.length, id: ids[0] ?? null };
}

export const TOOL_CALL = "tools/call";
export const TOOL_LIST = "tools/list";

/** Returns the method of each message; empty for messages without one, such as responses. */
export function methodsOf(body: unknown): string[] {
  return (Array.isArray(body) ? body : [body]).map((message) => {
    const method = member(message, "method");
    return typeof method === "string" ? method : "";
  });
}

export function idOf(message: unknown): RequestId {
  const id = member(message, "id");
  if (member(message, "method") === undefined) return null;
  return typeof id === "string" || (typeof id === "number" && Number.isFinite(id)) ? id : null;
}

function member(value: unknown, name: "id" | "method" | "params"): unknown {
  return typeof value === "object" && value !== null && name in value
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;
}

function depthBeyond(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => depthBeyond(inner, levels - 1));
}
