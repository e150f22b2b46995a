import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { TestSite } from "../../tests/support/release/site.ts";
import type { Log } from "../kernel/log.ts";
import { DAY_MS } from "../kernel/time.ts";
import type { MessageNote } from "../mcp/call-notes.ts";
import { openState } from "../state/open-state.ts";
import type { ActivityReport } from "../state/usage/usage-reports.ts";
import { Activity, type ActivityWriter, NotedRequests } from "./activity.ts";
import type { SeenRequest } from "./seen-request.ts";

describe("activity", () => {
  const SECRET_AGENT = "MyHouse/1.0 (alice@example.org)";
  const GPTBOT = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";

  async function get(url: string, userAgent = SECRET_AGENT): Promise<number> {
    const response = await fetch(url, { headers: { "User-Agent": userAgent } });
    await response.arrayBuffer();
    return response.status;
  }

  function message(id: number, method: string, params: object = {}) {
    return { jsonrpc: "2.0", id, method, params };
  }

  const META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };

  async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    const response = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        "User-Agent": SECRET_AGENT,
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    return response;
  }

  async function reportOf(site: TestSite): Promise<ActivityReport> {
    await using state = await openState(undefined, site.home);
    return await state.usage.report(Date.now() + DAY_MS, 2);
  }

  describe("machine activity of a real server", () => {
    test("has exactly the requests that were made", async () => {
      using site = new TestSite();
      site.publish();
      const server = await site.serve({ internalAddresses: ["10.0.0.0/8"], trustedProxies: 1 });
      const { url } = server;
      for (const turn of [1, 2, 3])
        expect(await get(`${url}/api/v1/city/toronto/index`), `${turn}`).toBe(200);
      expect(await get(`${url}/api/v1/city/toronto/index`, GPTBOT)).toBe(200);
      expect(await get(`${url}/api/v1/search?city=toronto&name=alpha`, "Googlebot/2.1")).toBe(200);
      expect(await get(`${url}/api/v1/search?nonsense=1`)).toBe(400);
      expect(await get(`${url}/api/v1/city/nowhere/index`)).toBe(404);
      expect(await get(`${url}/city/toronto/`, "curl/8.5.0")).toBe(200);
      expect(await get(`${url}/healthz`)).toBe(200);
      await fetch(`${url}/api/v1/status`, { headers: { "X-Forwarded-For": "10.1.2.3" } });
      await server.stop();
      const { counts, ...report } = await reportOf(site);
      expect(counts).toEqual({
        externalRequests: 8,
        internalRequests: 2,
        dailyClientInstances: 4,
        recurringClients: 0,
        transport: { rest: 7, mcp: 0, other: 1 },
        clientClass: {
          search_crawler: 1,
          ai_crawler: 1,
          authenticated_partner: 0,
          anonymous_or_unattributed: 5,
          other_client: 1,
        },
        status: { "2xx": 6, "3xx": 0, "4xx": 2, "5xx": 0, unclassified: 0 },
        timedOut: 0,
        schemaFailures: 1,
        rateLimited: 0,
      });
      expect(report.topEndpoints).toEqual([
        { value: "getCityIndex", requests: 5 },
        { value: "searchEntities", requests: 2 },
        { value: "city_page", requests: 1 },
      ]);
      expect(report.topCities).toEqual([{ value: "toronto", requests: 6 }]);
      expect(report.topCrawlers.map(({ value }) => value)).toEqual(["GPTBot", "Googlebot"]);
    });

    test("has a request for each MCP message, with tool, city and record as they were found", async () => {
      using site = new TestSite();
      site.publish();
      const server = await site.serve();
      const call = (id: number, name: string, given: object) =>
        message(id, "tools/call", { name, arguments: given });
      const find = { business_name: "Alpha", city: "Toronto" };
      await post(server.url, [
        message(1, "tools/list"),
        call(2, "get_physical_presence", find),
        call(3, "get_physical_presence", { city: 7 }),
        call(4, "no_such_tool", {}),
        message(5, "made/up"),
      ]);
      await post(
        server.url,
        message(6, "tools/call", { name: "city_index", arguments: { city: "toronto" }, _meta: META }),
        { "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "city_index" },
      );
      await post(server.url, "{");
      await server.stop();
      const { counts, topTools, topCities, topRecords } = await reportOf(site);
      expect(counts.transport).toEqual({ rest: 0, mcp: 7, other: 0 });
      expect(counts.schemaFailures).toBe(3);
      expect(counts.dailyClientInstances).toBe(1);
      expect(topTools).toEqual([
        { value: "get_physical_presence", requests: 2 },
        { value: "city_index", requests: 1 },
      ]);
      expect(topCities).toEqual([{ value: "toronto", requests: 2 }]);
      expect(topRecords).toHaveLength(1);
    });

    test("a client that leaves before the answer has no status, and what is no HTTP is counted, too", async () => {
      using site = new TestSite();
      site.publish();
      const server = await site.serve();
      const leaving = connect(server.port, "127.0.0.1");
      leaving.write("GET /api/v1/status HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n");
      await get(`${server.url}/healthz`); // by now the head of the other request has been read, too
      leaving.destroy();
      const nonsense = connect(server.port, "127.0.0.1");
      nonsense.end("nonsense\r\n\r\n");
      expect(await text(nonsense)).toContain("400 Bad Request");
      await server.stop();
      const { counts, topEndpoints } = await reportOf(site);
      expect(counts.status).toEqual({ "2xx": 0, "3xx": 0, "4xx": 1, "5xx": 0, unclassified: 1 });
      expect(topEndpoints.map(({ value }) => value)).toEqual(["getPublicSystemStatus", "unreadable_request"]);
    });

    test("neither an address nor a user agent that no list knows is stored", async () => {
      using site = new TestSite();
      site.publish();
      const server = await site.serve({ trustedProxies: 1 });
      for (const path of ["/api/v1/status", "/api/v1/search?name=alpha", "/nothing"])
        await fetch(`${server.url}${path}`, {
          headers: { "User-Agent": SECRET_AGENT, "X-Forwarded-For": "203.0.113.77" },
        });
      await server.stop();
      await using state = await openState(undefined, site.home);
      expect((await state.usage.report(Date.now() + DAY_MS, 2)).counts.externalRequests).toBe(3);
      for (const file of [site.home.state, `${site.home.state}-wal`]) {
        const bytes = readFileSync(file, "latin1");
        for (const text of ["203.0.113.77", "MyHouse", "alice@", "name=alpha"])
          expect(bytes).not.toContain(text);
      }
    });
  });

  class SlowWriter implements ActivityWriter {
    readonly batches: (readonly SeenRequest[])[] = [];
    works = true;

    write(batch: readonly SeenRequest[]): Promise<boolean> {
      if (this.works) this.batches.push(batch);
      return Promise.resolve(this.works);
    }

    close(): Promise<void> {
      return Promise.resolve();
    }

    get written(): number {
      return this.batches.reduce((sum, batch) => sum + batch.length, 0);
    }
  }

  describe("what waits to be written", () => {
    const socket = new PassThrough();

    function setUp(maxBytes?: number) {
      const writer = new SlowWriter();
      const events: [string, unknown][] = [];
      const log: Log = { info: () => undefined, error: (event, fields) => events.push([event, fields]) };
      const bound = maxBytes === undefined ? {} : { maxBytes };
      const activity = new Activity({ writer, log, clock: () => 1, trustedProxies: 0, ...bound });
      return { writer, events, activity };
    }

    test("is written in order and in parts, and stays while the database is away", async () => {
      const { writer, activity, events } = setUp();
      writer.works = false;
      for (let status = 0; status < 2500; status += 1) activity.broken(status, socket);
      await activity.flush();
      expect(writer.written).toBe(0);
      writer.works = true;
      await activity.flush();
      expect(writer.batches.map(({ length }) => length)).toEqual([1000, 1000, 500]);
      expect(writer.batches.flat().map(({ status }) => status)).toEqual(
        Array.from({ length: 2500 }, (_, status) => status),
      );
      await activity.stop();
      expect([writer.written, events]).toEqual([2500, []]);
    });

    test("is bounded: what does not fit is dropped and told, and room comes back", async () => {
      const { writer, activity, events } = setUp(3000);
      for (let n = 0; n < 25; n += 1) activity.broken(n, socket);
      await activity.flush();
      expect([writer.written, events]).toEqual([10, [["activity_dropped", { requests: 15 }]]]);
      for (let n = 0; n < 10; n += 1) for (const _ of [1, 2]) activity.broken(n, socket);
      writer.works = false;
      await activity.stop();
      expect(events.at(-1)).toEqual(["activity_lost", { requests: 20 }]);
    });

    test("goes on when the database is back, with all that came meanwhile", async () => {
      const { writer, activity, events } = setUp();
      writer.works = false;
      for (const _ of [1, 2, 3]) {
        activity.broken(400, socket);
        await activity.flush();
      }
      writer.works = true;
      activity.broken(400, socket);
      await activity.stop();
      const times = writer.batches.flat().map((seen) => seen.times);
      expect([times.reduce((sum, count) => sum + count, 0), events]).toEqual([4, []]);
    });

    test("that comes while a batch is written is left for the next time", async () => {
      const { writer, activity } = setUp();
      const { write } = writer;
      writer.write = (batch) => {
        activity.broken(400, socket);
        return write.call(writer, batch);
      };
      activity.broken(400, socket);
      await activity.flush();
      expect(writer.batches.map(({ length }) => length)).toEqual([1]);
    });
  });
});

describe("noted requests", () => {
  const CALL: MessageNote = {
    method: "tools/call",
    tool: "get_pulse",
    city: "guelph",
    record: null,
    search: null,
    isRefused: false,
  };
  const SEEN: SeenRequest = {
    at: 5,
    times: 1,
    method: "GET",
    url: "/api/v1/cities",
    status: 200,
    latencyMs: null,
    userAgent: "curl/8",
    address: "192.0.2.1",
    clientId: null,
    timedOut: false,
    foundNothing: false,
    message: null,
  };

  function entriesOf(requests: readonly SeenRequest[]): readonly SeenRequest[] {
    const noted = new NotedRequests(1e6);
    for (const seen of requests) noted.add(seen);
    noted.close();
    return noted.first(100);
  }

  test("equal requests are one entry, with their number and the time of the last", () => {
    expect(entriesOf([SEEN, { ...SEEN, at: 9 }, { ...SEEN, at: 7 }])).toEqual([{ ...SEEN, at: 9, times: 3 }]);
    expect(SEEN.times).toBe(1);
  });

  test.each<Partial<SeenRequest>>([
    { at: DAY_MS },
    { method: "HEAD" },
    { url: "/api/v1/cities?" },
    { status: 304 },
    { status: null },
    { userAgent: "curl/9" },
    { address: "192.0.2.2" },
    { timedOut: true },
    { foundNothing: true },
    { message: CALL },
  ])("requests that differ in %o are two", (change) => {
    expect(entriesOf([SEEN, { ...SEEN, ...change }])).toEqual([SEEN, { ...SEEN, ...change }]);
  });

  test("messages that differ in anything are two", () => {
    const search = { city: "Guelph", foundNothing: false };
    const changes: Partial<MessageNote>[] = [
      { method: "ping" },
      { tool: null },
      { city: null },
      { record: "demo_1" },
      { search },
      { search: { ...search, foundNothing: true } },
      { isRefused: true },
    ];
    const calls = [{}, ...changes].map((change) => ({ ...SEEN, message: { ...CALL, ...change } }));
    expect(entriesOf([...calls, ...calls])).toEqual(calls.map((call) => ({ ...call, times: 2 })));
  });

  test("each request of a partner stays one, because it is stored with time and latency", () => {
    const ofPartner = { ...SEEN, clientId: "client_1", latencyMs: 3 };
    const later = { ...ofPartner, at: 6 };
    expect(entriesOf([ofPartner, { ...ofPartner }, later])).toEqual([ofPartner, ofPartner, later]);
  });

  test("entries that are being written take no more requests, and room comes back with their removal", () => {
    const noted = new NotedRequests(400);
    noted.add(SEEN);
    noted.close();
    const [first] = noted.first(1);
    noted.add(SEEN); // no room for a second entry
    expect([first, noted.requests, noted.takeDropped(), noted.takeDropped()]).toEqual([SEEN, 1, 1, 0]);
    noted.remove(noted.first(1));
    noted.add(SEEN);
    noted.add(SEEN);
    expect([noted.requests, noted.takeDropped()]).toEqual([2, 0]);
  });
});
