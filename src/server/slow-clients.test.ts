import { once } from "node:events";
import { truncateSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestSite } from "../../tests/support/release/site.ts";
import type { RunningServer } from "./main.ts";

/** Short, so that the tests are; none of them asserts less than MARGIN_MS, whatever the machine's load. */
const BOUNDS = { headers: 300, request: 600, idle: 300, write: 600, check: 50 };
const MARGIN_MS = 9000;
const HOST = "Host: x\r\n";

let site: TestSite;
let server: RunningServer;
const opened: Socket[] = [];

beforeAll(async () => {
  site = new TestSite();
  const directory = site.publish();
  writeFileSync(join(directory, "site", "large.bin"), "");
  truncateSync(join(directory, "site", "large.bin"), 64 * 1024 * 1024); // more than the kernel buffers take
  writeFileSync(join(directory, "site", "medium.bin"), Buffer.alloc(20 * 1024 * 1024));
  server = await site.serve({ maxConnectionsPerClient: 8 }, { bounds: BOUNDS });
});
afterAll(async () => {
  for (const socket of opened) socket.destroy();
  await server.stop();
  site[Symbol.dispose]();
});

function open(port = server.port): Socket {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  socket.on("error", () => undefined); // a reset is a way to close
  opened.push(socket);
  return socket;
}

/** Rejects when the connection is still there after the margin; a reset counts as closed. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => reject(new Error("the server holds on")), MARGIN_MS);
    socket.once("close", () => {
      clearTimeout(deadline);
      resolve();
    });
    if (socket.closed) resolve();
  });
}

/** Sends a piece every 50 ms until the server closes; returns what it answered. */
async function drip(socket: Socket, head: string, piece: string): Promise<string> {
  socket.write(head);
  const timer = setInterval(() => socket.writable && socket.write(piece), 50);
  socket.setTimeout(MARGIN_MS, () => socket.destroy(new Error("the server holds on")));
  const started = performance.now();
  const answer = await text(socket).catch(() => "");
  clearInterval(timer);
  expect(performance.now() - started).toBeLessThan(MARGIN_MS);
  return answer;
}

describe("a client that sends slowly", () => {
  test("headers that never end are answered 408 and closed", async () => {
    const answer = await drip(open(), `GET / HTTP/1.1\r\n${HOST}`, "X: y\r\n");
    expect(answer).toMatch(/^HTTP\/1.1 408 [\s\S]*took too long to arrive/);
  });

  test("a chunked GET that never ends is answered and closed", async () => {
    const head = `GET / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`;
    expect(await drip(open(), head, "1\r\nx\r\n")).toMatch(/^HTTP\/1.1 408 /);
    expect(await drip(open(), head, "")).toMatch(/^HTTP\/1.1 408 /); // one that goes silent, too
  });

  test("a connection that says nothing is closed, and so is one that keeps its side open", async () => {
    const silent = open();
    silent.resume();
    await closed(silent);
    const stubborn = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
    stubborn.on("error", () => undefined);
    opened.push(stubborn);
    stubborn.resume().write("nonsense\r\n\r\n");
    const timer = setInterval(() => stubborn.writable && stubborn.write("x"), 50);
    await closed(stubborn);
    clearInterval(timer);
  });
});

describe("a client that reads slowly", () => {
  test.each(["/large.bin", "/medium.bin"])("one that reads nothing of %s is closed", async (path) => {
    const socket = open();
    socket.write(`GET ${path} HTTP/1.1\r\n${HOST}\r\n`);
    await once(socket, "readable");
    // Nothing is read: the end of the connection shows only when something is written. Empty lines are no request.
    const timer = setInterval(() => socket.writable && socket.write("\r\n"), 50);
    await closed(socket);
    clearInterval(timer);
  });

  test("one that goes on reading gets everything, however long the whole takes", async () => {
    const socket = open();
    socket.write(`GET /large.bin HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
    let bytes = 0;
    for await (const chunk of socket) {
      bytes += chunk.length;
      if (bytes % 7 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(bytes).toBeGreaterThan(64 * 1024 * 1024);
  });
});

describe("connections", () => {
  test("one client has a share, and gets it back", async () => {
    const eight = Array.from({ length: 8 }, () => open());
    await Promise.all(eight.map((socket) => once(socket, "connect")));
    const ninth = open();
    ninth.resume();
    await closed(ninth);
    for (const socket of eight) socket.destroy();
    await expect
      .poll(() =>
        fetch(`${server.url}/healthz`).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200);
  });

  test("all clients together have a limit", async () => {
    const small = await site.serve(
      { maxConnections: 2 },
      { bounds: { ...BOUNDS, headers: 60_000, request: 60_000 } },
    );
    const two = [open(small.port), open(small.port)];
    await Promise.all(two.map((socket) => once(socket, "connect")));
    const third = open(small.port);
    third.resume();
    await closed(third);
    for (const socket of two) socket.destroy();
    await small.stop();
  });

  test("behind a proxy a client has so many requests under way, and the proxy's connections are not counted", async () => {
    const proxied = await site.serve(
      { trustedProxies: 1, maxConnectionsPerClient: 2 },
      { bounds: { ...BOUNDS, headers: 60_000, request: 60_000 } },
    );
    const waiting = (client: string) => {
      const socket = open(proxied.port);
      socket.write(`GET / HTTP/1.1\r\n${HOST}X-Forwarded-For: ${client}\r\nContent-Length: 4\r\n\r\n`);
      return socket;
    };
    const from = (client: string) =>
      fetch(`${proxied.url}/healthz`, { headers: { "x-forwarded-for": client } });
    const two = [waiting("192.0.2.1"), waiting("192.0.2.1")];
    await expect.poll(async () => (await from("192.0.2.1")).status).toBe(429);
    const refused = await from("192.0.2.1");
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toMatchObject({
      error: expect.stringContaining("requests per client can run at the same time"),
      retry_after_s: 1,
    });
    expect((await from("192.0.2.2")).status).toBe(200);
    for (const socket of two) socket.destroy();
    await expect.poll(async () => (await from("192.0.2.1")).status).toBe(200);
    await proxied.stop();
  });
});
