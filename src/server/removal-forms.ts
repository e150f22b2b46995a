/** Targets of the forms on the page for owners, which works without JavaScript. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { checkProof, sendRemoval, startRemoval } from "../accounts/removals.ts";
import { parseFields } from "../accounts/request-fields.ts";
import { REMOVAL_TRAP, RemovalRequest, type RemovalStatus } from "../contract/accounts/removals.ts";
import { PublicError } from "../kernel/errors.ts";
import { type AccountEdge, admitTo } from "./account-routes.ts";
import { admitForm, isPerson, readForm, seeOther } from "./forms.ts";
import { sendPassingJson } from "./http/errors.ts";
import { refuseOtherSites } from "./http/same-origin.ts";

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
