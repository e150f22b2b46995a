import { MCP_LIMITS } from "../contract/limits.ts";
import { parseUntrustedJson } from "../kernel/text/untrusted-json.ts";

/** What may be said in a POST to the endpoint, before any of it is carried out. */

export type RequestId = string | number | null;

export interface Incoming {
  /** One message or a batch, ready for the protocol; undefined when nothing is left to answer. */
  readonly body: unknown;
  /** How many requests it counts for. */
  readonly cost: number;
  /** The id that an error about the whole is to echo. */
  readonly id: RequestId;
}

/** A fault of the whole body (JSON-RPC 2.0 section 5.1). */
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

/** Deeper values are no request to any tool, and would cost the stack of every function that walks through them. */
const MAX_DEPTH = 32;

/** Throws MessageFault for what is not JSON, too deep, or no batch that can be answered. */
export function readMessages(text: string): Incoming {
  const body = parsed(text);
  if (depthBeyond(body, MAX_DEPTH))
    throw new MessageFault(INVALID_REQUEST, `the message is nested more than ${MAX_DEPTH} levels deep`);
  return Array.isArray(body) ? readBatch(body) : { body, cost: 1, id: idOf(body) };
}

function parsed(text: string): unknown {
  try {
    return parseUntrustedJson(text);
  } catch {
    throw new MessageFault(PARSE_ERROR, "the body is not valid JSON");
  }
}

/** Batches are part of the protocol of 2025-03-26 and were removed from later ones. */
function readBatch(batch: readonly unknown[]): Incoming {
  if (batch.length === 0) throw new MessageFault(INVALID_REQUEST, "the batch is empty");
  if (batch.length > MCP_LIMITS.batchMessages)
    throw new MessageFault(
      INVALID_REQUEST,
      `the batch has ${batch.length} messages; at most ${MCP_LIMITS.batchMessages} are accepted`,
    );
  const ids = batch.map(idOf).filter((id) => id !== null);
  if (new Set(ids).size < ids.length)
    throw new MessageFault(INVALID_REQUEST, "two messages of the batch have the same id");
  // A request that its own batch cancels would never be answered, and hold the connection for ever.
  const kept = batch.filter((message) => member(message, "method") !== "notifications/cancelled");
  return { body: kept.length === 0 ? undefined : kept, cost: batch.length, id: ids[0] ?? null };
}

export const TOOL_CALL = "tools/call";

/** The method of each message of a body; empty for what has none, such as an answer. */
export function methodsOf(body: unknown): string[] {
  return (Array.isArray(body) ? body : [body]).map((message) => {
    const method = member(message, "method");
    return typeof method === "string" ? method : "";
  });
}

/** The id that an answer to a message is to echo. */
export function idOf(message: unknown): RequestId {
  const id = member(message, "id");
  if (member(message, "method") === undefined) return null;
  return typeof id === "string" || (typeof id === "number" && Number.isFinite(id)) ? id : null;
}

function member(value: unknown, name: "id" | "method"): unknown {
  return typeof value === "object" && value !== null && name in value
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;
}

function depthBeyond(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => depthBeyond(inner, levels - 1));
}
