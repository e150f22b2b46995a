/** What account operations and the forms of their pages share: allowances, the fields of a form, and answers for persons. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { AccountCall, AccountDeps } from "../accounts/define.ts";
import { ACCOUNT_BODY_BYTES } from "../contract/limits.ts";
import { PublicError } from "../kernel/errors.ts";
import type { Log } from "../kernel/log.ts";
import { pageSentence } from "../render/words/field-labels.ts";
import { passingTextHeaders } from "./http/headers.ts";
import { readBody } from "./http/request.ts";
import type { Admission } from "./limits/admission.ts";
import { type Limiter, readRefusal, type WriteBudget, type WriteLimiter } from "./limits/rate-limit.ts";

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

/** No form has nearly as many. */
const MAX_FIELDS = 50;

/** The fields of a form by name, all values of a name that has several; what was left empty was not given. */
export type Fields = Readonly<Record<string, unknown>>;

/** Throws PublicError 400, 413 or 415. */
export async function readForm(request: IncomingMessage): Promise<Fields> {
  const type = request.headers["content-type"] ?? "";
  if (!/^(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i.test(type))
    throw new PublicError(415, "Content-Type must be application/x-www-form-urlencoded");
  const form = await parsed(await readBody(request, ACCOUNT_BODY_BYTES), type);
  const entries = [...form];
  if (entries.length > MAX_FIELDS)
    throw new PublicError(400, `a form must have at most ${MAX_FIELDS} fields (got ${entries.length})`);
  const given = Map.groupBy(
    entries.filter(([, value]) => value !== ""),
    ([name]) => name,
  );
  return Object.fromEntries(
    Array.from(given, ([name, fields]) => [name, oneOrAll(fields.map(([, value]) => value))]),
  );
}

async function parsed(text: string, type: string): Promise<FormData> {
  try {
    return await new Response(text, { headers: { "Content-Type": type } }).formData();
  } catch {
    throw new PublicError(400, "the form is not well-formed");
  }
}

function oneOrAll(values: readonly unknown[]): unknown {
  return values.length > 1 ? values : values[0];
}

/** Sets the RateLimit headers. Throws PublicError 429. */
export async function admitForm(
  { admission, limiter, accounts }: AccountEdge,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { headers, retryAfter } = await admission.takeFromAddress(limiter, request);
  for (const [name, value] of headers) response.setHeader(name, value);
  if (retryAfter !== undefined) throw readRefusal(retryAfter, accounts.snapshot().release().baseUrl);
}

/** Who asks for JSON is a program; everybody else is led to a page. */
export function isPerson({ headers }: IncomingMessage): boolean {
  return !/\bapplication\/json\b/i.test(headers.accept ?? "");
}

export function seeOther(response: ServerResponse, page: string): void {
  response.writeHead(303, ["Location", page, "Content-Length", "0", "Cache-Control", "no-store"]).end();
}

export function sendText(response: ServerResponse, status: number, text: string): void {
  const body = Buffer.from(text);
  response.writeHead(status, passingTextHeaders(body.length)).end(body);
}

/** Sends a form error as text; a missing thing has a page of its own. */
export function sendFormError(
  response: ServerResponse,
  { status, message, details }: PublicError,
  missing: string,
): void {
  const { reason, retry_after_s: wait } = details;
  if (status === 404 && reason !== undefined) {
    seeOther(response, missing);
    return;
  }
  if (typeof wait === "number") response.setHeader("Retry-After", String(wait));
  sendText(
    response,
    status,
    `${pageSentence(message)}\n\nGo back to the form to correct it, or try again later.\n`,
  );
}
