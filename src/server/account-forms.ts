import type { IncomingMessage, ServerResponse } from "node:http";
import { type AccountDeps, parseFields } from "../accounts/define.ts";
import { checkProof, sendRemoval, startRemoval } from "../accounts/removals.ts";
import { fileReport, parseReport, reportView } from "../accounts/report-problem.ts";
import { checkSubscription, requestSubscription } from "../accounts/subscribe.ts";
import {
  confirm,
  type ManageAction,
  manage,
  refuseEmail,
  unsubscribe,
} from "../accounts/subscription-links.ts";
import { type DeliverySetup, EMAIL_WORDS, queuedWebhookWords } from "../contract/accounts/delivery.ts";
import { REMOVAL_TRAP, RemovalRequest, type RemovalStatus } from "../contract/accounts/removals.ts";
import { REPORT_TRAP } from "../contract/accounts/reports.ts";
import { PublicError } from "../kernel/errors.ts";
import { type AccountEdge, admitTo } from "./account-routes.ts";
import { admitForm, type Form, isPerson, readForm, seeOther, sendText } from "./forms.ts";
import { sendPassingJson } from "./http/errors.ts";
import { refuseOtherSites } from "./http/request-body.ts";
import { parseQuery, type RequestTarget } from "./http/request-target.ts";

/**
 * What the forms of the alert pages post to: the address of the page itself, with the token of the emailed link in it. The answer leads to a
 * static page, so that everything works without JavaScript; programs that accept JSON get that.
 */

/** What was done: the page that says so, and what a program is told. */
interface Outcome {
  readonly page: string;
  readonly body: object;
  readonly text?: string; // for once, in place of the page
}

type FormHandler = (deps: AccountDeps, form: Form, token: string) => Promise<Outcome>;

/** Where a person is led whose link is not good. */
export const NO_SUCH_LINK = "/alerts/expired/";

const UNSUBSCRIBE = "/alerts/unsubscribe/";

const HANDLERS: ReadonlyMap<string, FormHandler> = new Map<string, FormHandler>([
  [
    "/alerts/confirm/",
    async (deps, _, token) => {
      const { view, signingSecret } = await confirm(deps, token);
      const body = signingSecret === undefined ? view : { ...view, signing_secret: signingSecret };
      const text = signingSecret === undefined ? {} : { text: secretText(signingSecret, deps.delivery()) };
      return { page: "/alerts/confirmed/", body, ...text };
    },
  ],
  [
    "/alerts/manage/",
    async (deps, form, token) => {
      const action = actionOf(form);
      if (action === "unsubscribe") return ended(deps, token);
      return { page: RESULT_PAGES[action], body: await manage(deps, token, action) };
    },
  ],
  [UNSUBSCRIBE, (deps, _, token) => ended(deps, token)],
  [
    "/alerts/never/",
    async (deps, _, token) => ({ page: "/alerts/refused/", body: await refuseEmail(deps, token) }),
  ],
]);

const RESULT_PAGES: Readonly<Record<ManageAction, string>> = {
  pause: "/alerts/paused/",
  resume: "/alerts/resumed/",
};

async function ended(deps: AccountDeps, token: string): Promise<Outcome> {
  return { page: "/alerts/ended/", body: await unsubscribe(deps, token) };
}

/** Answers a form. Throws PublicError, and whatever the state throws when it fails. */
export async function answerAlertForm(
  edge: AccountEdge,
  { pathname, query }: RequestTarget,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const form = await readForm(request);
  // Mail programs post by themselves, from wherever they are (RFC 8058); the token says that they may.
  const isOneClick = pathname === UNSUBSCRIBE && form.get("List-Unsubscribe") === "One-Click";
  if (!isOneClick) refuseOtherSites(request, edge.hosts);
  if (pathname !== UNSUBSCRIBE) await admitForm(edge, request, response);
  const outcome = await outcomeOf(edge, pathname, { form, query, request });
  if (isOneClick || !isPerson(request)) sendPassingJson(request, response, 200, outcome.body);
  else if (outcome.text !== undefined) sendText(response, 200, outcome.text);
  else seeOther(response, outcome.page);
}

async function outcomeOf(
  edge: AccountEdge,
  pathname: string,
  { form, query, request }: { form: Form; query: string; request: IncomingMessage },
): Promise<Outcome> {
  const handler = HANDLERS.get(pathname);
  if (handler !== undefined) return handler(edge.accounts, form, tokenOf(query));
  const checked = checkSubscription(edge.accounts, subscribeFields(form));
  await admitTo(edge, "signUps", request);
  const { body } = await requestSubscription(edge.accounts, checked);
  return { page: `/alerts/${EMAIL_WORDS[edge.accounts.delivery().email].page}/`, body };
}

/** The fields of the JSON request (interface 4.17), from the texts of a form. */
function subscribeFields(form: Form): Record<string, unknown> {
  const fields = new Map(form);
  const types = fields.get("event_types");
  if (typeof types === "string") fields.set("event_types", [types]);
  const confidence = fields.get("min_confidence");
  if (typeof confidence === "string") fields.set("min_confidence", Number(confidence));
  return Object.fromEntries(fields);
}

function tokenOf(query: string): string {
  const { token } = parseQuery(query);
  if (typeof token === "string" && token !== "") return token;
  throw new PublicError(404, "the link is incomplete: copy the whole link from the email", {
    reason: "unknown",
  });
}

function actionOf(form: Form): ManageAction | "unsubscribe" {
  const action = form.get("action");
  if (action === "pause" || action === "resume" || action === "unsubscribe") return action;
  throw new PublicError(400, "action must be pause, resume or unsubscribe");
}

function secretText(secret: string, delivery: DeliverySetup): string {
  return `The subscription is confirmed. ${queuedWebhookWords("A signed challenge for the endpoint", delivery)} The endpoint receives events once it has answered the challenge.

Its signing secret, shown only once and not stored:

${secret}
`;
}

/** Targets of the forms on the page for owners, which works without JavaScript. */

const PAGE = "/opt-out/";

/** Where a person is led whose request is not there. */
export const NO_SUCH_REQUEST = `${PAGE}unknown/`;

/** Where a checked request leads that has nothing to choose. */
const PAGES: Readonly<Partial<Record<RemovalStatus, string>>> = {
  unproven: `${PAGE}not-found/`,
  requested: `${PAGE}requested/`,
  carried_out: `${PAGE}carried-out/`,
  declined: `${PAGE}declined/`,
};

interface Done {
  readonly page: string;
  readonly status: number;
  readonly body: object;
}

/** Answers a form. Throws PublicError, and whatever the state throws when it fails. */
export async function answerRemovalForm(
  edge: AccountEdge,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const form = await readForm(request);
  refuseOtherSites(request, edge.hosts);
  await admitForm(edge, request, response);
  const { step, ...fields } = Object.fromEntries(form);
  const { page, status, body } = await stepOf(step)(edge, fields, request);
  if (isPerson(request)) seeOther(response, page);
  else sendPassingJson(request, response, status, body);
}

type Fields = Readonly<Record<string, unknown>>;
type Step = (edge: AccountEdge, fields: Fields, request: IncomingMessage) => Promise<Done>;

const STEPS: ReadonlyMap<unknown, Step> = new Map([
  ["start", started],
  ["check", checked],
  ["send", sent],
]);

function stepOf(name: unknown): Step {
  const step = STEPS.get(name);
  if (step === undefined) throw new PublicError(400, `step must be one of ${[...STEPS.keys()].join(", ")}`);
  return step;
}

async function started(edge: AccountEdge, fields: Fields, request: IncomingMessage): Promise<Done> {
  const { [REMOVAL_TRAP]: trap, ...wanted } = fields;
  if (trap !== undefined)
    throw new PublicError(
      400,
      `${REMOVAL_TRAP} must stay empty: it detects programs that fill in every field`,
    );
  const parsed = parseFields(RemovalRequest, wanted);
  await admitTo(edge, "removals", request);
  const { status, body } = await startRemoval(edge.accounts, parsed);
  const { removal_id, record } = body.removal;
  return { page: pageOf({ record, request: removal_id }), status, body };
}

async function checked(edge: AccountEdge, fields: Fields, request: IncomingMessage): Promise<Done> {
  await admitTo(edge, "removalChecks", request);
  const id = textOf(fields, "request");
  const body = await checkProof(edge.accounts, id);
  const here = pageOf({ record: textOf(fields, "record"), request: id });
  return { page: PAGES[body.removal.status] ?? `${here}#reason`, status: 200, body };
}

async function sent(edge: AccountEdge, { request: id, record, ...fields }: Fields): Promise<Done> {
  const { status, body } = await sendRemoval(edge.accounts, String(id ?? ""), fields);
  return { page: `${PAGE}requested/`, status, body };
}

function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === "string" ? value.trim() : "";
}

function pageOf(query: Readonly<Record<string, string>>): string {
  return `${PAGE}?${new URLSearchParams(query)}`;
}

/** Targets of the forms on the report pages, which work without JavaScript. */

const REPORT = "/report/";

/** Where a person is led whose report is not there. */
export const NO_SUCH_REPORT = "/report/unknown/";

/** Answers a form. Throws PublicError, and whatever the state throws when it fails. */
export async function answerReportForm(
  edge: AccountEdge,
  { pathname }: RequestTarget,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const form = await readForm(request);
  refuseOtherSites(request, edge.hosts);
  await admitForm(edge, request, response);
  const { page, status, body } =
    pathname === REPORT ? await filed(edge, form, request) : await lookedUp(edge, form);
  if (isPerson(request)) seeOther(response, page);
  else sendPassingJson(request, response, status, body);
}

async function filed(edge: AccountEdge, form: Form, request: IncomingMessage) {
  const { [REPORT_TRAP]: trap, ...fields } = Object.fromEntries(form);
  if (trap !== undefined)
    throw new PublicError(
      400,
      `${REPORT_TRAP} must stay empty: it detects programs that fill in every field`,
    );
  const report = parseReport(fields);
  await admitTo(edge, "reports", request);
  const { status, body } = await fileReport(edge.accounts, report);
  return { page: `/report/received/?report=${body.report.report_id}`, status, body };
}

async function lookedUp(edge: AccountEdge, form: Form) {
  const body = await reportView(edge.accounts, String(form.get("report") ?? "").trim());
  return { page: `/report/${body.report.outcome ?? "open"}/`.replaceAll("_", "-"), status: 200, body };
}
