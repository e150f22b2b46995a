import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { subject, TestSite, testReader } from "../../../tests/support/servers/web.ts";
import type { Finding } from "./run-checks.ts";
import { isAllowed, robotsRules, websiteProbe } from "./website-probe.ts";

describe("web reader", () => {
  const allowed = (file: string, path: string, agent = "ExampleBot") =>
    isAllowed(robotsRules(file, agent), path);

  test("the examples of RFC 9309 read as it says", () => {
    const simple = `
    User-Agent: *
    Disallow: *.gif$
    Disallow: /example/
    Allow: /publications/

    User-Agent: foobot
    Disallow:/
    Allow:/example/page.html
    Allow:/example/allowed.gif

    User-Agent: barbot
    User-Agent: bazbot
    Disallow: /example/page.html

    User-Agent: quxbot`;
    for (const [agent, path, expected] of [
      ["other", "/x.gif", false],
      ["other", "/example/a", false],
      ["other", "/publications/a", true],
      ["FooBot", "/example/page.html", true],
      ["foobot", "/anything", false],
      ["barbot", "/example/page.html", false],
      ["bazbot", "/example/page.html", false],
      ["bazbot", "/x.gif", true],
      ["quxbot", "/example/page.html", true],
    ] as const)
      expect(allowed(simple, path, agent), `${agent} ${path}`).toBe(expected);
    const longest = "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif";
    expect(allowed(longest, "/example/page/disallowed.gif", "foobot")).toBe(false);
    expect(allowed(longest, "/example/page/other.gif", "foobot")).toBe(true);
  });

  test("groups of one name count together, whatever lies between", () => {
    const file =
      "user-agent: examplebot/2.0\ndisallow: /a\nsitemap: x\n\nuser-agent: *\ndisallow: /\n\nUSER-AGENT: ExampleBot\ndisallow: /b";
    expect(["/a", "/b", "/c"].map((path) => allowed(file, path))).toEqual([false, false, true]);
  });

  test("an equally long allow wins, an empty disallow forbids nothing, rules before any agent are nobody's", () => {
    expect(allowed("user-agent: *\ndisallow: /a\nallow: /a", "/a")).toBe(true);
    expect(allowed("user-agent: *\ndisallow:", "/a")).toBe(true);
    expect(allowed("disallow: /\nuser-agent: other\ndisallow: /", "/a")).toBe(true);
  });

  test("escapes, other letters, wildcards and the end mark", () => {
    const says = (rule: string, path: string) => !allowed(`user-agent: *\ndisallow: ${rule}`, path);
    expect(says("/caf%C3%A9", "/café")).toBe(true);
    expect(says("/café", "/caf%c3%a9/menu")).toBe(true);
    expect(says("/%7Ejoe", "/~joe")).toBe(true);
    expect(says("/*.php$", "/a/b.php")).toBe(true);
    expect(says("/*.php$", "/a/b.php?x")).toBe(false);
    expect(says("/a$", "/a")).toBe(true);
    expect(says("/a$", "/ab")).toBe(false);
    expect(says("/ab*b$", "/ab")).toBe(false); // one letter cannot be both
    expect(says("/x # no comment", "/x")).toBe(true);
  });

  test("a file made to keep the reader busy is read at once", () => {
    const file = `user-agent: *\n${`disallow: /${"*a".repeat(2000)}$\n`.repeat(20)}`;
    const started = performance.now();
    expect(allowed(file, `/${"a".repeat(1999)}b`)).toBe(true);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  test("whatever a server sends is a file, and without the word disallow it forbids nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.webPath(), (text, path) => {
        const verdict = allowed(text, path);
        if (!/disallow/i.test(text)) expect(verdict).toBe(true);
      }),
    );
  });

  test("a pattern matches as the regular expression does that it stands for", () => {
    const piece = fc.stringMatching(/^[ab*]{0,6}$/);
    fc.assert(
      fc.property(piece, fc.stringMatching(/^[ab]{0,8}$/), fc.boolean(), (pattern, path, isWhole) => {
        const rule = `/${pattern}${isWhole ? "$" : ""}`;
        const expression = new RegExp(`^/${pattern.replaceAll("*", ".*")}${isWhole ? "$" : ""}`);
        expect(allowed(`user-agent: *\ndisallow: ${rule}`, `/${path}`)).toBe(!expression.test(`/${path}`));
      }),
      { numRuns: 500 },
    );
  });
});

describe("website probe", () => {
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
});
