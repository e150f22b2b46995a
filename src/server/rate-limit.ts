import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { MCP_LIMITS, READS_PER_MINUTE } from "../contract/limits.ts";
import { PublicError } from "../kernel/errors.ts";

const MINUTE_S = 60;
/** How long it takes until a burst may be repeated. */
const BURST_S = 600;

interface Allowance {
  /** RateLimit headers (draft-ietf-httpapi-ratelimit-headers), and Retry-After with a refusal. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Seconds to wait, when the allowance is used up. */
  readonly retryAfter: number | undefined;
}

export interface Limiter {
  take(client: string, cost?: number): Promise<Allowance>;
}

/** Counts reads by client in fixed minutes. */
export function readLimiter(perMinute: number = READS_PER_MINUTE): Limiter {
  return limiter("reads", perMinute, new RateLimiterMemory({ points: perMinute, duration: MINUTE_S }));
}

/** Counts MCP messages by client: 60 in a fixed minute, and 20 more now and then (interface 8). */
export function mcpLimiter(): Limiter {
  const { requestsPerMinute, burst } = MCP_LIMITS;
  const steady = new RateLimiterMemory({ points: requestsPerMinute, duration: MINUTE_S });
  const extra = new RateLimiterMemory({ points: burst, duration: BURST_S, keyPrefix: "burst" });
  return limiter("mcp", requestsPerMinute, new BurstyRateLimiter(steady, extra));
}

/** A refused read: it names the bulk file, which spares the requests. */
export function readRefusal(retryAfter: number, baseUrl: string): PublicError {
  return new PublicError(
    429,
    `request rate exceeded: retry in ${retryAfter} s. For everything at once use the files without parameters, such as ${baseUrl}/exports/explorer.csv`,
    { retry_after_s: retryAfter },
  );
}

interface Counter {
  consume(client: string, cost: number): Promise<RateLimiterRes>;
}

function limiter(policy: string, quota: number, counter: Counter): Limiter {
  const stateHeaders = (state: RateLimiterRes): [string, string][] => [
    ["RateLimit-Policy", `"${policy}";q=${quota};w=${MINUTE_S}`],
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
