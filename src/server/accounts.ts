import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { PublicError } from "../kernel/errors.ts";
import type { Log } from "../kernel/log.ts";
import { endpointFor } from "../routes/matcher.ts";
import type { ServiceMatch } from "../routes/registry.ts";
import {
  answerAlertForm,
  answerRemovalForm,
  answerReportForm,
  NO_SUCH_LINK,
  NO_SUCH_REPORT,
  NO_SUCH_REQUEST,
} from "./account-forms.ts";
import { type AccountEdge, answerAccount } from "./account-routes.ts";
import { isPerson, sendFormError } from "./forms.ts";
import { sendError } from "./http/errors.ts";
import { hasBody } from "./http/request-body.ts";
import { checkHost, parseTarget } from "./http/request-target.ts";

/** Answers a request for an account operation or a form, errors too. Never rejects. */
export async function answerAccounts(
  edge: AccountEdge,
  match: ServiceMatch,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const form = formOf(match, request);
  try {
    checkHost(request, response);
    const target = parseTarget(request.url ?? "");
    if (form === "alerts") await answerAlertForm(edge, target, request, response);
    else if (form === "reports") await answerReportForm(edge, target, request, response);
    else if (form === "removals") await answerRemovalForm(edge, request, response);
    else await answerAccount(edge, match, target, request, response);
  } catch (error) {
    refuse(request, response, form, error instanceof PublicError ? error : unavailable(error, edge.log));
  }
}

type Form = "alerts" | "reports" | "removals" | undefined;

function formOf(match: ServiceMatch, { method = "" }: IncomingMessage): Form {
  const endpoint = endpointFor(match, method);
  return endpoint?.kind === "form" ? endpoint.form : undefined;
}

const MISSING_PAGES = {
  alerts: NO_SUCH_LINK,
  reports: NO_SUCH_REPORT,
  removals: NO_SUCH_REQUEST,
} as const;

function refuse(request: IncomingMessage, response: ServerResponse, form: Form, failure: PublicError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (hasBody(request) && !request.complete) response.setHeader("Connection", "close"); // the rest stays unread
  if (form !== undefined && isPerson(request)) sendFormError(response, failure, MISSING_PAGES[form]);
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
