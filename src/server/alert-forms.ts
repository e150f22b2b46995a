/**
 * What the forms of the alert pages post to: the address of the page itself, with the token of the emailed link in it. The answer leads to a
 * static page, so that everything works without JavaScript; programs that accept JSON get that.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { AccountDeps } from "../accounts/account-deps.ts";
import { checkSubscription, requestSubscription } from "../accounts/subscribe.ts";
import {
  confirm,
  type ManageAction,
  manage,
  refuseEmail,
  unsubscribe,
} from "../accounts/subscription-links.ts";
import type { DeliverySetup } from "../contract/accounts/delivery-setup.ts";
import { EMAIL_WORDS, queuedWebhookWords } from "../contract/accounts/delivery-words.ts";
import { PublicError } from "../kernel/errors.ts";
import { type AccountEdge, admitTo } from "./account-routes.ts";
import { admitForm, type Form, isPerson, readForm, seeOther, sendText } from "./forms.ts";
import { sendPassingJson } from "./http/errors.ts";
import { parseQuery, type RequestTarget } from "./http/request-target.ts";
import { refuseOtherSites } from "./http/same-origin.ts";

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
