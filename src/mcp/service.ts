import { randomUUID } from "node:crypto";
import { ProtocolError } from "@modelcontextprotocol/server";
import { MCP_LIMITS } from "../contract/limits.ts";
import type { Log } from "../kernel/log.ts";
import type { ReadContext } from "../resources/define.ts";
import { type FinishedCall, finishedCalls, type MessageNote, messageNotes } from "./call-notes.ts";
import { finishCall, KnownEnvelopes, type ThreadedDeps } from "./call-tool.ts";
import {
  INVALID_REQUEST,
  type Incoming,
  MessageFault,
  type PlainMessage,
  type ProtocolHeaders,
  plainMessage,
  type RequestId,
  readMessages,
} from "./messages.ts";
import { protocol, TOOL_LIST_MEMBERS } from "./protocol.ts";

/** A response for the HTTP edge to send; the body is empty for notifications. */
export interface McpAnswer {
  readonly status: number;
  readonly body: string;
}

/** Request details from the edge. */
export interface McpRequest {
  readonly headers: ProtocolHeaders;
  /** Called for every executed message, for usage counts. */
  onMessage?(message: MessageNote): void;
}

export interface McpDeps {
  readonly baseUrl: string;
  readonly log: Log;
  context(): ReadContext | undefined;
  readonly search?: ThreadedDeps["search"];
  readonly deadlineMs?: number;
}

// Transport errors, in the range that JSON-RPC reserves for implementations.
const SERVER_ERROR = -32000;
const RATE_LIMITED = -32023; // as proposed for MCP in SEP-3304

/** The MCP endpoint without HTTP: parses a body, computes its cost and answers it. */
export class McpService {
  readonly #answer: ReturnType<typeof protocol>;
  readonly #deps: ThreadedDeps;
  readonly #envelopes = new KnownEnvelopes();
  readonly #log: Log;
  readonly #deadlineMs: number;

  constructor({ baseUrl, log, context, search, deadlineMs = MCP_LIMITS.deadlineMs }: McpDeps) {
    this.#log = log;
    this.#deadlineMs = deadlineMs;
    this.#deps = { context, log, newFailureId: randomUUID, finished: finishedCalls(), search };
    this.#answer = protocol(baseUrl, this.#deps, (error) => this.#report(error));
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

  /** Answers a plain message of a known envelope at once. Returns undefined for every other body. */
  answerAtOnce(
    { headers, onMessage }: McpRequest,
    { body }: Incoming,
  ): McpAnswer | Promise<McpAnswer> | undefined {
    const message = plainMessage(headers, body);
    const answerOf = message && this.#envelopes.answerOf(message);
    if (message === undefined || answerOf === undefined) return undefined;
    const answer = (call: FinishedCall | undefined) => {
      report(body, call === undefined ? [] : [call], onMessage);
      return { status: 200, body: answerOf(call?.members ?? TOOL_LIST_MEMBERS) };
    };
    const call = message.call && finishCall(this.#deps, message.call.name, message.call.args);
    return call instanceof Promise ? call.then(answer) : answer(call);
  }

  /** Answers any body; `leaving` is for a client that disconnects. Never rejects: internal errors are logged and answered without details. */
  async answer(
    { headers, onMessage }: McpRequest,
    { body, id }: Incoming,
    leaving: AbortController,
  ): Promise<McpAnswer> {
    if (body === undefined) return { status: 202, body: "" };
    const finished: FinishedCall[] = [];
    const { promise: late, resolve } = Promise.withResolvers<McpAnswer>();
    const timer = setTimeout(() => {
      const seconds = this.#deadlineMs / 1000;
      resolve(errorAnswer(504, SERVER_ERROR, `the request took longer than ${seconds} s: retry later`, id));
      leaving.abort();
    }, this.#deadlineMs);
    try {
      const request = requestOf(headers, leaving.signal);
      const answer = await Promise.race([this.#answered(request, body, (call) => finished.push(call)), late]);
      this.#learn(plainMessage(headers, body), finished, answer);
      return answer;
    } catch (error) {
      const failure_id = randomUUID();
      const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#log.error("mcp_failed", { failure_id, fault });
      return errorAnswer(500, -32603, `internal error ${failure_id}`, id);
    } finally {
      clearTimeout(timer);
      report(body, finished, onMessage);
    }
  }

  async #answered(
    request: Request,
    body: unknown,
    onFinished: (call: FinishedCall) => void,
  ): Promise<McpAnswer> {
    const response = await this.#answer(request, body, onFinished);
    return { status: response.status, body: await response.text() };
  }

  #learn(message: PlainMessage | undefined, [call]: readonly FinishedCall[], answer: McpAnswer): void {
    if (message === undefined || answer.status !== 200) return;
    const members = message.call === undefined ? TOOL_LIST_MEMBERS : call?.members;
    if (members !== undefined && members !== "") this.#envelopes.learn(message, members, answer.body);
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
/** Clients that accept only one of these are served too. */
const FIXED_HEADERS = { Accept: "application/json, text/event-stream", "Content-Type": "application/json" };

function requestOf(headers: ProtocolHeaders, signal: AbortSignal): Request {
  return new Request(ENDPOINT, { method: "POST", headers: { ...headers, ...FIXED_HEADERS }, signal });
}

function report(body: unknown, finished: readonly FinishedCall[], onMessage: McpRequest["onMessage"]): void {
  const calls = finished.map(({ note }) => note);
  for (const message of messageNotes(body, calls)) onMessage?.(message);
}

function errorAnswer(status: number, code: number, message: string, id: RequestId, data?: object): McpAnswer {
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  return { status, body: JSON.stringify({ jsonrpc: "2.0", error, id }) };
}
