import type { IncomingMessage, ServerResponse } from "node:http";
import { factsOf } from "../activity/activity.ts";
import { MCP_LIMITS } from "../contract/limits.ts";
import { PublicError } from "../kernel/errors.ts";
import type { MessageNote } from "../mcp/call-notes.ts";
import type { Incoming } from "../mcp/messages.ts";
import type { McpAnswer, McpRequest, McpService } from "../mcp/service.ts";
import { compress, encodingFor } from "./http/compress.ts";
import { mcpHeaders, mcpPreflightHeaders } from "./http/headers.ts";
import { hasBody, hostFault, readBody } from "./http/request.ts";
import type { Admission } from "./limits/admission.ts";
import type { Limiter } from "./limits/rate-limit.ts";

export interface McpRouteDeps {
  readonly service: Pick<McpService, keyof McpService>;
  readonly limiter: Limiter;
  readonly admission: Pick<Admission, "take">;
  /** Accepted host names; others are refused against DNS rebinding. */
  readonly hosts: ReadonlySet<string>;
}

const ALLOW = "POST, OPTIONS";
/** The headers that the protocol reads. A session id is ignored, because there are no sessions. */
const READ_HEADERS = ["mcp-protocol-version", "mcp-method", "mcp-name"] as const;

/** Answers `/mcp`: free checks come before reading the body, and every refusal is a JSON-RPC error. */
export async function answerMcp(
  deps: McpRouteDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const fault = hostFault(request);
  if (request.method === "OPTIONS" && fault === undefined) {
    response.writeHead(204, mcpPreflightHeaders(ALLOW)).end();
    return;
  }
  const refusal = fault === undefined ? refusalOf(deps, request) : deps.service.refused(400, fault);
  if (refusal !== undefined) {
    response.setHeader("Allow", ALLOW);
    if (fault !== undefined || hasBody(request)) response.setHeader("Connection", "close"); // it stays unread
    return send(request, response, refusal);
  }
  try {
    await answerBody(deps, await readBody(request, MCP_LIMITS.bodyBytes), request, response);
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    if (!request.complete) response.setHeader("Connection", "close"); // the rest stays unread
    await send(request, response, deps.service.refused(error.status, error.message));
  }
}

function refusalOf({ service, hosts }: McpRouteDeps, request: IncomingMessage): McpAnswer | undefined {
  if (!hosts.has(hostName(request.headers.host)))
    return service.refused(403, "unknown Host header: use the public address of this service");
  if (request.method !== "POST")
    return service.refused(405, "use POST: this server has no sessions and no streams");
  if (!/^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? ""))
    return service.refused(415, "Content-Type must be application/json");
  return undefined;
}

async function answerBody(
  { service, limiter, admission }: McpRouteDeps,
  body: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const incoming = service.read(body);
  const { cost, id } = "cost" in incoming ? incoming : { cost: 1, id: null };
  const { retryAfter } = await admission.take(limiter, request, response, cost);
  if (retryAfter !== undefined) return send(request, response, service.rateLimited(retryAfter, id));
  if ("status" in incoming) return send(request, response, incoming);
  const onMessage = (message: MessageNote) => void factsOf(request).messages.push(message);
  const asked = { headers: readHeaders(request), onMessage };
  const answer = service.answerAtOnce(asked, incoming);
  await send(request, response, await (answer ?? answerWhileThere(service, asked, incoming, response)));
}

/** The work ends when the client leaves. */
async function answerWhileThere(
  service: McpRouteDeps["service"],
  asked: McpRequest,
  incoming: Incoming,
  response: ServerResponse,
): Promise<McpAnswer> {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  response.once("close", leave);
  const answer = await service.answer(asked, incoming, leaving);
  response.off("close", leave);
  return answer;
}

/** Without the port, which a client behind a tunnel may see differently. */
function hostName(host: string | undefined): string {
  return URL.parse(`http://${host ?? ""}`)?.hostname ?? "";
}

function readHeaders({ headers }: IncomingMessage): Record<string, string> {
  const read: Record<string, string> = {};
  for (const name of READ_HEADERS) {
    const value = headers[name];
    if (typeof value === "string") read[name] = value;
  }
  return read;
}

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body }: McpAnswer,
): Promise<void> {
  const bytes = Buffer.from(body);
  const encoding = encodingFor(request, bytes.length);
  const sent = encoding === "identity" ? bytes : await compress(bytes, encoding);
  if (response.destroyed) return; // the client left
  response.writeHead(status, mcpHeaders(sent.length, encoding)).end(sent);
}
