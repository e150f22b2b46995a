/** API keys (RFC 6750). Schemes other than Bearer are ignored. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { PublicError } from "../../kernel/errors.ts";
import type { State } from "../../state/open-state.ts";
import type { PartnerClient } from "../../state/partners/partners.ts";

const REALM = 'Bearer realm="presence"';

/** The text after `Bearer`; empty, and therefore wrong, when nothing follows. */
export function bearerToken({ headers }: IncomingMessage): string | undefined {
  const match = /^Bearer(?: +(.*))?$/i.exec(headers.authorization ?? "");
  return match === null ? undefined : (match[1] ?? "");
}

/** Throws PublicError 401 with its header for an invalid key, and 403 for a disabled client. */
export async function authenticate(
  { partners }: Pick<State, "partners">,
  token: string,
  response: ServerResponse,
): Promise<PartnerClient> {
  const answer = await partners.authenticate(token);
  if (answer.outcome === "ok") return answer.client;
  if (answer.outcome === "disabled") throw new PublicError(403, "this client is disabled");
  response.setHeader("WWW-Authenticate", `${REALM}, error="invalid_token"`);
  throw new PublicError(401, "the API key is invalid or revoked");
}

export function keyMissing(response: ServerResponse): PublicError {
  response.setHeader("WWW-Authenticate", REALM);
  return new PublicError(401, "an API key is required: send it as Authorization: Bearer <API_KEY>");
}
