import type { IncomingMessage, ServerResponse } from "node:http";
import type { StateSource } from "../../accounts/state-source.ts";
import { factsOf } from "../../activity/activity.ts";
import { clientKey } from "../../activity/client-class.ts";
import { PublicError } from "../../kernel/errors.ts";
import { type Clock, DAY_MS, SECOND_MS } from "../../kernel/time.ts";
import type { State } from "../../state/open-state.ts";
import type { Charge, PartnerClient, QuotaState, QuotaWindow } from "../../state/partners.ts";
import { type Allowance, authenticate, bearerToken, type Limiter } from "./rate-limit.ts";

interface AdmissionDeps {
  readonly state: StateSource;
  readonly trustedProxies: number;
  readonly clock: Clock;
}

export interface Admitted {
  readonly retryAfter: number | undefined; // seconds: the allowance is used up
  readonly client: PartnerClient | undefined;
}

/** Counts requests: those with a key against its client's quotas while they last, all others against their network address. */
export class Admission {
  readonly #deps: AdmissionDeps;

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
  }

  /**
   * Admits a public read or messages of MCP, and sets the RateLimit headers. A key whose quota is used up is treated as no key,
   * and the headers name the quotas too. Throws PublicError 401 for an invalid key, and 403 for the key of a disabled client.
   */
  async take(
    limiter: Limiter,
    request: IncomingMessage,
    response: ServerResponse,
    cost = 1,
  ): Promise<Pick<Allowance, "retryAfter">> {
    const client = await this.#client(limiter, request, response);
    const quotas = client && (await this.#charge(client, cost));
    if (client !== undefined && quotas?.allowed === true) {
      factsOf(request).clientId = client.publicId;
      setHeaders(response, quotaHeaders(quotas, this.#deps.clock()));
      return { retryAfter: undefined };
    }
    const allowance = await this.takeFromAddress(limiter, request, cost);
    const spent = quotas === undefined ? [] : quotaHeaders(quotas, this.#deps.clock());
    setHeaders(response, joined(spent, allowance.headers));
    return allowance;
  }

  /** The same for operations of accounts, which cost no quota: a client with a key has an allowance of its own. */
  async takeWithoutQuota(
    limiter: Limiter,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<Admitted> {
    const client = await this.#client(limiter, request, response);
    const { headers, retryAfter } = await limiter.take(client?.publicId ?? this.clientOf(request));
    setHeaders(response, headers);
    return { retryAfter, client };
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
      return await authenticate(state, token, response);
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

  async #charge({ publicId }: PartnerClient, cost: number): Promise<Charge> {
    const state = await this.#deps.state.get();
    const charge = await state.partners.charge(publicId, cost);
    if (charge === undefined) throw new PublicError(403, "this client has been deleted");
    return charge;
  }
}

function setHeaders(response: ServerResponse, headers: Allowance["headers"]): void {
  for (const [name, value] of headers) response.setHeader(name, value);
}

/** Joins the lists of two policies, header by header. */
function joined(first: Allowance["headers"], second: Allowance["headers"]): Allowance["headers"] {
  const values = new Map(first);
  return second.map(([name, value]) => [name, [values.get(name) ?? [], value].flat().join(", ")]);
}

function tooManyTries(retryAfter: number): PublicError {
  return new PublicError(429, `too many requests with invalid keys: retry in ${retryAfter} s`, {
    retry_after_s: retryAfter,
  });
}

const DAY_S = DAY_MS / SECOND_MS;
const MONTH_S = 30 * DAY_S;

/** Both quotas as RateLimit headers. */
export function quotaHeaders({ daily, monthly }: QuotaState, now: number): Allowance["headers"] {
  const wait = ({ resetsAt }: QuotaWindow) => Math.max(1, Math.ceil((resetsAt - now) / SECOND_MS));
  return [
    ["RateLimit-Policy", `"daily";q=${daily.quota};w=${DAY_S}, "monthly";q=${monthly.quota};w=${MONTH_S}`],
    [
      "RateLimit",
      `"daily";r=${daily.remaining};t=${wait(daily)}, "monthly";r=${monthly.remaining};t=${wait(monthly)}`,
    ],
  ];
}
