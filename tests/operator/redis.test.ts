import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { installDebianPackages } from "../../build-scripts/ensure-browser.ts";
import type { Log } from "../../src/kernel/log.ts";
import { freePort } from "../../src/kernel/port.ts";
import { Secret } from "../../src/kernel/secret.ts";
import { connectRedis, mcpLimiter, readLimiter } from "../../src/server/limits/rate-limit.ts";

/** Rate limits that several servers count together, in a real Redis. */

const isThere = () => spawnSync("redis-server", ["--version"]).status === 0;
if (!isThere()) await installDebianPackages("redis-server");

const lines: string[] = [];
const log: Log = { info: (event) => lines.push(event), error: (event) => lines.push(event) };

function startRedis(port: number): ChildProcess {
  const options = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
  return spawn("redis-server", options, { stdio: "ignore" });
}

describe.runIf(isThere())("with Redis", () => {
  let port: number;
  let redis: ChildProcess;
  let stores: ReturnType<typeof connectRedis>[];

  beforeAll(async () => {
    port = await freePort();
    redis = startRedis(port);
    stores = [0, 1].map(() => connectRedis(new Secret(`redis://127.0.0.1:${port}`), log));
    await vi.waitFor(() => expect(stores.map(({ status }) => status)).toEqual(["ready", "ready"]), 10_000);
  });
  afterAll(() => {
    for (const store of stores) store.disconnect();
    redis.kill();
  });

  test("two servers count together, to the one", async () => {
    const limiters = stores.map((store) => mcpLimiter(store));
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, at) => limiters[at % 2]?.take("192.0.2.1")),
    );
    expect(answers.filter((answer) => answer?.retryAfter === undefined)).toHaveLength(80);
  });

  test("while Redis is away each server counts for itself, nothing fails or waits, and then it is back", async () => {
    const [store] = stores;
    const limiter = readLimiter(store, 3);
    expect((await limiter.take("192.0.2.2")).retryAfter).toBeUndefined();
    const ended = once(redis, "exit");
    redis.kill("SIGKILL");
    await ended;
    await expect.poll(() => store?.status, { timeout: 5000 }).not.toBe("ready");
    const startedAt = performance.now();
    const answers = [];
    for (let turn = 0; turn < 5; turn += 1) answers.push(await limiter.take("192.0.2.2"));
    expect(performance.now() - startedAt).toBeLessThan(1000);
    expect(answers.map(({ retryAfter }) => retryAfter === undefined)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    await expect.poll(() => lines).toContain("redis_away");
    redis = startRedis(port);
    await expect.poll(() => store?.status, { timeout: 20_000 }).toBe("ready");
    expect((await limiter.take("192.0.2.2")).headers).toContainEqual([
      "RateLimit",
      expect.stringContaining("r=2"),
    ]);
  });
});
