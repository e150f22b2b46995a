import type { IncomingMessage, ServerResponse } from "node:http";
import { Redis } from "ioredis";
import {
  BurstyRateLimiter,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from "rate-limiter-flexible";
import { widerNetworkOf } from "../../activity/client-class.ts";
import { MCP_LIMITS, READS_PER_MINUTE } from "../../contract/limits.ts";
import { PublicError } from "../../kernel/errors.ts";
import type { Log } from "../../kernel/log.ts";
import type { Secret } from "../../kernel/secret.ts";
import { SECOND_MS } from "../../kernel/time.ts";
import type { State } from "../../state/open-state.ts";
import type { PartnerClient } from "../../state/partners.ts";

const MAX_WAIT_MS = 10 * SECOND_MS;

/**
 * A connection for counting rate limits. While Redis is unreachable, commands fail at once and the limiters count in this
 * process. It reconnects by itself; the log gets the first error of each outage.
 */
export function connectRedis(url: Secret, log: Log): Redis {
  const redis = new Redis(url.reveal(), {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: SECOND_MS,
    retryStrategy: (attempt) => Math.min(MAX_WAIT_MS, attempt * 100),
  });
  let isAway = false;
  redis.on("ready", () => {
    isAway = false;
    log.info("redis_connected");
  });
  redis.on("error", (error: NodeJS.ErrnoException) => {
    if (!isAway) log.error("redis_away", { fault: error.code ?? error.name });
    isAway = true;
  });
  return redis;
}

const MINUTE_S = 60;
const HOUR_S = 3600;
/** How long it takes until a burst may be repeated. */
const BURST_S = 600;

export interface Allowance {
  /** RateLimit headers (draft-ietf-httpapi-ratelimit-headers), and Retry-After with a refusal. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Seconds to wait, when the allowance is used up. */
  readonly retryAfter: number | undefined;
}

export interface Limiter {
  take(client: string, cost?: number): Promise<Allowance>;
}

/** Where allowances are counted: in this process alone, or in a Redis that several share. */
export type CountingStore = ConstructorParameters<typeof RateLimiterRedis>[0]["storeClient"] | undefined;

/** Counts reads by client in fixed minutes. */
export function readLimiter(store?: CountingStore, perMinute: number = READS_PER_MINUTE): Limiter {
  return limiter("reads", perMinute, MINUTE_S, window(store, "reads", perMinute, MINUTE_S));
}

/** Counts MCP messages by client: 60 in a fixed minute, and 20 more now and then (interface 8). */
export function mcpLimiter(store?: CountingStore): Limiter {
  const { requestsPerMinute, burst } = MCP_LIMITS;
  const steady = window(store, "mcp", requestsPerMinute, MINUTE_S);
  const extra = window(store, "mcp_burst", burst, BURST_S);
  return limiter("mcp", requestsPerMinute, MINUTE_S, new BurstyRateLimiter(steady, extra));
}

/** Counts in fixed hours, under a name of its own. */
export function hourlyLimiter(store: CountingStore, name: string, perHour: number): Limiter {
  return limiter(name, perHour, HOUR_S, window(store, name, perHour, HOUR_S));
}

/** While Redis is unreachable, each process counts for itself, so the limit is approximate. */
function window(store: CountingStore, name: string, points: number, duration: number) {
  const counting = { points, duration, keyPrefix: `presence:${name}` };
  const alone = new RateLimiterMemory(counting);
  return store === undefined
    ? alone
    : new RateLimiterRedis({ ...counting, storeClient: store, insuranceLimiter: alone });
}

/** The error of a refused read, which names the bulk file as an alternative. */
export function readRefusal(retryAfter: number, baseUrl: string): PublicError {
  return new PublicError(
    429,
    `rate limit exceeded: retry in ${retryAfter} s. For bulk data, use the files without parameters, such as ${baseUrl}/exports/explorer.csv`,
    { retry_after_s: retryAfter },
  );
}

interface Counter {
  consume(client: string, cost: number): Promise<RateLimiterRes>;
}

function limiter(policy: string, quota: number, seconds: number, counter: Counter): Limiter {
  const stateHeaders = (state: RateLimiterRes): [string, string][] => [
    ["RateLimit-Policy", `"${policy}";q=${quota};w=${seconds}`],
    [
      "RateLimit",
      `"${policy}";r=${Math.max(0, state.remainingPoints)};t=${Math.ceil(state.msBeforeNext / 1000)}`,
    ],
  ];
  return {
    async take(client, cost = 1) {
      try {
        return { headers: stateHeaders(await counter.consume(client, cost)), retryAfter: undefined };
      } catch (state) {
        if (!(state instanceof RateLimiterRes)) throw state;
        const retryAfter = Math.max(1, Math.ceil(state.msBeforeNext / 1000));
        return { headers: [...stateHeaders(state), ["Retry-After", String(retryAfter)]], retryAfter };
      }
    },
  };
}

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
  throw new PublicError(
    401,
    "The API key is invalid or revoked. Send a current one, or none for public reads.",
  );
}

export function keyMissing(response: ServerResponse): PublicError {
  response.setHeader("WWW-Authenticate", REALM);
  return new PublicError(401, "an API key is required: send it as Authorization: Bearer <API_KEY>", {
    code: "key_required",
  });
}
