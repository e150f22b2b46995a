import { expect, test } from "vitest";
import { quotaHeaders } from "./admission.ts";

const NOW = Date.parse("2026-05-20T23:00:00Z");
const TOMORROW = Date.parse("2026-05-21T00:00:00Z");
const JUNE = Date.parse("2026-06-01T00:00:00Z");

const quotas = (daily: number, monthly: number) => ({
  daily: { quota: 10, used: 10 - daily, remaining: daily, resetsAt: TOMORROW },
  monthly: { quota: 100, used: 100 - monthly, remaining: monthly, resetsAt: JUNE },
});

test("both quotas are told with what is left and when they begin anew", () => {
  expect(quotaHeaders(quotas(3, 40), NOW)).toEqual([
    ["RateLimit-Policy", '"daily";q=10;w=86400, "monthly";q=100;w=2592000'],
    ["RateLimit", '"daily";r=3;t=3600, "monthly";r=40;t=954000'],
  ]);
});
