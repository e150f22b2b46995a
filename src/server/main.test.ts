import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { TestSite } from "../../tests/support/release/site.ts";
import { ServedSite } from "../../tests/support/servers/served-site.ts";
import { contextAt } from "../resources/release-store.ts";
import { routes } from "../site/routes/routes.ts";
import { openState } from "../state/open-state.ts";

/** Send bytes as they are and read until the server closes. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined); // a refused body may end in a reset
  socket.write(bytes);
  return text(socket);
}

const HOST = "Host: x\r\n";

describe("stopping", () => {
  test("an answer under way is finished, its kept-alive connection closed, and no other taken", async () => {
    using site = new TestSite();
    site.publish();
    const server = await site.serve();
    const socket = connect(server.port, "127.0.0.1");
    socket.write(`GET /api/v1/search?name=alpha HTTP/1.1\r\n${HOST}Content-Length: 4\r\n\r\n`);
    await fetch(`${server.url}/healthz`); // by now the head of the other request has been read, too
    const stopped = server.stop();
    await expect(fetch(server.url)).rejects.toThrow();
    socket.write("body");
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 [\s\S]*"count":1/);
    await stopped;
  });

  test("no delivery is begun while the last answers are finished", async () => {
    using site = new TestSite();
    site.publish();
    const server = await site.serve({ delivery: "server" });
    await using state = await openState(undefined, site.home);
    const enqueue = (key: string) =>
      state.outbox.enqueue([{ key, kind: "mail", target: "sub_nobody", payload: "{}" }]);
    await enqueue("before");
    // A mail to nobody is dropped as soon as a worker takes it.
    await expect.poll(async () => (await state.outbox.counts()).mail.dead, { timeout: 30_000 }).toBe(1);
    const socket = connect(server.port, "127.0.0.1");
    socket.write(`GET /api/v1/search?name=alpha HTTP/1.1\r\n${HOST}Content-Length: 4\r\n\r\n`);
    await fetch(`${server.url}/healthz`);
    const stopped = server.stop();
    await enqueue("after");
    await sleep(2500); // more than two polls of the worker
    expect((await state.outbox.counts()).mail).toMatchObject({ waiting: 1, dead: 1 });
    socket.write("body");
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 /);
    await stopped;
  });

  test("an idle connection does not hold it up", async () => {
    using site = new TestSite();
    const server = await site.serve();
    const socket = connect(server.port, "127.0.0.1");
    await once(socket, "connect");
    socket.write(`GET /healthz HTTP/1.1\r\n${HOST}\r\n`);
    await once(socket, "data");
    const closed = once(socket.resume(), "close");
    const startedAt = performance.now();
    const stopped = server.stop();
    await closed;
    // Both limits that it could wait for are ten seconds. Threads that still load may hold up the rest on a busy machine.
    expect(performance.now() - startedAt).toBeLessThan(8000);
    await stopped;
  });
});

test("an address that is taken is the operator's error", async () => {
  using site = new TestSite();
  const server = await site.serve();
  await expect(site.serve({ port: server.port })).rejects.toThrow(/cannot listen .* Set HOST or PORT/);
  await server.stop();
});

describe("what is hardly HTTP", () => {
  const served = new ServedSite();

  test("is answered in JSON, and the connection closed", async () => {
    const { server } = served;
    const cases: [bytes: string, status: number][] = [
      ["nonsense\r\n\r\n", 400],
      [`GET / HTTP/1.1\r\n${HOST}X: ${"x".repeat(20_000)}\r\n\r\n`, 431],
      [`GET /${"x".repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`, 431],
      [`GET /${"x".repeat(9000)} HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`, 414],
      ["GET / HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
      [`GET http://evil.example/ HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`, 400],
      [`GET /a\\b HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`, 400],
      // A body that two servers could cut differently (request smuggling).
      [`POST / HTTP/1.1\r\n${HOST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
    ];
    for (const [bytes, status] of cases) {
      const answer = await exchange(server.port, bytes);
      expect(answer, bytes.slice(0, 60)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(answer).toMatch(/\r\n\r\n\{"error":"[^"]+"[\s\S]*\}\n$/);
      expect(answer).toMatch(/Access-Control-Allow-Origin: \*/);
    }
  });

  const lines = (...headers: string[]) => `${headers.map((header) => `${header}\r\n`).join("")}\r\n`;
  const many = Array.from({ length: 30 }, (_, index) => `X-${index}: 1`);
  test.each([
    ["two", lines("Host: a.example", "Host: b.example")],
    ["two of one value", lines("Host: a.example", "host: a.example")],
    ["two far apart", lines("HOST: a.example", ...many, "hOsT: b.example")],
    ["none", lines("X: 1")],
    ["an empty one", lines("Host:")],
    ["one with a space", lines("Host: a.example b.example")],
    ["a list", lines("Host: a.example, b.example")],
    ["a path", lines("Host: a.example/x")],
    ["a user", lines("Host: a@b.example")],
    ["a port of letters", lines("Host: a.example:http")],
    ["an open bracket", lines("Host: [::1")],
  ])("a Host header is needed once: %s is a 400 everywhere", async (_, headers) => {
    const { server } = served;
    expect((await fetch(`${server.url}/api/v1/cities`)).status).toBe(200); // now in memory
    for (const target of [
      ...[
        "GET /api/v1/cities",
        "GET /",
        "HEAD /healthz",
        "GET /api/v1/search?name=a",
        "GET /nothing",
        "OPTIONS /mcp",
      ],
      ...["POST /mcp", "OPTIONS *", "POST /alerts/", "GET /api/v1/partner/portal", "GET http://a.example/"],
    ]) {
      const answer = await exchange(server.port, `${target} HTTP/1.1\r\n${headers}`);
      expect(answer, target).toMatch(/^HTTP\/1.1 400 [\s\S]*Connection: close/i);
      expect(answer.match(/^HTTP/gm), target).toHaveLength(1);
    }
  });

  test("HTTP/1.0 needs no Host header, and may not have two", async () => {
    const { server } = served;
    expect(await exchange(server.port, "GET /healthz HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1.1 200 /);
    const two = `GET /healthz HTTP/1.0\r\n${lines("Host: a.example", "Host: b.example")}`;
    expect(await exchange(server.port, two)).toMatch(/^HTTP\/1.1 400 /);
    for (const host of ["a.example:80", "[::1]:8080", "my_app", "127.0.0.1", "a.example:"]) {
      const one = `GET /healthz HTTP/1.1\r\n${lines(`Host: ${host}`, "Connection: close")}`;
      expect(await exchange(server.port, one), host).toMatch(/^HTTP\/1.1 200 /);
    }
  });

  test("bodies over 32 kB are refused, announced or not, and small ones read over", async () => {
    const { server } = served;
    const post = `POST /api/v1/status HTTP/1.1\r\n${HOST}`;
    const announced = await exchange(server.port, `${post}Content-Length: 32769\r\n\r\n`);
    expect(announced).toMatch(/^HTTP\/1.1 413 [\s\S]*Connection: close[\s\S]*32768 bytes/);
    const chunk = `4000\r\n${"x".repeat(0x4000)}\r\n`;
    const chunked = await exchange(
      server.port,
      `${post}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(3)}`,
    );
    expect(chunked).toMatch(/^HTTP\/1.1 413 /);
    // The body does not leak into the next request on the same connection.
    const next = `GET /healthz HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;
    const both = await exchange(server.port, `${post}Content-Length: 5\r\n\r\nGET /${next}`);
    expect(both).toMatch(/^HTTP\/1.1 405 [\s\S]*HTTP\/1.1 200 [\s\S]*"status":"ok"/);
  });
});

test("a client that leaves in the middle of its body is nothing to report", async () => {
  using site = new TestSite();
  site.publish();
  const faults: string[] = [];
  const server = await site.serve(
    {},
    { log: { info: () => undefined, error: (event) => faults.push(event) } },
  );
  const socket = connect(server.port, "127.0.0.1");
  socket.write(`POST / HTTP/1.1\r\n${HOST}Content-Length: 10\r\n\r\nabc`);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200); // by now the server waits for the rest
  socket.destroy();
  await new Promise((resolve) => setTimeout(resolve, 200)); // a fault would be in the log by now
  await server.stop();
  expect(faults).toEqual([]);
});

describe("files and answers", () => {
  test("every file is what Node answers for the same address, byte for byte", async () => {
    using site = new TestSite();
    const directory = site.publish();
    const server = await site.serve();
    const context = contextAt(`${directory}/snapshot.db`);
    let compared = 0;
    for (const route of routes) {
      for (const values of route.enumerate(context.snapshot)) {
        const url = `${server.url}/${route.filePath(values).replace(/(^api\/.*)\.json$/, "$1")}`;
        const answer = await fetch(url, { headers: { "accept-encoding": "identity" } });
        expect(answer.status, url).toBe(200);
        const isFile = route.dependsOnTime !== true;
        expect(answer.headers.get("accept-ranges"), url).toBe(isFile ? "bytes" : null);
        expect(answer.headers.get("content-type")).toBe(route.contentType);
        expect(await answer.text(), url).toBe(route.answer(context, values, {}));
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(20);
    context.close();
    await server.stop();
  });

  test("reads beyond the allowance are a 429 with all it takes to come back; files are not counted", async () => {
    using site = new TestSite();
    site.publish();
    const server = await site.serve();
    const url = `${server.url}/api/v1/cities?`;
    for (let turn = 0; turn < 400; turn += 1) expect((await fetch(url)).status).toBe(200); // `?` asks for nothing: a file
    const limited = `${server.url}/api/v1/city/toronto/index?limit=1`;
    let answer = await fetch(limited);
    for (let turn = 0; turn < 300; turn += 1) answer = await fetch(limited);
    expect(answer.status).toBe(429);
    expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(answer.headers.get("ratelimit")).toMatch(/^"reads";r=0;t=\d+$/);
    expect(await answer.json()).toMatchObject({
      error: expect.stringContaining("https://example.org/exports/explorer.csv"),
    });
    await server.stop();
  });
});
