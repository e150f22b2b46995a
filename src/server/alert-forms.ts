import type { IncomingMessage, ServerResponse } from "node:http";
import { ACCOUNT_BODY_BYTES } from "../contract/limits.ts";
import { PublicError } from "../kernel/errors.ts";
import { type AccountRouteParts, admitSignUp } from "./account-routes.ts";
import { sendPassingJson } from "./errors.ts";
import { passingTextHeaders } from "./headers.ts";
import { readRefusal } from "./rate-limit.ts";
import { readBody } from "./request-body.ts";
import { parseQuery, type RequestTarget } from "./request-target.ts";
import { isSameOrigin } from "./same-origin.ts";
import { checkSubscription, requestSubscription } from "./subscribe.ts";
import { confirm, type ManageAction, manage, unsubscribe } from "./subscription-links.ts";

/**
 * What the forms of the alert pages post to: the address of the page itself, with the token of the mailed link in it. The answer leads to a
 * static page, so that everything works without JavaScript; programs that accept JSON get that.
 */

/** What was done: the page that says so, and what a program is told. */
interface Outcome {
  readonly page: string;
  readonly body: object;
  readonly text?: string; // for once, in place of the page
}

type FormHandler = (parts: AccountRouteParts, form: FormData, token: string) => Promise<Outcome>;

const SUBSCRIBE = "/alerts/";
const UNSUBSCRIBE = "/alerts/unsubscribe/";

const HANDLERS: ReadonlyMap<string, FormHandler> = new Map<string, FormHandler>([
  [
    "/alerts/confirm/",
    async (parts, _, token) => {
      const { view, signingSecret } = await confirm(parts, token);
      const body = signingSecret === undefined ? view : { ...view, signing_secret: signingSecret };
      const text = signingSecret === undefined ? {} : { text: secretText(signingSecret) };
      return { page: "/alerts/confirmed/", body, ...text };
    },
  ],
  [
    "/alerts/manage/",
    async (parts, form, token) => {
      const action = actionOf(form);
      return { page: RESULT_PAGES[action], body: await manage(parts, token, action) };
    },
  ],
  [
    UNSUBSCRIBE,
    async (parts, _, token) => ({ page: RESULT_PAGES.unsubscribe, body: await unsubscribe(parts, token) }),
  ],
]);

const RESULT_PAGES: Readonly<Record<ManageAction, string>> = {
  pause: "/alerts/paused/",
  resume: "/alerts/resumed/",
  unsubscribe: "/alerts/ended/",
};

export function isAlertForm(method: string | undefined, pathname: string): boolean {
  return method === "POST" && (pathname === SUBSCRIBE || HANDLERS.has(pathname));
}

/** Answers a form. Throws PublicError, and whatever the state throws when it fails. */
export async function answerAlertForm(
  parts: AccountRouteParts & { readonly hosts: ReadonlySet<string> },
  { pathname, query }: RequestTarget,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const form = await formOf(request);
  // Mail programs post by themselves, from wherever they are (RFC 8058); the token says that they may.
  const isOneClick = pathname === UNSUBSCRIBE && form.get("List-Unsubscribe") === "One-Click";
  if (!isOneClick && !isSameOrigin(request, parts.hosts))
    throw new PublicError(403, "this form was sent from another site");
  if (pathname !== UNSUBSCRIBE) await admitForm(parts, request, response);
  const outcome = await outcomeOf(parts, pathname, { form, query, request });
  if (isOneClick || !isPerson(request)) sendPassingJson(request, response, 200, outcome.body);
  else if (outcome.text !== undefined) sendText(response, 200, outcome.text);
  else seeOther(response, outcome.page);
}

/** A person is told in words what is wrong with the form; for a link that is not good there is a page. */
export function sendFormError(response: ServerResponse, { status, message, details }: PublicError): void {
  const { reason, retry_after_s: wait } = details;
  if (status === 404 && reason !== undefined) {
    seeOther(response, "/alerts/expired/");
    return;
  }
  if (typeof wait === "number") response.setHeader("Retry-After", String(wait));
  sendText(response, status, `${message}\n\nGo back to the form to change it, or try again later.\n`);
}

async function outcomeOf(
  parts: AccountRouteParts,
  pathname: string,
  { form, query, request }: { form: FormData; query: string; request: IncomingMessage },
): Promise<Outcome> {
  const handler = HANDLERS.get(pathname);
  if (handler !== undefined) return handler(parts, form, tokenOf(query));
  const checked = checkSubscription(parts, subscribeFields(form));
  await admitSignUp(parts, request);
  const { body } = await requestSubscription(parts, checked);
  return { page: "/alerts/check-your-mail/", body };
}

async function admitForm(
  { admission, reads, snapshot }: AccountRouteParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { headers, retryAfter } = await admission.takeFromAddress(reads, request);
  for (const [name, value] of headers) response.setHeader(name, value);
  if (retryAfter !== undefined) throw readRefusal(retryAfter, snapshot().release().baseUrl);
}

/** Throws PublicError 400, 413 or 415. */
async function formOf(request: IncomingMessage): Promise<FormData> {
  const type = request.headers["content-type"] ?? "";
  if (!/^(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i.test(type))
    throw new PublicError(415, "Content-Type must be application/x-www-form-urlencoded");
  const text = await readBody(request, ACCOUNT_BODY_BYTES);
  try {
    return await new Response(text, { headers: { "Content-Type": type } }).formData();
  } catch {
    throw new PublicError(400, "the form is not well-formed");
  }
}

/** The fields of the JSON request (interface 4.17), from the texts of a form; what was left empty was not given. */
function subscribeFields(form: FormData): Record<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const name of new Set(form.keys())) {
    const values = form.getAll(name).filter((value) => value !== "");
    const [first, ...more] = values;
    if (name === "event_types" && values.length > 0) fields.set(name, values);
    else if (first !== undefined) fields.set(name, more.length > 0 ? values : first);
  }
  const confidence = fields.get("min_confidence");
  if (typeof confidence === "string") fields.set("min_confidence", Number(confidence));
  return Object.fromEntries(fields);
}

function tokenOf(query: string): string {
  const { token } = parseQuery(query);
  if (typeof token === "string" && token !== "") return token;
  throw new PublicError(404, "this link is not whole", { reason: "unknown" });
}

function actionOf(form: FormData): ManageAction {
  const action = form.get("action");
  if (action === "pause" || action === "resume" || action === "unsubscribe") return action;
  throw new PublicError(400, "field action: must be pause, resume or unsubscribe");
}

/** Who asks for JSON is a program; everybody else is led to a page. */
export function isPerson({ headers }: IncomingMessage): boolean {
  return !/\bapplication\/json\b/i.test(headers.accept ?? "");
}

function seeOther(response: ServerResponse, page: string): void {
  response.writeHead(303, ["Location", page, "Content-Length", "0", "Cache-Control", "no-store"]).end();
}

function sendText(response: ServerResponse, status: number, text: string): void {
  const body = Buffer.from(text);
  response.writeHead(status, passingTextHeaders(body.length)).end(body);
}

function secretText(secret: string): string {
  return `The alerts are confirmed. The endpoint is being sent a signed challenge, and gets alerts once it has answered it.

Its signing secret, which is shown this once and not stored:

${secret}
`;
}
