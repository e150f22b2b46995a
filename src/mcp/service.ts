import { randomUUID } from "node:crypto";
import { ProtocolError } from "@modelcontextprotocol/server";
import { MCP_LIMITS } from "../contract/limits.ts";
import type { Log } from "../kernel/log.ts";
import type { ReadContext } from "../resources/define.ts";
import type { CallNote } from "./call-tool.ts";
import { type MessageNote, messageNotes } from "./message-notes.ts";
import { INVALID_REQUEST, type Incoming, MessageFault, type RequestId, readMessages } from "./messages.ts";
import { protocol } from "./protocol.ts";

/** An answer for the HTTP edge to send; an empty body where the protocol says nothing. */
export interface McpAnswer {
  readonly status: number;
  readonly body: string;
}

/** What the edge took from the request: the headers that the protocol reads, and what ends the work when the client leaves. */
export interface McpRequest {
  readonly headers: Headers;
  readonly leaving: AbortController;
  /** Told of every message that was carried out, so that they can be counted. */
  onMessage?(message: MessageNote): void;
}

export interface McpParts {
  readonly baseUrl: string;
  readonly log: Log;
  context(): ReadContext | undefined;
  readonly deadlineMs?: number;
}

/** Errors of the transport, in the range that JSON-RPC leaves to implementations. */
const SERVER_ERROR = -32000;
const RATE_LIMITED = -32023; // as proposed for MCP in SEP-3304

/** The MCP endpoint without HTTP: reading a body, what it costs, and answering it. */
export class McpService {
  readonly #answer: ReturnType<typeof protocol>;
  readonly #log: Log;
  readonly #deadlineMs: number;

  constructor({ baseUrl, log, context, deadlineMs = MCP_LIMITS.deadlineMs }: McpParts) {
    this.#log = log;
    this.#deadlineMs = deadlineMs;
    const parts = { context, log, newFailureId: randomUUID };
    this.#answer = protocol(baseUrl, parts, (error) => this.#report(error));
  }

  /** What the package refuses is the client's fault, and its text holds what the client sent: nothing for a log. */
  #report(error: Error): void {
    if (error instanceof ProtocolError || error.message.startsWith("Rejected ")) return;
    this.#log.error("mcp_failed", { failure_id: randomUUID(), fault: error.stack ?? error.message });
  }

  /** The messages of a body and what they count for, or the answer that refuses them. */
  read(text: string): Incoming | McpAnswer {
    try {
      return readMessages(text);
    } catch (error) {
      if (error instanceof MessageFault) return errorAnswer(400, error.code, error.message, null);
      throw error;
    }
  }

  /** Never rejects: what goes wrong inside is logged, and answered without its text. */
  async answer({ headers, leaving, onMessage }: McpRequest, { body, id }: Incoming): Promise<McpAnswer> {
    if (body === undefined) return { status: 202, body: "" };
    const calls: CallNote[] = [];
    const request = new Request(ENDPOINT, { method: "POST", headers, signal: leaving.signal });
    const { promise: late, resolve } = Promise.withResolvers<McpAnswer>();
    const timer = setTimeout(() => {
      resolve(errorAnswer(504, SERVER_ERROR, `not answered within ${this.#deadlineMs / 1000} s`, id));
      leaving.abort();
    }, this.#deadlineMs);
    try {
      return await Promise.race([this.#answered(request, body, (call) => calls.push(call)), late]);
    } catch (error) {
      const failure_id = randomUUID();
      const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#log.error("mcp_failed", { failure_id, fault });
      return errorAnswer(500, -32603, `internal error ${failure_id}`, id);
    } finally {
      clearTimeout(timer);
      for (const message of messageNotes(body, calls)) onMessage?.(message);
    }
  }

  async #answered(request: Request, body: unknown, note: (call: CallNote) => void): Promise<McpAnswer> {
    const response = await this.#answer(request, body, note);
    return { status: response.status, body: await response.text() };
  }

  rateLimited(retryAfterSeconds: number, id: RequestId): McpAnswer {
    const text = `rate limit exceeded: retry in ${retryAfterSeconds} s; batches count message by message`;
    return errorAnswer(429, RATE_LIMITED, text, id, { retryAfterSeconds });
  }

  refused(status: number, message: string): McpAnswer {
    return errorAnswer(status, status === 400 ? INVALID_REQUEST : SERVER_ERROR, message, null);
  }
}

const ENDPOINT = "http://localhost/mcp";

function errorAnswer(status: number, code: number, message: string, id: RequestId, data?: object): McpAnswer {
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  return { status, body: JSON.stringify({ jsonrpc: "2.0", error, id }) };
}
