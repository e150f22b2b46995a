import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { homePaths, releasePaths } from "../../src/kernel/home.ts";
import type { Log } from "../../src/kernel/log.ts";
import { portOf } from "../../src/kernel/port.ts";
import { McpService } from "../../src/mcp/service.ts";
import { contextAt } from "../../src/resources/release-store.ts";
import { answerMcp } from "../../src/server/mcp-route.ts";
import { type FuzzedRequest, fuzzedRequest } from "../support/mcp/mcp-fuzz.ts";
import { PROJECT } from "../support/operations/presence-process.ts";
import { isTrial, repetitions } from "../support/trial.ts";

/** The endpoint over the demonstration's release, without its rate limit, against requests that nobody would write. */

const REQUESTS = repetitions(10_000);
const HANG_MS = 5000;
const UNLIMITED = { take: () => Promise.resolve({ headers: [], retryAfter: undefined }) };
const EVERYBODY = { take: () => Promise.resolve({ retryAfter: undefined, client: undefined }) };
const STATUSES = new Set([200, 202, 400, 403, 404, 413, 415]);
const LEAK = /node_modules|SQLITE|\/src\/|\n\s+at |file:\/\/\/(?!etc\/passwd)|better-sqlite3/;

const home = inject("demoHome");
const context = contextAt(releasePaths(homePaths(home).current).snapshot);
const faults: unknown[] = [];
const log: Log = { info: () => undefined, error: (event, fields) => faults.push([event, fields]) };
const parts = {
  service: new McpService({ baseUrl: "http://127.0.0.1", log, context: () => context }),
  limiter: UNLIMITED,
  admission: EVERYBODY,
  hosts: new Set(["127.0.0.1"]),
};
const server = createServer((incoming, response) => {
  answerMcp(parts, incoming, response).catch((error: unknown) => {
    faults.push(error);
    response.writeHead(500).end();
  });
});
const agent = new Agent({ keepAlive: true });
let port: number;

beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  port = portOf(server);
});

afterAll(() => {
  agent.destroy();
  server.close();
  context.close();
});

interface Answered {
  readonly status: number;
  readonly body: string;
}

async function send({ headers, body }: FuzzedRequest): Promise<Answered> {
  const outgoing = request({
    agent,
    port,
    host: "127.0.0.1",
    method: "POST",
    path: "/mcp",
    headers: { "content-type": "application/json", "content-length": body.length, ...headers },
    signal: AbortSignal.timeout(HANG_MS),
  });
  outgoing.end(body);
  const [incoming] = await once(outgoing, "response");
  return { status: incoming.statusCode, body: await text(incoming) };
}

/** An answer of JSON-RPC, a list of them, or nothing where nothing is to be said. */
function expectAnswer({ status, body }: Answered): void {
  expect(STATUSES).toContain(status);
  expect(body).not.toMatch(LEAK);
  for (const place of [PROJECT, dirname(home)]) expect(body).not.toContain(place);
  const messages = status === 202 ? [] : [JSON.parse(body)].flat();
  expect(messages.length > 0).toBe(body !== "");
  for (const message of messages) expect(message).toMatchObject({ jsonrpc: "2.0" });
}

test(`${REQUESTS} requests: no fault of ours, no hang, no leak`, async () => {
  const seen = new Map<number, number>();
  const results = { given: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fuzzedRequest, async (fuzzed) => {
      const answered = await send(fuzzed);
      expectAnswer(answered);
      expect(faults).toEqual([]);
      seen.set(answered.status, (seen.get(answered.status) ?? 0) + 1);
      if (answered.body.includes('"structuredContent"')) results.given += 1;
      if (answered.body.includes('"isError":true')) results.refused += 1;
    }),
    { numRuns: REQUESTS },
  );
  if (!isTrial) return;
  // The requests went deep enough: every kind of answer is there, and many are of tools.
  expect([...seen.keys()].sort()).toEqual([...STATUSES]);
  expect(results.given).toBeGreaterThan(REQUESTS / 50);
  expect(results.refused).toBeGreaterThan(REQUESTS / 20);
});
