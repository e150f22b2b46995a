import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { fillPath, pathNames } from "../../kernel/text/markup.ts";
import { endpointFor, Matcher } from "./matcher.ts";
import { endpoints, matchPath, requestKind, secretAddresses } from "./registry.ts";

const matcher = new Matcher([
  { path: "/a/{x}", method: "GET" },
  { path: "/a/{x}", method: "POST" },
  { path: "/a/fixed" },
  { path: "/a/{x}/b/{y}/c" },
  { path: "/file-{part}.xml" },
]);

test.each([
  ["/a/1", 2, { x: "1" }],
  ["/a/fixed", 1, {}],
  ["/a/1/b/%C3%A3/c", 1, { x: "1", y: "ã" }],
  ["/file-7.xml", 1, { part: "7" }],
])("%s has %d endpoints, and values", (pathname, count, values) => {
  const match = matcher.match(pathname);
  expect(match?.endpoints).toHaveLength(count);
  expect(match?.values).toEqual(values);
});

test.each([
  "",
  "a",
  "/",
  "/a",
  "/a/",
  "/a//b/2/c",
  "/a/1/b/2",
  "/a/..",
  "/a/%zz",
  "/file-7xxml",
  "/file-.xml",
])("%s matches nothing", (pathname) => {
  expect(matcher.match(pathname)).toBeUndefined();
});

test("a path deeper than every template matches nothing", () => {
  expect(matcher.match("/a".repeat(4000))).toBeUndefined();
});

test("nginx logs of addresses with secret ids no more than what all of them have", () => {
  const conf = readFileSync(new URL("../../../deploy/nginx/http.conf", import.meta.url), "utf8");
  const [, map = ""] = /map \$request_uri \$presence_logged \{\n(.*?)\}/s.exec(conf) ?? [];
  const lines = secretAddresses.map((address) => `"~*^${address.replaceAll("/", "/+")}[^/?]" "${address}-";`);
  const oddSpellings = expect.stringMatching(/" "\/-";$/);
  expect(map.match(/".*";/g)).toEqual([...lines, oddSpellings]);
  const names = endpoints.flatMap(({ kind, path }) => (kind === "account" ? [path] : []));
  for (const path of names.filter((path) => path.includes("{")))
    expect(secretAddresses.filter((address) => path.startsWith(address))).toHaveLength(1);
});

describe("the registry", () => {
  test("no path has two endpoints for one method", () => {
    const keys = endpoints.map(({ method = "", path }) => `${method} ${path}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("every endpoint is found at its own address", () => {
    for (const endpoint of endpoints) {
      const values = Object.fromEntries(pathNames(endpoint.path).map((name) => [name, `${name} ä`]));
      const match = matchPath(fillPath(endpoint.path, values));
      expect(match.values).toEqual(values);
      expect(endpointFor(match, endpoint.method ?? "GET")).toBe(endpoint);
    }
  });

  test.each([
    ["GET", "/alerts/", "page"],
    ["POST", "/alerts/", "form"],
    ["PUT", "/api/v1/alerts/subscribe", "account"], // which refuses it
    ["HEAD", "/api/v1/partner/portal", "account"],
    ["POST", "/api/v1/cities", "read"],
    ["GET", "/api/v1/alerts/nothing", undefined],
    ["GET", "/about/", undefined],
  ])("%s %s is answered by %s", (method, pathname, kind) => {
    expect(requestKind(matchPath(pathname), method)).toBe(kind);
  });
});
