import { expect, test } from "vitest";
import { type WriteBudget, writeLimiter } from "./write-limits.ts";

function limited(limits: { perClient: number; perNetwork: number; perHour: number }) {
  const refused: WriteBudget[] = [];
  const limiter = writeLimiter({
    store: undefined,
    kind: "subscriptions",
    limits,
    onRefused: (_, budget) => void refused.push(budget),
  });
  const take = async (clients: readonly string[]) => {
    const taken = [];
    for (const client of clients) if ((await limiter.take(client)) === undefined) taken.push(client);
    return taken.length;
  };
  return { take, refused, limiter };
}

const hosts = (count: number, hostAt: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => hostAt(n));

test("a client, its /24 or /48, and everybody together have a budget each", async () => {
  const { take, refused } = limited({ perClient: 2, perNetwork: 5, perHour: 12 });
  expect(await take(hosts(3, () => "192.0.2.1"))).toBe(2);
  expect(await take(hosts(9, (n) => `192.0.2.${n + 10}`))).toBe(3);
  expect(await take(hosts(9, (n) => `2001:db8:1:${n}::/64`))).toBe(5);
  expect(await take(hosts(9, (n) => `198.51.${n}.1`))).toBe(2);
  expect([...new Set(refused)]).toEqual(["client", "network", "all"]);
  expect(refused).toHaveLength(1 + 6 + 4 + 7);
});

test("5,180 requests from as many networks in eight minutes are no more than the budget of an hour", async () => {
  const { take, limiter } = limited({ perClient: 10, perNetwork: 30, perHour: 300 });
  expect(await take(hosts(5180, (n) => `10.${n >> 8}.${n & 255}.1`))).toBe(300);
  const refusal = await limiter.take("203.0.113.1");
  expect(refusal?.budget).toBe("all");
  expect(refusal?.retryAfter).toBeGreaterThan(3000);
});
