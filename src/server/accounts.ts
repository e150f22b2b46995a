import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { ACCOUNT_HANDLERS } from "../accounts/operations.ts";
import { type AccountOperation, isAnonymousWrite } from "../contract/accounts/account-operations.ts";
import { unknownName } from "../contract/faults.ts";
import { ACCOUNT_BODY_BYTES } from "../contract/limits.ts";
import { PublicError } from "../kernel/errors.ts";
import type { Log } from "../kernel/log.ts";
import { parseUntrustedJson } from "../kernel/text/json.ts";
import { endpointFor } from "../site/routes/matcher.ts";
import type { FormPath, ServiceMatch } from "../site/routes/registry.ts";
import { type AccountEdge, admitTo, isPerson, sendFormError } from "./account-edge.ts";
import { answerForm, missingPage } from "./account-forms.ts";
import { sendError, sendPassingJson } from "./http/errors.ts";
import { allowHeaders, preflightHeaders } from "./http/headers.ts";
import {
  checkHost,
  discardBody,
  hasBody,
  parseQuery,
  parseTarget,
  type RequestTarget,
  readBody,
  refuseOtherSites,
} from "./http/request.ts";
import type { Admitted } from "./limits/admission.ts";
import { keyMissing, readRefusal } from "./limits/rate-limit.ts";

/** Answers a request for an account operation or a form, errors too. Never rejects. */
export async function answerAccounts(
  edge: AccountEdge,
  match: ServiceMatch,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const endpoint = endpointFor(match, request.method ?? "");
  const form = endpoint?.kind === "form" ? endpoint.path : undefined;
  try {
    checkHost(request, response);
    const target = parseTarget(request.url ?? "");
    if (form === undefined) await answerOperation(edge, match, target, request, response);
    else await answerForm(edge, form, target, request, response);
  } catch (error) {
    refuse(request, response, form, error instanceof PublicError ? error : unavailable(error, edge.log));
  }
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  form: FormPath | undefined,
  failure: PublicError,
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (hasBody(request) && !request.complete) response.setHeader("Connection", "close"); // the rest stays unread
  if (form !== undefined && isPerson(request)) sendFormError(response, failure, missingPage(form));
  else sendError(request, response, failure);
}

/** Most failures here come from the state database. The log gets the place of the failure without its message, which could hold submitted data. */
function unavailable(error: unknown, log: Log): PublicError {
  const requestId = randomUUID();
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const frames = error instanceof Error ? (error.stack ?? "").match(/^ +at .*$/gm) : null;
  const name = error instanceof Error ? error.name : typeof error;
  log.error("account_request_failed", {
    request_id: requestId,
    fault: [name, code, ...(frames ?? [])].join("\n"),
  });
  return new PublicError(503, "accounts, alerts and reports are temporarily unavailable: try again later", {
    request_id: requestId,
  });
}

const HANDLERS = new Map(Object.entries(ACCOUNT_HANDLERS));

/** Answers an operation. Throws PublicError and errors of the state. */
async function answerOperation(
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
  if (unknown !== undefined) throw unknownName("parameter", [unknown], token === undefined ? [] : ["token"]);
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
    throw new PublicError(400, "the body is not valid JSON", { code: "invalid_json" });
  }
}
