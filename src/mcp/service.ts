import { randomUUID } from "node:crypto";
import { ProtocolError } from "@modelcontextprotocol/server";
import { MCP_LIMITS } from "../contract/limits.ts";
import type { Log } from "../kernel/log.ts";
import type { ReadContext } from "../resources/define.ts";
import type { CallNote } from "./call-tool.ts";
import { type MessageNote, messageNotes } from "./message-notes.ts";
import { INVALID_REQUEST, type Incoming, MessageFault, type RequestId, readMessages } from "./messages.ts";
import { protocol } from "./protocol.ts";

/** A response for the HTTP edge to send; the body is empty for notifications. */
export interface McpAnswer {
  readonly status: number;
  readonly body: string;
}

/** Request details from the edge: the protocol's headers, and a signal for a client that disconnects. */
export interface McpRequest {
  readonly headers: Headers;
  readonly leaving: AbortController;
  /** Called for every executed message, for usage counts. */
  onMessage?(message: MessageNote): void;
}

export interface McpDeps {
  readonly baseUrl: string;
  readonly log: Log;
  context(): ReadContext | undefined;
  readonly deadlineMs?: number;
}

// Transport errors, in the range that JSON-RPC reserves for implementations.
const SERVER_ERROR = -32000;
const RATE_LIMITED = -32023; // as proposed for MCP in SEP-3304

/** The MCP endpoint without HTTP: parses a body, computes its cost and answers it. */
export class McpService {
  readonly #answer: ReturnType<typeof protocol>;
  readonly #log: Log;
  readonly #deadlineMs: number;

  constructor({ baseUrl, log, context, deadlineMs = MCP_LIMITS.deadlineMs }: McpDeps) {
    this.#log = log;
    this.#deadlineMs = deadlineMs;
    const deps = { context, log, newFailureId: randomUUID };
    this.#answer = protocol(baseUrl, deps, (error) => this.#report(error));
  }

  // Not logged: refusals are client faults, and their text repeats what the client sent.
  #report(error: Error): void {
    if (error instanceof ProtocolError || error.message.startsWith("Rejected ")) return;
    this.#log.error("mcp_failed", { failure_id: randomUUID(), fault: error.stack ?? error.message });
  }

  /** Returns the messages of a body and their cost, or an error response. */
  read(text: string): Incoming | McpAnswer {
    try {
      return readMessages(text);
    } catch (error) {
      if (error instanceof MessageFault) return errorAnswer(400, error.code, error.message, null);
      throw error;
    }
  }

  /** Never rejects: internal errors are logged and answered without details. */
  async answer({ headers, leaving, onMessage }: McpRequest, { body, id }: Incoming): Promise<McpAnswer> {
    if (body === undefined) return { status: 202, body: "" };
    const calls: CallNote[] = [];
    const request = new Request(ENDPOINT, { method: "POST", headers, signal: leaving.signal });
    const { promise: late, resolve } = Promise.withResolvers<McpAnswer>();
    const timer = setTimeout(() => {
      resolve(
        errorAnswer(
          504,
          SERVER_ERROR,
          `the request took longer than ${this.#deadlineMs / 1000} s: retry later`,
          id,
        ),
      );
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
    const text = `rate limit exceeded: retry in ${retryAfterSeconds} s. Each message of a batch counts as one request`;
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
