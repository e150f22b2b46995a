import fc from "fast-check";
import { expect, test } from "vitest";
import { isAllowed, robotsRules } from "./web-reader.ts";

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
