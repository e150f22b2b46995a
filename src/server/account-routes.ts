import type { IncomingMessage, ServerResponse } from "node:http";
import type { AccountDeps } from "../accounts/account-deps.ts";
import type { AccountCall } from "../accounts/define.ts";
import { ACCOUNT_HANDLERS } from "../accounts/operations.ts";
import type { AccountOperation } from "../contract/accounts/account-operations.ts";
import { ACCOUNT_BODY_BYTES } from "../contract/limits.ts";
import { PublicError } from "../kernel/errors.ts";
import type { Log } from "../kernel/log.ts";
import { parseUntrustedJson } from "../kernel/text/untrusted-json.ts";
import { endpointFor } from "../routes/matcher.ts";
import type { ServiceMatch } from "../routes/registry.ts";
import { sendPassingJson } from "./http/errors.ts";
import { preflightHeaders } from "./http/headers.ts";
import { discardBody, hasBody, readBody } from "./http/request-body.ts";
import { parseQuery, type RequestTarget } from "./http/request-target.ts";
import { isSameOrigin } from "./http/same-origin.ts";
import type { Admission, Admitted } from "./limits/admission.ts";
import { keyMissing } from "./limits/partner-keys.ts";
import { type Limiter, readRefusal } from "./limits/rate-limit.ts";

/** The HTTP edge of account operations and of the forms of their pages. */
export interface AccountEdge {
  readonly accounts: AccountDeps;
  readonly admission: Admission;
  readonly limiter: Limiter; // of reads
  readonly allowances: Readonly<Record<Allowance, Limiter>>;
  readonly log: Log;
  /** Host names that the service is reached by. */
  readonly hosts: ReadonlySet<string>;
}

type Allowance = Parameters<AccountCall["admit"]>[0];

const REFUSALS: Readonly<Record<Allowance, string>> = {
  signUps: "too many subscription requests from your network address",
  reports: "too many reports from your network address",
  removals: "too many requests for removal from your network address",
  removalChecks: "too many checks from your network address",
};

const HANDLERS = new Map(Object.entries(ACCOUNT_HANDLERS));

/** Applies a stricter rate limit than that of reads. Throws PublicError 429. */
export async function admitTo(
  { admission, allowances }: AccountEdge,
  allowance: Allowance,
  request: IncomingMessage,
): Promise<void> {
  const { retryAfter } = await admission.takeFromAddress(allowances[allowance], request);
  if (retryAfter === undefined) return;
  throw new PublicError(429, `${REFUSALS[allowance]}: try again later`, { retry_after_s: retryAfter });
}

/** Answers an operation. Throws PublicError and errors of the state. */
export async function answerAccount(
  edge: AccountEdge,
  match: ServiceMatch,
  { query }: RequestTarget,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const allow = [...match.endpoints.flatMap(({ method }) => method ?? []), "OPTIONS"].join(", ");
  if (request.method === "OPTIONS") {
    const headers = isForOwnersAlone(match) ? { Allow: allow } : preflightHeaders(allow);
    response.writeHead(204, headers).end();
    return;
  }
  const endpoint = endpointFor(match, request.method ?? "");
  const handler = endpoint && HANDLERS.get(endpoint.operationId);
  if (endpoint?.kind !== "account" || handler === undefined) {
    response.setHeader("Allow", allow);
    throw new PublicError(405, `method not allowed here; allowed: ${allow}`);
  }
  const { operation } = endpoint;
  if (operation.tag === "Owners" && request.method === "POST" && !isSameOrigin(request, edge.hosts))
    throw new PublicError(403, "this request was sent from another site: send it from its own page");
  const { client } = await admit(edge, request, response);
  if (operation.needsKey && client === undefined) {
    await edge.accounts.state.get(); // without the state no key can be checked: 503 instead of 401
    throw keyMissing(response);
  }
  const { status, body } = await handler.answer(edge.accounts, {
    path: (name) => match.values[name] ?? "",
    token: tokenOf(operation, query),
    body: await bodyOf(operation, request),
    client() {
      if (client === undefined) throw keyMissing(response);
      return client;
    },
    admit: (allowance) => admitTo(edge, allowance, request),
  });
  sendPassingJson(request, response, status, body);
}

/** Other sites may not send these for their visitors, so browsers get no permission. */
function isForOwnersAlone({ endpoints }: ServiceMatch): boolean {
  return endpoints.every((endpoint) => endpoint.kind === "account" && endpoint.operation.tag === "Owners");
}

async function admit(
  { admission, limiter, accounts }: AccountEdge,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Admitted> {
  const admitted = await admission.take(limiter, request, response);
  if (admitted.retryAfter !== undefined)
    throw readRefusal(admitted.retryAfter, accounts.snapshot().release().baseUrl);
  return admitted;
}

function tokenOf({ token }: AccountOperation, query: string): string {
  const { token: value, ...others } = parseQuery(query);
  const [unknown] = [
    ...(token === undefined && value !== undefined ? ["token"] : []),
    ...Object.keys(others),
  ];
  if (unknown !== undefined) throw new PublicError(400, `unknown parameter: ${unknown.slice(0, 200)}`);
  if (token === undefined) return "";
  if (typeof value !== "string" || value === "")
    throw new PublicError(400, "token must be the token from the emailed link, passed once");
  return value;
}

/** Throws PublicError 400, 413 or 415; a body that the operation does not take is discarded. */
async function bodyOf(operation: AccountOperation, request: IncomingMessage): Promise<unknown> {
  if (operation.request === undefined) {
    if (hasBody(request)) await discardBody(request);
    return undefined;
  }
  if (!/^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? ""))
    throw new PublicError(415, "Content-Type must be application/json");
  const text = await readBody(request, ACCOUNT_BODY_BYTES);
  try {
    return parseUntrustedJson(text);
  } catch {
    throw new PublicError(400, "the body is not valid JSON");
  }
}
