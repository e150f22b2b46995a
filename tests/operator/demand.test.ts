import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CoverageStatusResponse } from "../../src/contract/cities/coverage.ts";
import { readGazetteerFile } from "../../src/intake/places/gazetteer.ts";
import { filesBelow } from "../../src/kernel/files/durable-file.ts";
import { releasePaths } from "../../src/kernel/home.ts";
import { DAY_MS, isoTime, utcDayStart } from "../../src/kernel/time.ts";
import { openState } from "../../src/state/open-state.ts";
import { Operator } from "../support/operations/operator.ts";
import { currentName } from "../support/release/whole-release.ts";
import { serveHome } from "../support/towns/demo-home.ts";
import { observedTown, TOWN_SLUG } from "../support/towns/town.ts";

/** What people search for, from their requests to what an operator and a release say of it. */

const TODAY = utcDayStart(Date.now());
const CLIENTS = Array.from({ length: 10 }, (_, client) => `203.0.113.${client}`);
const ELSEWHERE = "Elsewhereville";
const SELDOM = "Seldomville";
const PRIVATE = ["Jane Doe", "Doe Plumbing", "12 High Street"];

/** Adds two cities to the catalog, which the service does not cover. */
function widenGazetteer(path: string): void {
  const [town] = readGazetteerFile(path);
  for (const [at, name] of [ELSEWHERE, SELDOM].entries())
    appendFileSync(path, `${JSON.stringify({ ...town, geonameId: 987654 + at, name, asciiName: name })}\n`);
}

const searchPath = (city: string) => `/api/v1/search?${new URLSearchParams({ name: "Doe Plumbing", city })}`;

function logLine(minute: number, address: string): string {
  return `${JSON.stringify({
    time: ((TODAY - DAY_MS + minute * 60_000) / 1000).toFixed(3),
    address,
    method: "GET",
    uri: searchPath(TOWN_SLUG),
    status: "200",
    seconds: "0.001",
    user_agent: "browser",
    upstream: "-",
  })}\n`;
}

test("searches are counted by city, and nothing else of them is kept", { timeout: 240_000 }, async () => {
  using operator = new Operator();
  await observedTown(operator, { seed: 5, observations: 12, records: 2 });
  widenGazetteer(operator.home.gazetteer);
  const build = ["build", "--as-of", isoTime(TODAY + 1000)];
  await operator.ok(build);

  const server = await serveHome(operator.home.root);
  const ask = async (path: string, address: string, init: RequestInit = {}) => {
    const headers = {
      "x-forwarded-for": address,
      "user-agent": "browser",
      "content-type": "application/json",
    };
    await (await fetch(server.url + path, { ...init, headers })).arrayBuffer();
  };
  const call = (city: string) => ({
    method: "POST",
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "check_physical_evidence", arguments: { business_name: "Doe Plumbing", city } },
    }),
  });
  for (const address of CLIENTS) {
    await ask(searchPath(TOWN_SLUG), address);
    await ask(searchPath(ELSEWHERE), address);
    await ask(searchPath("Jane Doe"), address);
  }
  await Promise.all(CLIENTS.slice(1).map((address) => ask(searchPath(SELDOM), address))); // too few to be listed
  await ask(`/search/?name=Jane+Doe&city=${TOWN_SLUG}`, CLIENTS[0] ?? "");
  await ask(`/search/?city=12+High+Street`, CLIENTS[0] ?? "");
  for (const path of ["/api/v1/search", "/search/"]) await ask(`${path}?city=${TOWN_SLUG}`, CLIENTS[0] ?? "");
  await ask("/record/Jane%20Doe/", CLIENTS[0] ?? "");
  await ask("/mcp", CLIENTS[0] ?? "", call(TOWN_SLUG));
  await ask("/mcp", CLIENTS[0] ?? "", call(ELSEWHERE));
  expect(await server.stop()).toBe(0); // it writes what it noted

  expect(JSON.parse(await operator.ok(["demand", "--json"]))).toMatchObject({
    min_clients: 10,
    cities: [{ geoname_id: 987_654, name: ELSEWHERE, searches: 11, daily_clients: 10 }],
  });
  expect(await operator.ok(["demand"])).toContain("11 searches by 10 clients");
  const { top_cities } = JSON.parse(await operator.ok(["activity", "show", "--json"]));
  expect(top_cities).toEqual({ [TOWN_SLUG]: 14 });
  const state = await openState(undefined, operator.home);
  const { covered } = await state.usage.demand(TODAY + 2 * DAY_MS, 3);
  await state.close();
  expect(covered).toEqual([
    { city: TOWN_SLUG, searches: 14, searchesWithoutResult: 12, dailyClients: 10, alertSubscriptions: 0 },
  ]);

  const log = operator.write("access.log", CLIENTS.map((address, at) => logLine(at, address)).join(""));
  await operator.ok(["activity", "import", log]);
  const kept = filesBelow(operator.home.root).filter((file) => file.startsWith(operator.home.state));
  expect(kept).not.toHaveLength(0);
  for (const file of kept)
    for (const text of [...PRIVATE, ELSEWHERE, SELDOM])
      expect(readFileSync(file, "latin1")).not.toContain(text);

  await operator.ok(build);
  const release = join(operator.home.night, currentName(operator.home) ?? "");
  const { site, manifest } = releasePaths(release);
  const { demand } = CoverageStatusResponse.parse(
    JSON.parse(readFileSync(join(site, `api/v1/coverage-status/${TOWN_SLUG}.json`), "utf8")),
  );
  expect(demand).toMatchObject({
    window_days: 1,
    window_end: isoTime(TODAY),
    searches: 10,
    searches_without_result: 0, // a log does not tell
    alert_subscriptions: 0,
    daily_clients: 10,
  });
  const index = JSON.parse(readFileSync(join(site, `api/v1/city/${TOWN_SLUG}/index.json`), "utf8"));
  expect(index.demand).toEqual(demand);
  expect(readFileSync(join(site, `city/${TOWN_SLUG}/index.html`), "utf8")).toContain(
    "10 searches by 10 daily clients",
  );
  expect(readFileSync(join(site, "coverage/index.html"), "utf8")).toMatch(/Demand[^.]* is not evidence/);
  expect(JSON.parse(readFileSync(manifest, "utf8")).inputs.demand_sha256).toMatch(/^[0-9a-f]{64}$/);
  const replayed = JSON.parse(await operator.ok(["replay", "--json", "--release", release]));
  expect(replayed).toMatchObject({ differences: [], faults: [] });
  expect(replayed.not_replayable).toHaveProperty(["demand"]);
});
