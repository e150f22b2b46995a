import type { IncomingMessage, ServerResponse } from "node:http";
import { parseFields } from "../accounts/define.ts";
import { checkProof, sendRemoval, startRemoval } from "../accounts/removals.ts";
import { fileReport, parseReport, reportView } from "../accounts/reports.ts";
import {
  checkSubscription,
  confirm,
  manage,
  refuseEmail,
  requestSubscription,
  unsubscribe,
} from "../accounts/subscriptions.ts";
import { type ManageAction, ManageRequest } from "../contract/accounts/alerts.ts";
import { type DeliverySetup, EMAIL_WORDS, queuedWebhookWords } from "../contract/accounts/delivery.ts";
import { REMOVAL_TRAP, RemovalRequest, type RemovalStatus } from "../contract/accounts/removals.ts";
import { REPORT_TRAP } from "../contract/accounts/reports.ts";
import { PublicError } from "../kernel/errors.ts";
import { manageUrl } from "../resources/links.ts";
import type { FormPath } from "../site/routes/registry.ts";
import {
  type AccountEdge,
  admitForm,
  admitTo,
  type Fields,
  isPerson,
  readForm,
  seeOther,
  sendText,
} from "./account-edge.ts";
import { sendPassingJson } from "./http/errors.ts";
import { parseQuery, type RequestTarget, refuseOtherSites } from "./http/request.ts";

/**
 * What the forms of pages post to: the address of the page itself, with the token of an emailed link in it where there is one. The answer leads to a
 * static page, so that everything works without JavaScript; programs that accept JSON get that.
 */

interface FormCall {
  readonly edge: AccountEdge;
  readonly request: IncomingMessage;
  readonly fields: Fields;
  /** Of an emailed link. Throws PublicError 404 without one. */
  token(): string;
}

/** What was done: the page that says so, and what a program is told. */
interface Outcome {
  readonly page: string;
  readonly body: object;
  readonly status?: number;
  readonly text?: string; // for once, in place of the page
}

type Form = (call: FormCall) => Promise<Outcome>;

const UNSUBSCRIBE = "/alerts/unsubscribe/";

/** By the path that they are posted to. */
const FORMS: Readonly<Record<FormPath, Form>> = {
  "/alerts/": subscribed,
  "/alerts/confirm/": confirmed,
  "/alerts/manage/": managed,
  [UNSUBSCRIBE]: ended,
  "/alerts/never/": async ({ edge, token }) => ({
    page: "/alerts/refused/",
    body: await refuseEmail(edge.accounts, token()),
  }),
  "/report/": filed,
  "/report/status/": lookedUp,
  "/opt-out/": (call) => stepOf(call.fields["step"])(call),
};

/** Where a person is led whose link, report or request is not there. */
export function missingPage(path: FormPath): string {
  if (path.startsWith("/alerts/")) return "/alerts/expired/";
  return path.startsWith("/report/") ? "/report/unknown/" : `${OPT_OUT}unknown/`;
}

/** Answers a form. Throws PublicError, and whatever the state throws when it fails. */
export async function answerForm(
  edge: AccountEdge,
  path: FormPath,
  { query }: RequestTarget,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const fields = await readForm(request);
  // Mail programs post by themselves, from wherever they are (RFC 8058); the token says that they may.
  const isOneClick = path === UNSUBSCRIBE && fields["List-Unsubscribe"] === "One-Click";
  if (!isOneClick) refuseOtherSites(request, edge.hosts);
  if (path !== UNSUBSCRIBE) await admitForm(edge, request, response);
  const call = { edge, request, fields, token: () => tokenOf(query) };
  const { page, body, status = 200, text } = await FORMS[path](call);
  if (isOneClick || !isPerson(request)) sendPassingJson(request, response, status, body);
  else if (text !== undefined) sendText(response, status, text);
  else seeOther(response, page);
}

function tokenOf(query: string): string {
  const { token } = parseQuery(query);
  if (typeof token === "string" && token !== "") return token;
  throw new PublicError(404, "the link is incomplete: copy the whole link from the email", {
    reason: "unknown",
  });
}

async function subscribed({ edge, request, fields }: FormCall): Promise<Outcome> {
  const checked = checkSubscription(edge.accounts, alertFields(fields));
  await admitTo(edge, "signUps", request);
  const { body } = await requestSubscription(edge.accounts, checked);
  return { page: `/alerts/${EMAIL_WORDS[edge.accounts.delivery().email].page}/`, body };
}

/** The fields of the JSON requests (interface 4.17), from the texts of a form. Throws PublicError 400 where all that was ticked, `types_shown`, was cleared. */
function alertFields({ types_shown: isShown, ...fields }: Fields): Fields {
  const { event_types: types, min_confidence: confidence } = fields;
  if (isShown !== undefined && types === undefined)
    throw new PublicError(400, "tick at least one kind of change");
  return {
    ...fields,
    ...(typeof types === "string" && { event_types: [types] }),
    ...(typeof confidence === "string" && { min_confidence: Number(confidence) }),
  };
}

async function confirmed({ edge, token }: FormCall): Promise<Outcome> {
  const body = await confirm(edge.accounts, token());
  const { signing_secret: secret, manage_token: manageToken } = body;
  const page = "/alerts/confirmed/";
  if (secret === null || manageToken === null) return { page, body };
  const { baseUrl } = edge.accounts.snapshot().release();
  const manage = manageUrl(baseUrl, manageToken);
  return { page, body, text: secretText(secret, manage, edge.accounts.delivery()) };
}

/** No email follows for the endpoint, so this is the only place that tells how to end it. */
function secretText(secret: string, manage: string, delivery: DeliverySetup): string {
  return `The subscription is confirmed. ${queuedWebhookWords("A signed challenge for the endpoint", delivery)} The endpoint receives events once it has answered the challenge.

Its signing secret, shown only once and not stored:

${secret}

To pause, change or end the subscription, keep this link:

${manage}
`;
}

const MANAGED: Readonly<Record<ManageAction, string>> = {
  pause: "/alerts/paused/",
  resume: "/alerts/resumed/",
  change: "/alerts/changed/",
  unsubscribe: "/alerts/ended/",
};

async function managed({ edge, fields, token }: FormCall): Promise<Outcome> {
  const request = parseFields(ManageRequest, { ...alertFields(fields), token: token() });
  return { page: MANAGED[request.action], body: await manage(edge.accounts, request) };
}

async function ended({ edge, token }: FormCall): Promise<Outcome> {
  return { page: MANAGED.unsubscribe, body: await unsubscribe(edge.accounts, token()) };
}

async function filed({ edge, request, fields }: FormCall): Promise<Outcome> {
  const report = parseReport(withoutTrap(REPORT_TRAP, fields));
  await admitTo(edge, "reports", request);
  const { status, body } = await fileReport(edge.accounts, report);
  return { page: `/report/received/?report=${body.report.report_id}`, status, body };
}

/** Throws PublicError 400 where the field that only programs fill in is filled in. */
function withoutTrap(trap: string, { [trap]: filled, ...fields }: Fields): Fields {
  if (filled === undefined) return fields;
  throw new PublicError(400, `${trap} must stay empty: it detects programs that fill in every field`);
}

async function lookedUp({ edge, fields }: FormCall): Promise<Outcome> {
  const body = await reportView(edge.accounts, String(fields["report"] ?? "").trim());
  return { page: `/report/${body.report.outcome ?? "open"}/`.replaceAll("_", "-"), body };
}

const OPT_OUT = "/opt-out/";

/** Where a checked request for removal leads that has nothing to choose. */
const PAGES: Readonly<Partial<Record<RemovalStatus, string>>> = {
  unproven: `${OPT_OUT}not-found/`,
  requested: `${OPT_OUT}requested/`,
  carried_out: `${OPT_OUT}carried-out/`,
  declined: `${OPT_OUT}declined/`,
};

const STEPS: ReadonlyMap<unknown, Form> = new Map([
  ["start", started],
  ["check", checked],
  ["send", sent],
]);

function stepOf(name: unknown): Form {
  const step = STEPS.get(name);
  if (step === undefined) throw new PublicError(400, `step must be one of ${[...STEPS.keys()].join(", ")}`);
  return step;
}

async function started({ edge, request, fields }: FormCall): Promise<Outcome> {
  const { step: _, ...wanted } = withoutTrap(REMOVAL_TRAP, fields);
  const parsed = parseFields(RemovalRequest, wanted);
  await admitTo(edge, "removals", request);
  const { status, body } = await startRemoval(edge.accounts, parsed);
  const { removal_id, record } = body.removal;
  return { page: pageOf({ record, request: removal_id }), status, body };
}

async function checked({ edge, request, fields }: FormCall): Promise<Outcome> {
  await admitTo(edge, "removalChecks", request);
  const id = textOf(fields, "request");
  const body = await checkProof(edge.accounts, id);
  const here = pageOf({ record: textOf(fields, "record"), request: id });
  return { page: PAGES[body.removal.status] ?? `${here}#reason`, body };
}

async function sent({ edge, fields }: FormCall): Promise<Outcome> {
  const { step: _, request: id, record: __, ...reason } = fields;
  const { status, body } = await sendRemoval(edge.accounts, String(id ?? ""), reason);
  return { page: `${OPT_OUT}requested/`, status, body };
}

function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === "string" ? value.trim() : "";
}

function pageOf(query: Readonly<Record<string, string>>): string {
  return `${OPT_OUT}?${new URLSearchParams(query)}`;
}
