import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { mcpLimiter, readLimiter, readRefusal, type WriteBudget, writeLimiter } from "./rate-limit.ts";

describe("rate limit", () => {
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
    expect(answers.map(({ retryAfter }) => retryAfter === undefined)).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
  });
});

describe("write limits", () => {
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
});
