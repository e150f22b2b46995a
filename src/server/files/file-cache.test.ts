import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { routes } from "../../site/routes/routes.ts";
import { contentTypeOf } from "./content-type.ts";
import { FileCache, isApiPath, sitePath } from "./file-cache.ts";

describe("site path", () => {
  describe("URL path -> file", () => {
    test.each([
      ["/", "index.html"],
      ["/city/toronto/", "city/toronto/index.html"],
      ["/city/toronto", "city/toronto"],
      ["/api/v1/cities", "api/v1/cities.json"],
      ["/api/v1/city/toronto/index", "api/v1/city/toronto/index.json"],
      ["/api/v1/explorer.csv", "api/v1/explorer.csv"],
      ["/pulse/toronto/rss.xml", "pulse/toronto/rss.xml"],
      ["/mcp/contract.json", "mcp/contract.json"],
      ["/mcp/server-card", "mcp/server-card"],
      ["/.well-known/security.txt", ".well-known/security.txt"],
      ["/.well-known/ai-catalog.json", ".well-known/ai-catalog.json"],
      ["/.well-known", undefined],
      ["/.well-known/", undefined],
      ["/.well-known/x/", undefined],
      ["/.well-known/x/y", undefined],
      ["/.well-known/.x", undefined],
      ["/.well-known/..", undefined],
      ["/.well-known/../snapshot.db", undefined],
      ["/.Well-Known/x", undefined],
      ["/.well-knownx/x", undefined],
      ["/..well-known/x", undefined],
      ["/a/.well-known/x", undefined],
      ["/.env", undefined],
      ["/.git/x", undefined],
      ["/api/v1/cities/", undefined],
      ["", undefined],
      ["cities", undefined],
      ["//evil.example", undefined],
      ["//evil.example/", undefined],
      ["/a//b", undefined],
      ["/../snapshot.db", undefined],
      ["/a/../b", undefined],
      ["/./a", undefined],
      ["/.git/config", undefined],
      ["/%2e%2e/snapshot.db", undefined],
      ["/a%2fb", undefined],
      ["/a\\b", undefined],
      ["/a\0b", undefined],
      ["/café", undefined],
      ["/a?b", undefined],
      [`/${"a".repeat(600)}`, undefined],
    ])("%j -> %j", (pathname, path) => {
      expect(sitePath(pathname)).toBe(path);
    });

    test("whatever comes, no path leaves the folder", () => {
      const hostile = fc.string({
        unit: fc.constantFrom(
          "/",
          ".",
          "..",
          ".well-known",
          "a",
          "\\",
          "%2e",
          "%2f",
          "~",
          "-",
          "\0",
          "api/v1",
        ),
      });
      fc.assert(
        fc.property(fc.oneof(hostile, fc.string()), (text) => {
          const path = sitePath(`/${text}`);
          if (path !== undefined) expect(join("/site", path).startsWith(`/site${sep}`)).toBe(true);
        }),
        { numRuns: 1000 },
      );
    });
  });

  test("the programs' interface ends at a slash", () => {
    expect(["/api", "/api/", "/api/v1/x", "/mcp"].every(isApiPath)).toBe(true);
    expect(["/", "/apiary/", "/api-examples.json", "/x/api/"].some(isApiPath)).toBe(false);
  });
});

describe("file cache", () => {
  let site = "";
  beforeEach(() => {
    site = mkdtempSync(join(tmpdir(), "site-"));
  });
  afterEach(() => rmSync(site, { recursive: true }));

  const put = (name: string, body: string) => writeFileSync(join(site, name), body);

  describe("files", () => {
    test("a text is compressed when it is read, if that saves a packet, with a strong tag and headers of its own", async () => {
      const text = "word ".repeat(1000);
      for (const name of ["a.json", "a.bin"]) put(name, text);
      put("random.json", randomBytes(2000).toString("base64"));
      put("short.json", text.slice(0, 1399));
      const files = new FileCache(site, 1e6);
      const file = await files.load("/a.json");
      expect(file?.identity.body).toEqual(Buffer.from(text));
      expect(file?.identity.headers).not.toContain("Content-Encoding");
      const { body, etag, headers } = file?.gzip ?? expect.fail("not compressed");
      expect(gunzipSync(body instanceof Buffer ? body : "").toString()).toBe(text);
      expect(etag).toBe(file?.identity.etag.replace(/"$/, '-gzip"'));
      expect(headers.join(" ")).toContain(`Content-Length ${body.length} Content-Encoding gzip`);
      for (const path of ["/a.bin", "/random.json", "/short.json"])
        expect((await files.load(path))?.gzip).toBeUndefined();
    });

    test("what is no file is undefined, and is found as soon as it is there", async () => {
      mkdirSync(join(site, "folder"));
      const files = new FileCache(site, 1e6);
      for (const path of ["/none.json", "/folder", "/folder/", "/none/x.json", "/../a"])
        expect(await files.load(path)).toBeUndefined();
      put("none.json", "{}");
      expect(await files.load("/none.json")).toBeDefined();
    });

    test("requests that come while a file is being read share that read", async () => {
      put("a.json", "{}");
      const files = new FileCache(site, 1e6);
      const [first, second] = await Promise.all([files.load("/a.json"), files.load("/a.json")]);
      expect(first).toBe(second);
      expect(files.hot("/a.json")).toBe(first);
    });
  });

  describe("memory", () => {
    const kilobytes = "x".repeat(8000); // with the overhead of an entry: 10,000 bytes

    test("the oldest goes first, but what was used gets a second chance", async () => {
      const files = new FileCache(site, 90_000);
      const names = Array.from({ length: 12 }, (_, index) => `/${index}.bin`);
      for (const name of names) put(name, kilobytes);
      for (const name of names.slice(0, 9)) await files.load(name);
      files.hot("/0.bin");
      for (const name of names.slice(9)) await files.load(name);
      const kept = names.filter((name) => files.hot(name) !== undefined);
      expect(kept).toEqual(["/0.bin", ...names.slice(4)]);
    });

    test("a file larger than an eighth of the memory is neither read nor kept, and its tag follows its last change", async () => {
      put("big.json", kilobytes);
      const files = new FileCache(site, 60_000);
      const load = async () => (await files.load("/big.json")) ?? expect.fail("no file");
      const first = await load();
      expect(first.identity.body).toMatchObject({ file: join(site, "big.json"), length: 8000 });
      expect(first.gzip).toBeUndefined();
      expect(files.hot("/big.json")).toBeUndefined();
      expect((await load()).identity.etag).toBe(first.identity.etag);
      utimesSync(join(site, "big.json"), 1, 1);
      expect((await load()).identity.etag).not.toBe(first.identity.etag);
    });
  });

  test("a file has the type that its route answers with", () => {
    for (const route of routes)
      expect(
        contentTypeOf(route.filePath({ city: "x", public_id: "x", id: "x", part: "1", area: "x" })),
      ).toBe(route.contentType);
  });
});
