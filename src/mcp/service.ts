import { randomUUID } from "node:crypto";
import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { MCP_LIMITS } from "../contract/limits.ts";
import { listedTool, MCP_INSTRUCTIONS, mcpServerFacts } from "../contract/mcp/tools.ts";
import type { Log } from "../kernel/log.ts";
import type { ReadContext } from "../resources/define.ts";
import { type FinishedCall, finishedCalls, type MessageNote, messageNotes } from "./call-notes.ts";
import { callTool, finishCall, KnownEnvelopes, type ThreadedDeps } from "./call-tool.ts";
import {
  INVALID_REQUEST,
  type Incoming,
  idOf,
  MessageFault,
  type PlainMessage,
  type ProtocolHeaders,
  plainMessage,
  type RequestId,
  readMessages,
} from "./messages.ts";
import { tools } from "./tools/tools.ts";

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

// A release lasts about a day; clients of 2026-07-28 may cache the tool list for an hour.
const LIST_TTL_MS = 3_600_000;
// A mutable copy, because the package's types require one.
const TOOL_LIST: Tool[] = JSON.parse(JSON.stringify(tools.map(({ contract }) => listedTool(contract))));

/** Members of the result of `tools/list`, as JSON without the outer braces. */
export const TOOL_LIST_MEMBERS = `"tools":${JSON.stringify(TOOL_LIST)}`;

/** Receives each call that a tool has answered. */
type OnFinished = (call: FinishedCall) => void;

/** Answers one parsed request of either protocol era. */
export type AnswerMessages = (request: Request, body: unknown, onFinished: OnFinished) => Promise<Response>;

/**
 * Serves both protocol eras from one definition: the 2025 handshake (stateless, JSON responses) and 2026-07-28. Each request
 * gets its own server, because a shared one would mix up clients.
 */
export function protocol(
  baseUrl: string,
  deps: ThreadedDeps,
  onError: (error: Error) => void,
): AnswerMessages {
  const listeners = new WeakMap<Request, OnFinished>();
  const build = ({ requestInfo }: { requestInfo?: Request }) =>
    serverOf(baseUrl, deps, (call) => requestInfo && listeners.get(requestInfo)?.(call));
  const modern = createMcpHandler(build, { legacy: "reject", maxSubscriptions: 0, onerror: onError });
  return async (request, body, onFinished) => {
    if (await isLegacyRequest(request, body))
      return answerLegacy(serverOf(baseUrl, deps, onFinished), request, body);
    if (isListen(body)) return noSuchMethod(idOf(body));
    listeners.set(request, onFinished);
    return modern.fetch(request, { parsedBody: body });
  };
}

// The service announces no changes, but the package would still answer this method.
function isListen(body: unknown): boolean {
  return (
    typeof body === "object" && body !== null && "method" in body && body.method === "subscriptions/listen"
  );
}

function noSuchMethod(id: RequestId): Response {
  const error = { code: ProtocolErrorCode.MethodNotFound, message: "Method not found" };
  return Response.json({ jsonrpc: "2.0", id, error }, { status: 404 });
}

// The package's high-level server would register all tools and convert all schemas for each request.
function serverOf(baseUrl: string, deps: ThreadedDeps, onFinished: OnFinished): Server {
  const siteName = deps.context()?.snapshot.release().siteName ?? null;
  const server = new Server(mcpServerFacts(baseUrl, { siteName }), {
    capabilities: { tools: { listChanged: false } },
    instructions: MCP_INSTRUCTIONS,
    cacheHints: { "tools/list": { ttlMs: LIST_TTL_MS, cacheScope: "public" } },
  });
  server.setRequestHandler("tools/list", () => ({ tools: TOOL_LIST }));
  server.setRequestHandler("tools/call", ({ params }) =>
    callTool(deps, params.name, params.arguments, onFinished),
  );
  return server;
}

// The package's stateless transport only answers with event streams; this one answers with JSON.
async function answerLegacy(server: Server, request: Request, body: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  const stop = () => void server.close();
  request.signal.addEventListener("abort", stop, { once: true });
  try {
    const response = await transport.handleRequest(request, { parsedBody: body });
    return Array.isArray(body) ? await listed(response) : response;
  } finally {
    request.signal.removeEventListener("abort", stop);
    stop();
  }
}

// JSON-RPC requires a list for a batch; for a single request, the package sends the bare response.
async function listed(response: Response): Promise<Response> {
  const text = await response.text();
  const isBare = response.status === 200 && !text.startsWith("[");
  return new Response(isBare ? `[${text}]` : text, { status: response.status });
}
