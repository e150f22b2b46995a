import type { IncomingMessage, ServerResponse } from "node:http";
import type { AccountParts } from "../accounts/account-parts.ts";
import { partnerPortal } from "../accounts/partner-portal.ts";
import {
  createWebhook,
  listDeliveries,
  listWebhooks,
  removeWebhook,
  replayDelivery,
  testWebhook,
  verifyWebhook,
} from "../accounts/partner-webhooks.ts";
import type { Reply } from "../accounts/reply.ts";
import { fileReport, parseReport, reportView } from "../accounts/report-problem.ts";
import { checkSubscription, requestSubscription } from "../accounts/subscribe.ts";
import { managedView, pendingView } from "../accounts/subscription-links.ts";
import type { AccountOperation, AccountOperationId } from "../contract/accounts/account-operations.ts";
import { ACCOUNT_BODY_BYTES } from "../contract/limits.ts";
import { PublicError } from "../kernel/errors.ts";
import { parseUntrustedJson } from "../kernel/text/untrusted-json.ts";
import { endpointFor } from "../routes/matcher.ts";
import type { ServiceMatch } from "../routes/registry.ts";
import type { PartnerClient } from "../state/partners/partners.ts";
import { sendPassingJson } from "./http/errors.ts";
import { preflightHeaders } from "./http/headers.ts";
import { discardBody, hasBody, readBody } from "./http/request-body.ts";
import { parseQuery, type RequestTarget } from "./http/request-target.ts";
import type { Admission, Admitted } from "./limits/admission.ts";
import { keyMissing } from "./limits/partner-keys.ts";
import { type Limiter, readRefusal } from "./limits/rate-limit.ts";

/** The operations of interface 4.17, 4.19 and 4.20, and those beside them. */

export interface AccountRouteParts extends AccountParts {
  readonly admission: Admission;
  readonly reads: Limiter;
  readonly signUps: Limiter;
  readonly reports: Limiter;
}

/** One request to an operation, read and let in. */
interface Call {
  readonly request: IncomingMessage;
  readonly path: Readonly<Record<string, string>>;
  readonly token: string;
  readonly body: unknown;
  /** Throws PublicError 401 when there is none. */
  client(): PartnerClient;
}

type Handler = (parts: AccountRouteParts, call: Call) => Promise<Reply>;

const HANDLERS: Readonly<Record<AccountOperationId, Handler>> = {
  async subscribeAlerts(parts, { request, body }) {
    const checked = checkSubscription(parts, body);
    await admitSignUp(parts, request);
    return requestSubscription(parts, checked);
  },
  getPendingAlert: async (parts, { token }) => ok(await pendingView(parts, token)),
  getAlertSubscription: async (parts, { token }) => ok(await managedView(parts, token)),
  async getPartnerPortal(parts, call) {
    const client = call.client();
    if (!client.portalAccess) throw new PublicError(403, "portal access is not enabled for this client");
    return ok(await partnerPortal(parts, client));
  },
  listPartnerWebhooks: async (parts, call) => ok(await listWebhooks(parts, call.client())),
  createPartnerWebhook: (parts, call) => createWebhook(parts, call.client(), call.body),
  removePartnerWebhook: async (parts, call) => ok(await removeWebhook(parts, call.client(), webhook(call))),
  testPartnerWebhook: async (parts, call) => queued(await testWebhook(parts, call.client(), webhook(call))),
  verifyPartnerWebhook: async (parts, call) =>
    queued(await verifyWebhook(parts, call.client(), webhook(call))),
  listWebhookDeliveries: async (parts, call) => ok(await listDeliveries(parts, call.client(), webhook(call))),
  async replayWebhookDelivery(parts, call) {
    const { delivery = "" } = call.path;
    return queued(await replayDelivery(parts, call.client(), webhook(call), delivery));
  },
  async createReport(parts, { request, body }) {
    const report = parseReport(body);
    await admitReport(parts, request);
    return fileReport(parts, report);
  },
  getReport: async (parts, { path }) => ok(await reportView(parts, path["report_id"] ?? "")),
};

const ok = (body: object): Reply => ({ status: 200, body });
const queued = (body: object): Reply => ({ status: 202, body });
const webhook = ({ path }: Call): string => path["webhook"] ?? "";

/** Throws PublicError 429: each request for a subscription may send somebody a mail. */
export function admitSignUp(
  { admission, signUps }: AccountRouteParts,
  request: IncomingMessage,
): Promise<void> {
  return admitWithin(admission, signUps, request, "too many subscription requests from your network address");
}

/** Throws PublicError 429: somebody has to read each report. */
export function admitReport(
  { admission, reports }: AccountRouteParts,
  request: IncomingMessage,
): Promise<void> {
  return admitWithin(admission, reports, request, "too many reports from your network address");
}

async function admitWithin(
  admission: Admission,
  limiter: Limiter,
  request: IncomingMessage,
  refusal: string,
): Promise<void> {
  const { retryAfter } = await admission.takeFromAddress(limiter, request);
  if (retryAfter === undefined) return;
  throw new PublicError(429, `${refusal}: try again later`, { retry_after_s: retryAfter });
}

/** Answers an operation. Throws PublicError, and whatever the state throws when it fails. */
export async function answerAccount(
  parts: AccountRouteParts,
  match: ServiceMatch,
  { query }: RequestTarget,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const allow = [...match.endpoints.flatMap(({ method }) => method ?? []), "OPTIONS"].join(", ");
  if (request.method === "OPTIONS") {
    response.writeHead(204, preflightHeaders(allow)).end();
    return;
  }
  const endpoint = endpointFor(match, request.method ?? "");
  if (endpoint?.kind !== "account") throw methodRefused(allow, response);
  const id = operationId(endpoint.operationId);
  const { operation } = endpoint;
  const { client } = await admit(parts, request, response);
  if (operation.needsKey && client === undefined) {
    await parts.state.get(); // without it no key can be checked, and that is no fault of the caller
    throw keyMissing(response);
  }
  const call: Call = {
    request,
    path: match.values,
    token: tokenOf(operation, query),
    body: await bodyOf(operation, request),
    client() {
      if (client === undefined) throw keyMissing(response);
      return client;
    },
  };
  const { status, body } = await HANDLERS[id](parts, call);
  sendPassingJson(request, response, status, body);
}

function operationId(name: string): AccountOperationId {
  const ids: readonly string[] = Object.keys(HANDLERS);
  const isKnown = (id: string): id is AccountOperationId => ids.includes(id);
  if (!isKnown(name)) throw new Error(`no handler for ${name}`);
  return name;
}

function methodRefused(allow: string, response: ServerResponse): PublicError {
  response.setHeader("Allow", allow);
  return new PublicError(405, `method not allowed here; allowed: ${allow}`);
}

async function admit(
  { admission, reads, snapshot }: AccountRouteParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Admitted> {
  const admitted = await admission.take(reads, request, response);
  if (admitted.retryAfter !== undefined) throw readRefusal(admitted.retryAfter, snapshot().release().baseUrl);
  return admitted;
}

function tokenOf({ token }: AccountOperation, query: string): string {
  const { token: given, ...others } = parseQuery(query);
  const [unknown] = [
    ...(token === undefined && given !== undefined ? ["token"] : []),
    ...Object.keys(others),
  ];
  if (unknown !== undefined) throw new PublicError(400, `unknown parameter: ${unknown.slice(0, 200)}`);
  if (token === undefined) return "";
  if (typeof given !== "string" || given === "")
    throw new PublicError(400, "token must be the token from the emailed link, passed once");
  return given;
}

/** Throws PublicError 400, 413 or 415; a body that no operation asks for is read over. */
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
