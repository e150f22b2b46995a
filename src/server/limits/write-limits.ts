import type { IncomingMessage, ServerResponse } from "node:http";
import { widerNetworkOf } from "../../activity/client-class.ts";
import { PublicError } from "../../kernel/errors.ts";
import type { State } from "../../state/open-state.ts";
import type { PartnerClient } from "../../state/partners/partners.ts";
import { type CountingStore, hourlyLimiter, type Limiter } from "./rate-limit.ts";

/** How many subscription requests, reports and requests for removal are taken in an hour: from one client, from its network, and from everybody. */

export type WriteKind = "subscriptions" | "reports" | "removals" | "removal_checks";
export type WriteBudget = "client" | "network" | "all";

export interface WriteRefusal {
  readonly budget: WriteBudget;
  readonly retryAfter: number; // seconds
}

export interface WriteLimiter {
  /** Takes one write from the client's three budgets; a refusal takes nothing from the wider ones. */
  take(client: string): Promise<WriteRefusal | undefined>;
}

interface WriteLimiterOptions {
  readonly store: CountingStore;
  readonly kind: WriteKind;
  readonly limits: { readonly perClient: number; readonly perNetwork: number; readonly perHour: number };
  onRefused(kind: WriteKind, budget: WriteBudget): void;
}

export function writeLimiter({ store, kind, limits, onRefused }: WriteLimiterOptions): WriteLimiter {
  const budgets: readonly [WriteBudget, Limiter, (client: string) => string][] = [
    ["client", hourlyLimiter(store, kind, limits.perClient), (client) => client],
    ["network", hourlyLimiter(store, `${kind}_network`, limits.perNetwork), widerNetworkOf],
    ["all", hourlyLimiter(store, `${kind}_all`, limits.perHour), () => "all"],
  ];
  return {
    async take(client) {
      for (const [budget, limiter, holderOf] of budgets) {
        const { retryAfter } = await limiter.take(holderOf(client));
        if (retryAfter === undefined) continue;
        onRefused(kind, budget);
        return { budget, retryAfter };
      }
      return undefined;
    },
  };
}

/** API keys (RFC 6750). Schemes other than Bearer are ignored. */

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
