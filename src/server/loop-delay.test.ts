/** No kind of request keeps the server's thread from the others for long. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { longestTurn } from "../../tests/support/longest-turn.ts";
import { TestSite } from "../../tests/support/release/site.ts";
import { openState } from "../state/open-state.ts";
import type { RunningServer } from "./main.ts";

/** CPU time of one turn, on a machine several times as slow as usual. */
const MAX_TURN_MS = 60;
const WARM_UPS = 4;

let site: TestSite;
let server: RunningServer;
let callers = 0;
let key = "";

beforeAll(async () => {
  site = new TestSite();
  for (let index = 0; index < 300; index += 1) site.addRecord(`Bakery${index}`);
  site.publish();
  server = await site.serve({ trustedProxies: 1 });
  await using state = await openState(undefined, site.home);
  const quotas = { dailyQuota: 1000, monthlyQuota: 1000 };
  const wish = { name: "Partner", contactEmail: null, portalAccess: true, ...quotas };
  const { publicId } = await state.partners.createClient(wish);
  key = (await state.partners.issueKey(publicId)).secret;
});

afterAll(async () => {
  await server.stop();
  site[Symbol.dispose]();
});

async function ask(path: string, options: RequestInit = {}): Promise<void> {
  callers += 1;
  const headers = { "X-Forwarded-For": `10.1.${callers >> 8}.${callers & 255}`, ...options.headers };
  const answer = await fetch(server.url + path, { redirect: "manual", ...options, headers });
  await answer.arrayBuffer();
  expect(answer.status, path).toBeLessThan(500);
}

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  ask(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
const tool = (name: string, args: object) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, arguments: { city: "toronto", ...args } },
});
/** Names that are not remembered. */
const names = (turn: number) => Array.from({ length: 10 }, (_, index) => `bakery${turn * 10 + index}`);
const bearer = () => ({ Authorization: `Bearer ${key}` });

const kinds: readonly [string, (turn: number) => Promise<void>][] = [
  ["a search", (turn) => ask(`/api/v1/search?name=${names(turn)[0]}`)],
  ["a ranking", () => ask("/api/v1/city/toronto/index?limit=100&sort=name")],
  ["observations", () => ask("/api/v1/observations/demo_alpha?limit=100")],
  ["changes", () => ask("/api/v1/pulse/toronto?since=2020-01-01")],
  ["the explorer", () => ask("/api/v1/explorer.csv?city=toronto")],
  ["industries", () => ask("/api/v1/taxonomy/industries?query=bak")],
  ["cities of the world", () => ask("/api/v1/locations/cities?query=tor")],
  ["withdrawals", () => ask("/api/v1/withdrawals?limit=10")],
  ["a read that is refused", () => ask("/api/v1/search?no_such=1")],
  [
    "MCP, one name",
    (turn) => post("/mcp", tool("check_physical_evidence", { business_name: names(turn)[0] })),
  ],
  ["MCP, ten names", (turn) => post("/mcp", tool("compare_presence", { business_names: names(turn) }))],
  ["MCP, a ranking", (turn) => post("/mcp", tool("city_index", { limit: 100 - turn }))],
  ["MCP, changes", () => post("/mcp", tool("get_pulse", { since: "2020-01-01" }))],
  [
    "MCP, twenty messages",
    (turn) =>
      post(
        "/mcp",
        Array.from({ length: 20 }, (_, id) => ({
          ...tool("compare_presence", { business_names: names(turn * 20 + id) }),
          id,
        })),
      ),
  ],
  [
    "a subscription",
    (turn) => post("/api/v1/alerts/subscribe", { email: `reader${turn}@mail.example`, city: "toronto" }),
  ],
  [
    "a form",
    () =>
      ask("/report/", {
        method: "POST",
        body: new URLSearchParams({ kind: "other", text: "x ".repeat(900) }),
      }),
  ],
  ["the portal", () => ask("/api/v1/partner/portal", { headers: bearer() })],
  [
    "a webhook",
    (turn) =>
      post("/api/v1/partner/webhooks", { endpoint_url: `https://hooks.example/${turn % 3}` }, bearer()),
  ],
];

test.each(kinds)("%s", async (_, request) => {
  for (let turn = 0; turn < WARM_UPS; turn += 1) await request(turn);
  const turns: number[] = [];
  for (let turn = WARM_UPS; turn < WARM_UPS + 3; turn += 1)
    turns.push(await longestTurn(() => request(turn)));
  const [, middle] = turns.toSorted((a, b) => a - b); // once in a while, memory is cleared
  expect(middle).toBeLessThan(MAX_TURN_MS);
});
