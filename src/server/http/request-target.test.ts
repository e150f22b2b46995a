import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PublicError } from "../../kernel/errors.ts";
import { parseQuery, parseTarget } from "./request-target.ts";

describe("the target of a request", () => {
  test.each([
    ["/", "/", ""],
    ["/a?", "/a", ""],
    ["/a?b=c?d", "/a", "b=c?d"],
    ["/city/%74oronto/", "/city/toronto/", ""], // one spelling for each address
    ["/a%2fb%20c", "/a%2Fb%20c", ""],
    ["//evil.example", "//evil.example", ""],
    ["/a?x=%2e%2e", "/a", "x=%2e%2e"],
    ["/caf\u00c3\u00a9?n=\u00c3\u00a9", "/caf%C3%A9", "n=%C3%A9"], // UTF-8 sent as it is
  ])("%j -> %j, %j", (raw, pathname, query) => {
    expect(parseTarget(raw)).toEqual({ pathname, query });
  });

  test.each([
    ["http://example.org/", 400],
    ["example.org:443", 400],
    ["", 400],
    ["/..", 400],
    ["/a/../../etc/passwd", 400],
    ["/%2e%2e/%2E/x", 400],
    ["/a%00", 400],
    ["/a%0d%0aSet-Cookie:x", 400],
    ["/a%5c..%5cb", 400],
    ["/a\\b", 400],
    ["/%", 400],
    ["/%zz", 400],
    ["/%ff", 400],
    ["/\u00ff", 400],
    [`/${"a".repeat(8000)}`, 414],
  ])("%j is refused with %j", (raw, status) => {
    expect(() => parseTarget(raw)).toThrow(expect.objectContaining({ name: "PublicError", status }));
  });

  test("whatever comes: an answer, or a 4xx", () => {
    const letters = fc.constantFrom("/", "?", "%", "2e", "00", ".", "\\", "a", "\u00e9", "=", "&");
    fc.assert(
      fc.property(fc.string({ unit: letters }), (text) => {
        try {
          const { pathname, query } = parseTarget(`/${text}`);
          expect(pathname).not.toMatch(/(^|\/)\.\.?(\/|$)/);
          parseQuery(query);
        } catch (error) {
          expect(error).toBeInstanceOf(PublicError);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe("a query", () => {
  test.each([
    ["", {}],
    ["&&", {}],
    ["a=1&b=two+words&c", { a: "1", b: "two words", c: "" }],
    ["a=1&a=2&a=3", { a: ["1", "2", "3"] }],
    ["=x", { "": "x" }],
  ])("%j -> %j", (query, values) => {
    expect(parseQuery(query)).toEqual(values);
  });

  test("names that objects have by themselves are names like any other", () => {
    expect(Object.entries(parseQuery("constructor=1&toString=2"))).toEqual([
      ["constructor", "1"],
      ["toString", "2"],
    ]);
    expect(() => parseQuery("__proto__=1")).toThrow("unknown parameter: __proto__");
  });

  test.each(["a=%", "a=%zz", "%ff=1"])("malformed %j is a 400", (query) => {
    expect(() => parseQuery(query)).toThrow(expect.objectContaining({ status: 400 }));
  });
});
