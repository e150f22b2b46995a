import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isAccountPath } from "../contract/accounts/account-operations.ts";
import { PublicError } from "../kernel/errors.ts";
import type { Log } from "../kernel/log.ts";
import { type AccountRouteParts, answerAccount } from "./account-routes.ts";
import { answerAlertForm, isAlertForm, NO_SUCH_LINK } from "./alert-forms.ts";
import { isPerson, sendFormError } from "./forms.ts";
import { sendError } from "./http/errors.ts";
import { hasBody } from "./http/request-body.ts";
import { checkHost, parseTarget } from "./http/request-target.ts";
import { answerReportForm, isReportForm, NO_SUCH_REPORT } from "./report-forms.ts";

export interface AccountsParts extends AccountRouteParts {
  readonly log: Log;
  /** Host names that the service is reached by. */
  readonly hosts: ReadonlySet<string>;
}

/** Whether a request is about what the server keeps beside releases. */
export function isAccountRequest(request: IncomingMessage): boolean {
  const pathname = pathOf(request);
  return (
    isAccountPath(pathname) || isAlertForm(request.method, pathname) || isReportForm(request.method, pathname)
  );
}

/** Answers such a request, errors too. Never rejects. */
export async function answerAccounts(
  parts: AccountsParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    checkHost(request);
    const target = parseTarget(request.url ?? "");
    if (isAlertForm(request.method, target.pathname)) await answerAlertForm(parts, target, request, response);
    else if (isReportForm(request.method, target.pathname))
      await answerReportForm(parts, target, request, response);
    else await answerAccount(parts, target, request, response);
  } catch (error) {
    refuse(request, response, error instanceof PublicError ? error : unavailable(error, parts.log));
  }
}

function refuse(request: IncomingMessage, response: ServerResponse, failure: PublicError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (hasBody(request) && !request.complete) response.setHeader("Connection", "close"); // the rest stays unread
  const missing = missingPage(request);
  if (missing !== undefined && isPerson(request)) sendFormError(response, failure, missing);
  else sendError(request, response, failure);
}

/** Undefined for what is no form. */
function missingPage(request: IncomingMessage): string | undefined {
  const pathname = pathOf(request);
  if (isReportForm(request.method, pathname)) return NO_SUCH_REPORT;
  return isAlertForm(request.method, pathname) ? NO_SUCH_LINK : undefined;
}

function pathOf({ url = "" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "";
}

/** What fails here is the store, nearly always. The log has where it failed and no message, which could hold what somebody sent. */
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
