import { expect, test } from "vitest";
import { quotaAllowance } from "./admission.ts";

const NOW = Date.parse("2026-05-20T23:00:00Z");
const TOMORROW = Date.parse("2026-05-21T00:00:00Z");
const JUNE = Date.parse("2026-06-01T00:00:00Z");

const quotas = (daily: number, monthly: number) => ({
  daily: { quota: 10, used: 10 - daily, remaining: daily, resetsAt: TOMORROW },
  monthly: { quota: 100, used: 100 - monthly, remaining: monthly, resetsAt: JUNE },
});

test("both quotas are told with what is left and when they begin anew", () => {
  expect(quotaAllowance({ allowed: true, ...quotas(3, 40) }, 1, NOW)).toEqual({
    headers: [
      ["RateLimit-Policy", '"daily";q=10;w=86400, "monthly";q=100;w=2592000'],
      ["RateLimit", '"daily";r=3;t=3600, "monthly";r=40;t=954000'],
    ],
    retryAfter: undefined,
  });
});

test("a refusal waits for the quota that is used up, and for the longer one when both are", () => {
  expect(quotaAllowance({ allowed: false, ...quotas(0, 40) }, 1, NOW).retryAfter).toBe(3600);
  expect(quotaAllowance({ allowed: false, ...quotas(0, 0) }, 1, NOW).retryAfter).toBe(954_000);
  const batch = quotaAllowance({ allowed: false, ...quotas(5, 4) }, 5, NOW);
  expect(batch.retryAfter).toBe(954_000);
  expect(batch.headers).toContainEqual(["Retry-After", "954000"]);
});
