import type { IncomingMessage, ServerResponse } from "node:http";
import type { StateSource } from "../../accounts/state-source.ts";
import { clientKey } from "../../activity/client-address.ts";
import { PublicError } from "../../kernel/errors.ts";
import { type Clock, DAY_MS, SECOND_MS } from "../../kernel/time.ts";
import type { State } from "../../state/open-state.ts";
import type { PartnerClient } from "../../state/partners/partners.ts";
import type { Charge } from "../../state/partners/quota.ts";
import { authenticate, bearerToken } from "./partner-keys.ts";
import type { Allowance, Limiter } from "./rate-limit.ts";

interface AdmissionDeps {
  readonly state: StateSource;
  readonly trustedProxies: number;
  readonly clock: Clock;
}

export interface Admitted {
  readonly retryAfter: number | undefined; // seconds: the allowance or quota is used up
  readonly client: PartnerClient | undefined;
}

/** Counts requests: those with a key against its client's quotas, all others against their network address. */
export class Admission {
  readonly #deps: AdmissionDeps;

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
  }

  /** Sets the RateLimit headers. Throws PublicError 401 for an invalid key, and 403 for the key of a disabled client. */
  async take(
    limiter: Limiter,
    request: IncomingMessage,
    response: ServerResponse,
    cost = 1,
  ): Promise<Admitted> {
    const client = await this.#client(limiter, request, response);
    const allowance =
      client === undefined
        ? await this.takeFromAddress(limiter, request, cost)
        : await this.#charge(client, cost);
    for (const [name, value] of allowance.headers) response.setHeader(name, value);
    return { retryAfter: allowance.retryAfter, client };
  }

  takeFromAddress(limiter: Limiter, request: IncomingMessage, cost = 1): Promise<Allowance> {
    return limiter.take(this.clientOf(request), cost);
  }

  /** The key that requests of this client are counted under. */
  clientOf(request: IncomingMessage): string {
    return clientKey(request, this.#deps.trustedProxies);
  }

  /** Invalid keys count against the rate limit of the address, so that guessing is limited. */
  async #client(
    limiter: Limiter,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<PartnerClient | undefined> {
    const token = bearerToken(request);
    const state = token === undefined ? undefined : await this.#stateOrNone();
    if (token === undefined || state === undefined) return undefined;
    try {
      return await authenticate(state, token, request, response);
    } catch (error) {
      if (!(error instanceof PublicError)) throw error;
      const { retryAfter } = await this.takeFromAddress(limiter, request);
      throw retryAfter === undefined ? error : tooManyTries(retryAfter);
    }
  }

  /** Public reads go on without the state: a key then counts for nothing. */
  async #stateOrNone(): Promise<State | undefined> {
    try {
      return await this.#deps.state.get();
    } catch {
      return undefined;
    }
  }

  async #charge({ publicId }: PartnerClient, cost: number): Promise<Allowance> {
    const state = await this.#deps.state.get();
    const charge = await state.partners.charge(publicId, cost);
    if (charge === undefined) throw new PublicError(403, "this client has been deleted");
    return quotaAllowance(charge, cost, this.#deps.clock());
  }
}

function tooManyTries(retryAfter: number): PublicError {
  return new PublicError(429, `too many requests with invalid keys: retry in ${retryAfter} s`, {
    retry_after_s: retryAfter,
  });
}

const DAY_S = DAY_MS / SECOND_MS;
const MONTH_S = 30 * DAY_S;

/** Both quotas as RateLimit headers; with a refusal, the wait until the one that is used up begins anew. */
export function quotaAllowance({ allowed, daily, monthly }: Charge, cost: number, now: number): Allowance {
  const wait = ({ resetsAt }: Charge["daily"]) => Math.max(1, Math.ceil((resetsAt - now) / SECOND_MS));
  const headers: [string, string][] = [
    ["RateLimit-Policy", `"daily";q=${daily.quota};w=${DAY_S}, "monthly";q=${monthly.quota};w=${MONTH_S}`],
    [
      "RateLimit",
      `"daily";r=${daily.remaining};t=${wait(daily)}, "monthly";r=${monthly.remaining};t=${wait(monthly)}`,
    ],
  ];
  if (allowed) return { headers, retryAfter: undefined };
  const retryAfter = wait(monthly.remaining < cost ? monthly : daily);
  return { headers: [...headers, ["Retry-After", String(retryAfter)]], retryAfter };
}
