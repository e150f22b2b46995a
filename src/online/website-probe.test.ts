import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { subject, TestSite, testReader } from "../../tests/support/servers/web.ts";
import type { Finding } from "./provider.ts";
import { websiteProbe } from "./website-probe.ts";

const FOUND: Finding = { signal: "website", outcome: "found", types: ["website"], matches: 1 };

function probe(website: string, reader = testReader()): Promise<Finding> {
  return websiteProbe(reader).check(subject({ website }), "website");
}

test("a page that answers is found, by a reader that says who it is and asks robots.txt first", async () => {
  await using site = await TestSite.start();
  expect(await probe(site.url("/shop?a=1"))).toEqual(FOUND);
  expect(site.asked).toEqual(["/robots.txt", "/shop?a=1"]);
  expect([...site.agents]).toEqual(["PresenceOnlineCheck/1.0 (+https://example.org/)"]);
});

test.each([
  [404, "absent", "its page is gone"],
  [410, "absent", "its page is gone"],
  [401, "failed", "it answered 401"],
  [429, "failed", "it answered 429"],
  [500, "failed", "it answered 500"],
  [204, "failed", "it answered without content"],
])("an answer of %i is %s", async (status, outcome, note) => {
  await using site = await TestSite.start();
  site.answer = (_, response) => response.writeHead(status).end();
  expect(await probe(site.url())).toEqual({ signal: "website", outcome, note });
});

test("robots.txt closes a path, a whole site, or nothing", async () => {
  await using site = await TestSite.start();
  site.robots = (_, response) => response.end("user-agent: presenceonlinecheck\ndisallow: /private");
  expect(await probe(site.url("/private/x"))).toMatchObject({
    outcome: "failed",
    note: "robots.txt asks to stay out",
  });
  expect(site.asked).toEqual(["/robots.txt"]);
  expect(await probe(site.url("/"))).toEqual(FOUND);
});

test.each([
  [403, "found"],
  [404, "found"],
  [429, "failed"],
  [503, "failed"],
])("a robots.txt that answers %i leaves the page %s", async (status, outcome) => {
  await using site = await TestSite.start();
  site.robots = (_, response) => response.writeHead(status).end("user-agent: *\ndisallow: /");
  expect((await probe(site.url())).outcome).toBe(outcome);
  expect(site.asked).toHaveLength(outcome === "found" ? 2 : 1);
});

test("redirects are followed, each by the rules of where it leads, and not for ever", async () => {
  await using start = await TestSite.start();
  await using end = await TestSite.start();
  start.answer = (_, response) => response.writeHead(301, { location: end.url("/home") }).end();
  expect(await probe(start.url())).toEqual(FOUND);
  expect(end.asked).toEqual(["/robots.txt", "/home"]);
  end.robots = (_, response) => response.end("user-agent: *\ndisallow: /home");
  expect((await probe(start.url())).outcome).toBe("failed");
  start.answer = (request, response) => response.writeHead(302, { location: `${request.url}x` }).end();
  expect(await probe(start.url())).toMatchObject({ outcome: "failed", note: "it redirects too often" });
  expect(start.asked.filter((path) => path !== "/robots.txt").length).toBeLessThan(10);
});

test.each([
  "http://10.0.0.7/",
  "http://[fd00::1]/",
  "http://169.254.169.254/latest/meta-data/",
  "http://3232235777/",
  "http://intranet/",
  "http://printer.local/",
  "https://shop.receiver.com:8443/",
  "https://user:secret@receiver.com/",
  "file:///etc/passwd",
  "javascript:alert(1)",
])("a redirect to %s is not followed", async (location) => {
  await using site = await TestSite.start();
  site.answer = (_, response) => response.writeHead(302, { location }).end();
  expect(await probe(site.url())).toMatchObject({ outcome: "failed", note: expect.stringMatching(/must/) });
});

test("this machine itself is not asked, unless a test may", async () => {
  await using site = await TestSite.start();
  expect((await probe(site.url(), testReader({ allowLoopback: false }))).outcome).toBe("failed");
  expect(site.asked).toEqual([]);
});

test("a name that resolves to a private address is not asked, and one that does not exist is no presence", async () => {
  const { lookup } = dns;
  const stubbed = (answer: (done: (...results: unknown[]) => void, all: boolean) => void) =>
    Object.assign(
      (_: string, options: { all?: boolean }, done: (...results: unknown[]) => void) =>
        answer(done, options.all === true),
      { __promisify__: lookup.__promisify__ },
    );
  const resolving = (address: string) =>
    stubbed((done, all) => (all ? done(null, [{ address, family: 4 }]) : done(null, address, 4)));
  try {
    for (const address of ["127.0.0.1", "10.1.2.3", "169.254.169.254", "168.63.129.16"]) {
      Reflect.set(dns, "lookup", resolving(address));
      syncBuiltinESMExports();
      expect(await probe("http://rebinding.shop.com/"), address).toEqual({
        signal: "website",
        outcome: "failed",
        note: "robots.txt could not be read: the name leads to an address that is not public",
      });
    }
    const missing = Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
    Reflect.set(
      dns,
      "lookup",
      stubbed((done) => done(missing)),
    );
    syncBuiltinESMExports();
    expect(await probe("https://gone.shop.com/")).toMatchObject({ outcome: "absent" });
  } finally {
    Reflect.set(dns, "lookup", lookup);
    syncBuiltinESMExports();
  }
});

test("a slow server, at its head or drip by drip, is given up", async () => {
  await using site = await TestSite.start();
  const reader = testReader({ timeoutMs: 150 });
  site.answer = () => undefined;
  expect(await probe(site.url(), reader)).toMatchObject({
    outcome: "failed",
    note: "it could not be read: no answer in time",
  });
  site.answer = (_, response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write("."), 20);
    response.on("close", () => clearInterval(drip));
  };
  expect((await probe(site.url(), reader)).outcome).toBe("failed");
});

test("a body without an end and a gzip bomb are cut off early", async () => {
  await using site = await TestSite.start();
  let sent = 0;
  site.answer = (_, response) => {
    const chunk = "x".repeat(64 * 1024);
    const pump = () => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      if (!response.destroyed) response.once("drain", pump);
    };
    pump();
  };
  expect(await probe(site.url())).toEqual(FOUND);
  expect(sent).toBeLessThan(64 * 1024 * 1024);
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, "a"), { level: 9 });
  site.answer = (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
  const before = process.memoryUsage().rss;
  expect(await probe(site.url())).toEqual(FOUND);
  expect(process.memoryUsage().rss - before).toBeLessThan(48 * 1024 * 1024);
});

test("a server that says more than it sends, or sends what it does not say, is a failure", async () => {
  await using site = await TestSite.start();
  site.answer = (_, response) => {
    response.writeHead(200, { "content-length": "1000" });
    response.write("short");
    setTimeout(() => response.destroy(), 20);
  };
  expect((await probe(site.url())).outcome).toBe("failed");
  site.answer = (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end("not gzip");
  expect((await probe(site.url())).outcome).toBe("failed");
  site.answer = (request) => request.socket.end("no http at all");
  expect((await probe(site.url())).outcome).toBe("failed");
});

test("one request at a time goes to a host, and robots.txt is read once a run", async () => {
  await using site = await TestSite.start();
  site.answer = (_, response) => setTimeout(() => response.end("hello"), 10);
  const provider = websiteProbe(testReader());
  const all = Array.from({ length: 8 }, (_, n) =>
    provider.check(subject({ record: n, website: site.url(`/${n}`) }), "website"),
  );
  expect(await Promise.all(all)).toEqual(Array(8).fill(FOUND));
  expect(site.mostAtOnce).toBe(1);
  expect(site.asked.filter((path) => path === "/robots.txt")).toHaveLength(1);
});
