import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { mcpLimiter, readLimiter, readRefusal } from "./rate-limit.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("each client has its allowance; a refusal says when to come back", async () => {
  const limiter = readLimiter(undefined, 2);
  expect(await limiter.take("a")).toEqual({
    headers: [
      ["RateLimit-Policy", '"reads";q=2;w=60'],
      ["RateLimit", '"reads";r=1;t=60'],
    ],
    retryAfter: undefined,
  });
  expect((await limiter.take("a")).headers).toContainEqual(["RateLimit", '"reads";r=0;t=60']);
  vi.advanceTimersByTime(20_500);
  const { headers, retryAfter } = await limiter.take("a");
  expect(retryAfter).toBe(40);
  expect(headers).toContainEqual(["Retry-After", "40"]);
  expect(headers).toContainEqual(["RateLimit", '"reads";r=0;t=40']);
  expect((await limiter.take("b")).retryAfter).toBeUndefined();
  vi.advanceTimersByTime(40_000);
  expect((await limiter.take("a")).retryAfter).toBeUndefined();
});

test("a refused read names the bulk file that spares the requests", () => {
  const refusal = readRefusal(40, "https://example.org");
  expect(refusal).toMatchObject({ status: 429, details: { retry_after_s: 40 } });
  expect(refusal.message).toContain("https://example.org/exports/explorer.csv");
});

/** How many of `asked` single messages are let through at this moment. */
async function allowed(limiter: ReturnType<typeof mcpLimiter>, asked: number): Promise<number> {
  const answers = await Promise.all(Array.from({ length: asked }, () => limiter.take("a")));
  return answers.filter(({ retryAfter }) => retryAfter === undefined).length;
}

test("MCP: 60 a minute and a burst of 20, which comes back after ten minutes", async () => {
  const limiter = mcpLimiter();
  expect(await allowed(limiter, 100)).toBe(80);
  vi.advanceTimersByTime(60_000);
  expect(await allowed(limiter, 100)).toBe(60);
  vi.advanceTimersByTime(540_000);
  expect(await allowed(limiter, 100)).toBe(80);
});

test("MCP: a batch counts message by message", async () => {
  const limiter = mcpLimiter();
  const answers = [];
  for (let batch = 0; batch < 5; batch += 1) answers.push(await limiter.take("a", 20));
  expect(answers.map(({ retryAfter }) => retryAfter === undefined)).toEqual([true, true, true, true, false]);
});
