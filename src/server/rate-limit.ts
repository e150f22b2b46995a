import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { PublicError } from "../kernel/errors.ts";

/** Requests a minute for reads that cost work. Files are not counted. */
const READS_PER_MINUTE = 300;

interface Allowance {
  /** RateLimit headers (draft-ietf-httpapi-ratelimit-headers), and Retry-After with a refusal. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly refusal: PublicError | undefined;
}

export interface ReadLimiter {
  take(client: string): Promise<Allowance>;
}

/** Counts reads by client in fixed minutes. A refusal is a 429 that names the bulk file. */
export function readLimiter(baseUrl: string, perMinute: number = READS_PER_MINUTE): ReadLimiter {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 });
  return {
    async take(client) {
      try {
        return { headers: stateHeaders(await limiter.consume(client), perMinute), refusal: undefined };
      } catch (result) {
        if (!(result instanceof RateLimiterRes)) throw result;
        return refused(result, perMinute, baseUrl);
      }
    },
  };
}

function refused(state: RateLimiterRes, perMinute: number, baseUrl: string): Allowance {
  const retryAfter = Math.max(1, Math.ceil(state.msBeforeNext / 1000));
  return {
    headers: [...stateHeaders(state, perMinute), ["Retry-After", String(retryAfter)]],
    refusal: new PublicError(
      429,
      `request rate exceeded: retry in ${retryAfter} s. For everything at once use the files without parameters, such as ${baseUrl}/exports/explorer.csv`,
      { retry_after_s: retryAfter },
    ),
  };
}

function stateHeaders(state: RateLimiterRes, perMinute: number): (readonly [string, string])[] {
  const seconds = Math.ceil(state.msBeforeNext / 1000);
  return [
    ["RateLimit-Policy", `"reads";q=${perMinute};w=60`],
    ["RateLimit", `"reads";r=${Math.max(0, state.remainingPoints)};t=${seconds}`],
  ];
}
