import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolErrorCode,
  Server,
  type Tool,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { MCP_INSTRUCTIONS, mcpServerFacts, publishedTool } from "../contract/mcp/tools.ts";
import type { FinishedCall } from "./call-notes.ts";
import { callTool, type ThreadedDeps } from "./call-tool.ts";
import { idOf, type RequestId } from "./messages.ts";
import { tools } from "./tools/tools.ts";

// A release lasts about a day; clients of 2026-07-28 may cache the tool list for an hour.
const LIST_TTL_MS = 3_600_000;
// A mutable copy, because the package's types require one.
const TOOL_LIST: Tool[] = JSON.parse(JSON.stringify(tools.map(({ contract }) => publishedTool(contract))));

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
  const server = new Server(mcpServerFacts(baseUrl), {
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
