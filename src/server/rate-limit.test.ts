import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readLimiter } from "./rate-limit.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("each client has its allowance; a refusal says when to come back and names the bulk file", async () => {
  const limiter = readLimiter("https://example.org", 2);
  expect(await limiter.take("a")).toEqual({
    headers: [
      ["RateLimit-Policy", '"reads";q=2;w=60'],
      ["RateLimit", '"reads";r=1;t=60'],
    ],
    refusal: undefined,
  });
  expect((await limiter.take("a")).headers).toContainEqual(["RateLimit", '"reads";r=0;t=60']);
  vi.advanceTimersByTime(20_500);
  const { headers, refusal } = await limiter.take("a");
  expect(refusal).toMatchObject({ status: 429, details: { retry_after_s: 40 } });
  expect(refusal?.message).toContain("https://example.org/exports/explorer.csv");
  expect(headers).toContainEqual(["Retry-After", "40"]);
  expect(headers).toContainEqual(["RateLimit", '"reads";r=0;t=40']);
  expect((await limiter.take("b")).refusal).toBeUndefined();
  vi.advanceTimersByTime(40_000);
  expect((await limiter.take("a")).refusal).toBeUndefined();
});
