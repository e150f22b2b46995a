import { expect, test } from "vitest";
import { rowCounts } from "../../../tests/support/state/ask.ts";
import { describeOnBoth, TestState } from "../../../tests/support/state/stores.ts";
import { DAY_MS, HOUR_MS } from "../../kernel/time.ts";
import type { PlaceSearch, RequestRecord } from "./usage-counters.ts";

const START = Date.parse("2026-05-08T12:00:00Z");

function request(changes: Partial<RequestRecord> = {}): RequestRecord {
  return {
    at: START,
    times: 1,
    transport: "rest",
    clientClass: "anonymous_or_unattributed",
    agent: null,
    status: 200,
    operation: "getEntity",
    tool: null,
    city: null,
    search: null,
    record: null,
    latencyMs: 3.4,
    clientId: null,
    client: "192.0.2.1 browser",
    internal: false,
    timedOut: false,
    schemaFailure: false,
    rateLimited: false,
    ...changes,
  };
}

const crawler = { clientClass: "ai_crawler", agent: "GPTBot", client: "192.0.2.7 GPTBot" } as const;
const partner = {
  clientClass: "authenticated_partner",
  clientId: "client_1",
  client: "192.0.2.8 curl",
} as const;

describeOnBoth("machine activity", (engine) => {
  test("is reported over whole days, with every request in the counts that it belongs to", async () => {
    await using test = await TestState.open(engine, "2026-05-09T00:10:00Z");
    const { usage } = test.state;
    await usage.record([
      request({ city: "toronto", record: "demo_1" }),
      request({ at: START + 1, operation: "searchEntities", status: 304 }),
      request({ at: START - DAY_MS, ...crawler, city: "toronto", record: "demo_2" }),
      request({ at: START, ...crawler, city: "madeup", record: "demo_none", status: 404 }),
      request({
        at: START - 6 * DAY_MS,
        ...partner,
        agent: "GPTBot",
        transport: "mcp",
        operation: "tools/call",
        tool: "get_pulse",
      }),
      request({ at: START - 5 * DAY_MS, ...partner, status: 429, rateLimited: true }),
      request({ transport: "other", operation: "feed", status: 503, timedOut: true, client: "2001:db8::1" }),
      request({ status: 500, schemaFailure: true, client: null }),
      request({ status: null }),
      request({ internal: true, operation: "healthz", client: "127.0.0.1" }),
      request({ at: START - 7 * DAY_MS }),
      request({ at: START - 7 * DAY_MS - 1 }),
      request({ at: START - 14 * DAY_MS }),
      request({ at: START + DAY_MS }),
    ]);
    await usage.record([]);
    const report = await usage.report(test.time, 7);
    expect(report.windowStart).toBe(Date.parse("2026-05-02T00:00:00Z"));
    expect(report.windowEnd).toBe(Date.parse("2026-05-09T00:00:00Z"));
    expect(report.counts).toEqual({
      externalRequests: 9,
      internalRequests: 1,
      dailyClientInstances: 5, // not the one that was refused
      recurringClients: 2,
      transport: { rest: 7, mcp: 1, other: 1 },
      clientClass: {
        search_crawler: 0,
        ai_crawler: 2,
        authenticated_partner: 2,
        anonymous_or_unattributed: 5,
        other_client: 0,
      },
      status: { "2xx": 3, "3xx": 1, "4xx": 2, "5xx": 2, unclassified: 1 },
      timedOut: 1,
      schemaFailures: 1,
      rateLimited: 1,
    });
    expect(report.previousExternalRequests).toBe(2);
    expect(report.latestExternalRequestAt).toBe(START + 1);
    expect(report.attribution).toEqual({ apiKey: 2, declaredCrawler: 2, none: 5 });
    expect(report.topEndpoints).toEqual([
      { value: "getEntity", requests: 6 },
      { value: "feed", requests: 1 },
      { value: "searchEntities", requests: 1 },
    ]);
    expect(report.topTools).toEqual([{ value: "get_pulse", requests: 1 }]);
    expect(report.topCities).toEqual([{ value: "toronto", requests: 2 }]);
    expect(report.topRecords.map(({ value }) => value)).toEqual(["demo_1", "demo_2"]);
    expect(report.topCrawlers).toEqual([{ value: "GPTBot", requests: 2 }]);
    expect(report.daily.map(({ day, externalRequests }) => [day, externalRequests])).toEqual([
      ["2026-05-02", 1],
      ["2026-05-03", 1],
      ["2026-05-04", 0],
      ["2026-05-05", 0],
      ["2026-05-06", 0],
      ["2026-05-07", 1],
      ["2026-05-08", 6],
    ]);
    expect(report.daily.at(-1)).toMatchObject({
      clientInstances: 3,
      transport: { rest: 5, mcp: 0, other: 1 },
    });
  });

  test("equal requests that come as one count as often as they were made", async () => {
    await using test = await TestState.open(engine, "2026-05-09T00:10:00Z");
    const { usage } = test.state;
    const search = { kind: "covered", place: "toronto", foundNothing: true } as const;
    await usage.record([request({ times: 3, city: "toronto" }), request({ times: 40, search })]);
    await usage.record([request({ times: 500, internal: true })]);
    const report = await usage.report(test.time, 1);
    expect(report.counts).toMatchObject({
      externalRequests: 43,
      internalRequests: 500,
      dailyClientInstances: 1,
    });
    expect(report.topCities).toEqual([{ value: "toronto", requests: 3 }]);
    expect((await usage.demand(test.time, 1)).covered).toMatchObject([
      { city: "toronto", searches: 40, searchesWithoutResult: 40, dailyClients: 1 },
    ]);
  });

  test("counts a client once a day, whatever batch its requests come in, and two days apart as strangers", async () => {
    await using test = await TestState.open(engine, "2026-05-08T13:00:00Z");
    const { usage } = test.state;
    await usage.record([request(), request({ at: START + 5 }), request({ client: "other" })]);
    await usage.record([request({ at: START + HOUR_MS }), request({ at: START + DAY_MS })]);
    const { daily } = await usage.report(START + 2 * DAY_MS, 2);
    expect(daily.map(({ clientInstances }) => clientInstances)).toEqual([2, 1]);
  });

  test("reads a part of a log once, also when two importers do", async () => {
    await using test = await TestState.open(engine);
    const { usage } = test.state;
    await using other = await test.another();
    const results = await Promise.all([
      usage.importSegment("sha256 of lines 1-2", [request(), request()]),
      other.usage.importSegment("sha256 of lines 1-2", [request(), request()]),
    ]);
    expect(results.toSorted()).toEqual([false, true]);
    expect(await usage.importSegment("empty", [])).toBe(true);
    expect(await usage.imported(["empty", "new"])).toEqual(new Set(["empty"]));
    expect((await usage.report(START + DAY_MS, 1)).counts.externalRequests).toBe(2);
  });

  test("single requests go after 90 days and the counters stay", async () => {
    await using test = await TestState.open(engine, "2026-05-08T12:00:00Z");
    const { usage } = test.state;
    await usage.record([request(partner), request({ ...partner, at: START + 1 })]);
    expect((await usage.ofClient("client_1")).recentRequests).toHaveLength(2);
    const before = await usage.report(START + DAY_MS, 1);
    test.pass(90 * DAY_MS);
    expect(await usage.prune()).toBe(0);
    test.pass(1);
    expect(await usage.prune()).toBe(1);
    expect((await usage.ofClient("client_1")).recentRequests).toHaveLength(1);
    expect(await usage.report(START + DAY_MS, 1)).toEqual(before);
  });

  test("refused requests are counted and stored nowhere, whoever they say they are", async () => {
    await using test = await TestState.open(engine, "2026-05-08T13:00:00Z");
    const { usage } = test.state;
    const refused = (client: string, changes: Partial<RequestRecord> = {}) =>
      request({ client, status: 429, rateLimited: true, ...changes });
    const many = Array.from({ length: 500 }, (_, n) => refused(`192.0.2.1 program ${n}`));
    await usage.record([...many, refused("192.0.2.2 x", { clientId: "client_1" })]);
    const { counts } = await usage.report(START + DAY_MS, 1);
    expect(counts).toMatchObject({ externalRequests: 501, rateLimited: 501, dailyClientInstances: 0 });
    expect((await usage.ofClient("client_1")).recentRequests).toEqual([]);
    await usage.record(many);
    const rows = await rowCounts(test, ["usage_requests", "usage_instances", "usage_search_clients"]);
    expect(rows).toEqual([0, 0, 0]);
    expect((await rowCounts(test, ["usage_counters"]))[0]).toBeLessThan(12);
  });

  test("single requests are stored for partners alone, and parts of logs forgotten once they are too old", async () => {
    await using test = await TestState.open(engine, "2026-05-08T13:00:00Z");
    const { usage } = test.state;
    await usage.importSegment("a part", [request(), request(partner), request({ ...partner, status: 500 })]);
    expect(await rowCounts(test, ["usage_requests", "usage_segments"])).toEqual([2, 1]);
    test.pass(91 * DAY_MS);
    expect(await usage.prune()).toBe(2);
    expect((await usage.imported(["a part"])).size).toBe(1);
    test.pass(1);
    await usage.prune();
    expect((await usage.imported(["a part"])).size).toBe(0);
  });

  test("yesterday's clients are known until tomorrow, for the front server's log; then their salt is gone", async () => {
    await using test = await TestState.open(engine, "2026-05-08T12:00:00Z");
    const { usage } = test.state;
    await usage.record([request()]);
    const instances = async () => (await usage.report(START + DAY_MS, 1)).counts.dailyClientInstances;
    test.pass(DAY_MS);
    await usage.prune();
    await usage.importSegment("yesterday's log", [request()]);
    expect(await instances()).toBe(1);
    test.pass(DAY_MS);
    await usage.prune();
    await usage.importSegment("the day before's log", [request()]);
    expect(await instances()).toBe(2); // nobody can tell any more that it was the same client
  });

  test("hostile texts are stored or cut, and never an error", async () => {
    await using test = await TestState.open(engine);
    const odd = {
      operation: "a\0b",
      city: "\ud800",
      record: "'; DROP TABLE usage_requests --",
      tool: "x".repeat(9999),
    };
    await test.state.usage.record([request({ ...odd, client: "\0\ud800", status: 999 })]);
    const report = await test.state.usage.report(START + DAY_MS, 1);
    expect(report.counts.status.unclassified).toBe(1);
    expect(report.topEndpoints).toEqual([{ value: "ab", requests: 1 }]);
    expect(report.topTools[0]?.value).toHaveLength(200);
  });

  test("a partner sees his own requests: counts, slowest twentieth, mix, the last twenty", async () => {
    await using test = await TestState.open(engine, "2026-05-08T12:00:00Z");
    const { usage } = test.state;
    expect(await usage.ofClient("client_1")).toEqual({
      requests7d: 0,
      errors24h: 0,
      p95LatencyMs24h: null,
      endpointMix30d: [],
      recentRequests: [],
    });
    const today = Array.from({ length: 40 }, (_, n) =>
      request({
        ...partner,
        at: START - n,
        latencyMs: n + 1,
        status: n < 3 ? 404 : 200,
        operation: n < 10 ? "getPulse" : "getEntity",
      }),
    );
    await usage.record([
      ...today,
      request({ ...partner, at: START - 1.5 * DAY_MS, status: 500, latencyMs: 9999 }),
      request({ ...partner, at: START - 8 * DAY_MS, operation: "searchEntities" }),
      request({ ...partner, at: START - 31 * DAY_MS, operation: "old" }),
      request({ ...partner, status: null, latencyMs: null }),
      request({ ...partner, clientId: "client_2", latencyMs: 50_000 }),
      request(),
    ]);
    const seen = await usage.ofClient("client_1");
    expect(seen).toMatchObject({ requests7d: 42, errors24h: 4, p95LatencyMs24h: 38 });
    expect(seen.endpointMix30d).toEqual([
      { operation: "getEntity", requests: 32 },
      { operation: "getPulse", requests: 10 },
      { operation: "searchEntities", requests: 1 },
    ]);
    expect(seen.recentRequests).toHaveLength(20);
    expect(seen.recentRequests[1]).toEqual({
      at: START,
      operation: "getPulse",
      tool: null,
      status: 404,
      latencyMs: 1,
    });
  });
});

describeOnBoth("demand", (engine) => {
  const search = (changes: Partial<PlaceSearch> = {}) => ({
    search: { kind: "covered" as const, place: "toronto", foundNothing: false, ...changes },
    operation: "searchEntities",
  });

  test("counts searches, those that found nothing, clients by day, and what is outside the service", async () => {
    await using test = await TestState.open(engine, "2026-05-09T00:10:00Z");
    const { usage } = test.state;
    const clients = Array.from({ length: 4 }, (_, n) => `192.0.2.${n} browser`);
    for (const client of clients) await usage.record([request({ ...search(), client })]);
    await usage.record([
      request({ ...search({ foundNothing: true }), client: clients[0] ?? "" }), // known that day
      request({ ...search(), client: clients[0] ?? "", at: START - DAY_MS }), // on another day it is another one
      request({ ...search(), client: null }),
      request({ ...search(), internal: true }),
      request({ ...search({ place: "guelph" }) }),
      request({ ...search({ kind: "outside", place: "7", foundNothing: true }) }),
      request({ ...search({ kind: "outside", place: "7", foundNothing: true }), client: "198.51.100.1 x" }),
      request({ ...search(), at: START + DAY_MS }), // after the window
      request({ ...search(), at: START - 30 * DAY_MS }), // before it
      request({ city: "toronto", operation: "getPulse" }), // no search
    ]);
    expect(await usage.demand(test.time, 30)).toEqual({
      covered: [
        { city: "guelph", searches: 1, searchesWithoutResult: 0, dailyClients: 1, alertSubscriptions: 0 },
        { city: "toronto", searches: 7, searchesWithoutResult: 1, dailyClients: 5, alertSubscriptions: 0 },
      ],
      outside: [{ geonameId: 7, searches: 2, dailyClients: 2 }],
    });
    expect(await usage.countedSince("counted")).toBe("2026-04-08");
  });

  test("counts alert subscriptions that were confirmed in the window", async () => {
    await using test = await TestState.open(engine, "2026-05-08T10:00:00Z");
    const { subscriptions, usage } = test.state;
    const wish = { city: "toronto", channel: "email", industryCode: null, entityPublicId: null } as const;
    const rest = { eventTypes: null, minConfidence: 0.6, webhookUrl: null };
    for (const email of ["a@mail.test", "b@mail.test"]) {
      const answer = await subscriptions.request({ ...wish, ...rest, email });
      if (email.startsWith("a")) await subscriptions.confirm(answer.token ?? "");
    }
    expect((await usage.demand(test.time + DAY_MS, 30)).covered).toEqual([
      { city: "toronto", searches: 0, searchesWithoutResult: 0, dailyClients: 0, alertSubscriptions: 1 },
    ]);
    expect((await usage.demand(test.time, 30)).covered).toEqual([]);
  });

  test("forgets who searched where with the salt of the day, and keeps the counts", async () => {
    await using test = await TestState.open(engine, "2026-05-08T12:00:00Z");
    const { usage } = test.state;
    await usage.record([request(search())]);
    test.pass(2 * DAY_MS);
    await usage.prune();
    await usage.record([request(search())]); // as new, because nobody can tell any more
    expect((await usage.demand(test.time, 7)).covered).toMatchObject([{ searches: 2, dailyClients: 2 }]);
  });
});
