import type { IncomingMessage, ServerResponse } from "node:http";
import type { AccountCall, AccountDeps } from "../accounts/define.ts";
import { ACCOUNT_HANDLERS } from "../accounts/operations.ts";
import { type AccountOperation, isAnonymousWrite } from "../contract/accounts/account-operations.ts";
import { shownNames } from "../contract/faults.ts";
import { ACCOUNT_BODY_BYTES } from "../contract/limits.ts";
import { PublicError } from "../kernel/errors.ts";
import type { Log } from "../kernel/log.ts";
import { parseUntrustedJson } from "../kernel/text/untrusted-json.ts";
import { endpointFor } from "../routes/matcher.ts";
import type { ServiceMatch } from "../routes/registry.ts";
import { sendPassingJson } from "./http/errors.ts";
import { allowHeaders, preflightHeaders } from "./http/headers.ts";
import { discardBody, hasBody, readBody, refuseOtherSites } from "./http/request-body.ts";
import { parseQuery, type RequestTarget } from "./http/request-target.ts";
import type { Admission, Admitted } from "./limits/admission.ts";
import { type Limiter, readRefusal } from "./limits/rate-limit.ts";
import { keyMissing, type WriteBudget, type WriteLimiter } from "./limits/write-limits.ts";

/** The HTTP edge of account operations and of the forms of their pages. */
export interface AccountEdge {
  readonly accounts: AccountDeps;
  readonly admission: Admission;
  readonly limiter: Limiter; // of reads
  readonly allowances: Readonly<Record<Allowance, WriteLimiter>>;
  readonly log: Log;
  /** Host names that the service is reached by. */
  readonly hosts: ReadonlySet<string>;
}

type Allowance = Parameters<AccountCall["admit"]>[0];

const REFUSED: Readonly<Record<Allowance, string>> = {
  signUps: "too many subscription requests",
  reports: "too many reports",
  removals: "too many requests for removal",
  removalChecks: "too many checks of a proof",
};

const FROM: Readonly<Record<WriteBudget, string>> = {
  client: "from your network address",
  network: "from your network",
  all: "at this time",
};

const HANDLERS = new Map(Object.entries(ACCOUNT_HANDLERS));

/** Applies a stricter rate limit than that of reads. Throws PublicError 429. */
export async function admitTo(
  { admission, allowances }: AccountEdge,
  allowance: Allowance,
  request: IncomingMessage,
): Promise<void> {
  const refusal = await allowances[allowance].take(admission.clientOf(request));
  if (refusal === undefined) return;
  const { budget, retryAfter } = refusal;
  throw new PublicError(429, `${REFUSED[allowance]} ${FROM[budget]}: try again later`, {
    retry_after_s: retryAfter,
  });
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
    response.writeHead(204, isClosed(match) ? allowHeaders(allow) : preflightHeaders(allow)).end();
    return;
  }
  const endpoint = endpointFor(match, request.method ?? "");
  const handler = endpoint && HANDLERS.get(endpoint.operationId);
  if (endpoint?.kind !== "account" || handler === undefined) {
    response.setHeader("Allow", allow);
    throw new PublicError(405, `method not allowed here; allowed: ${allow}`);
  }
  const { operation } = endpoint;
  if (isAnonymousWrite(operation)) refuseOtherSites(request, edge.hosts);
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

/** A path of anonymous writes: browsers send them for pages of this site only, because no preflight allows another. */
function isClosed({ endpoints }: ServiceMatch): boolean {
  return endpoints.some((endpoint) => endpoint.kind === "account" && isAnonymousWrite(endpoint.operation));
}

async function admit(
  { admission, limiter, accounts }: AccountEdge,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Admitted> {
  const admitted = await admission.takeWithoutQuota(limiter, request, response);
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
  if (unknown !== undefined) throw new PublicError(400, `unknown parameter: ${shownNames([unknown])}`);
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
