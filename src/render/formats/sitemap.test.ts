import { XMLParser } from "fast-xml-parser";
import { expect, test } from "vitest";
import { z } from "zod";
import { fakeCity, fakeRecord, release } from "../../../tests/support/release/fake-rows.ts";
import { fakeSnapshot } from "../../../tests/support/release/fake-snapshot.ts";
import { sitemapIndex, sitemapPart, sitemapParts } from "./sitemap.ts";

const Entries = z.array(z.strictObject({ loc: z.string(), lastmod: z.iso.date() }));
const Index = z.looseObject({ sitemapindex: z.looseObject({ sitemap: Entries }) });
const Part = z.looseObject({ urlset: z.looseObject({ url: Entries }) });
const parser = new XMLParser({ isArray: (name) => name === "url" || name === "sitemap" });

const urls = (text: string | undefined) => Part.parse(parser.parse(text ?? "")).urlset.url;
const parts = (text: string) => Index.parse(parser.parse(text)).sitemapindex.sitemap;

test("the index leads to the pages and to the records", () => {
  expect(parts(sitemapIndex(fakeSnapshot()))).toEqual([
    { loc: "https://presence.test/sitemap-pages.xml", lastmod: "2026-06-30" },
    { loc: "https://presence.test/sitemap-1.xml", lastmod: "2026-06-30" },
  ]);
});

test("pages are of the release's date, records of their last publication", () => {
  const snapshot = fakeSnapshot({
    records: [
      fakeRecord(1, { lastObserved: Date.parse("2026-03-04T23:59:59Z") }),
      fakeRecord(2, { lastObserved: null }),
    ],
  });
  const pages = urls(sitemapPart(snapshot, "pages"));
  const paths = pages.map(({ loc }) => new URL(loc).pathname);
  expect(new Set(pages.map(({ lastmod }) => lastmod))).toEqual(new Set(["2026-06-30"]));
  expect(new Set(paths).size).toBe(paths.length);
  expect(paths.slice(0, 3)).toEqual(["/", "/coverage/", "/explorer/"]);
  expect(paths).toContain("/developers/api/getRowProof/");
  expect(paths.filter((path) => path.startsWith("/city/"))).toEqual([
    "/city/alpha/",
    "/city/alpha/cells/",
    "/city/alpha/changes/",
    "/city/alpha/industry/I/",
    "/city/alpha/industry/5610/",
    "/city/beta/",
    "/city/beta/cells/",
    "/city/beta/changes/",
  ]);
  expect(urls(sitemapPart(snapshot, "1"))).toEqual([
    { loc: "https://presence.test/record/demo_1/", lastmod: "2026-03-04" },
    { loc: "https://presence.test/record/demo_2/", lastmod: "2026-06-30" },
  ]);
});

test("many records go into many parts, each record into one, within the protocol's limits", () => {
  const records = Array.from({ length: 45_001 }, (_, at) => fakeRecord(at + 1));
  const snapshot = fakeSnapshot({ records });
  const names = sitemapParts(snapshot).map(({ part = "" }) => part);
  expect(names).toEqual(["pages", "1", "2", "3"]);
  expect(parts(sitemapIndex(snapshot)).map(({ loc }) => loc)).toEqual(
    names.map((name) => `https://presence.test/sitemap-${name}.xml`),
  );
  const texts = names.slice(1).map((name) => sitemapPart(snapshot, name) ?? "");
  for (const text of texts) {
    expect(text.match(/<url>/g)?.length).toBeLessThanOrEqual(50_000);
    expect(text.length).toBeLessThan(50_000_000);
  }
  const listed = texts.flatMap((text) => [...text.matchAll(/\/record\/([^/]+)\//g)].map(([, id]) => id));
  expect(listed).toEqual(records.map(({ publicId }) => publicId));
});

test("so do many pages", () => {
  const cities = Array.from({ length: 10_000 }, (_, at) => fakeCity(at + 1, `C${at}`));
  const snapshot = fakeSnapshot({ cities, records: [] });
  expect(sitemapParts(snapshot)).toEqual([{ part: "pages" }, { part: "pages-2" }]);
  const last = urls(sitemapPart(snapshot, "pages-2"));
  expect(last.at(-1)?.loc).toBe("https://presence.test/city/c9999/changes/");
});

test.each(["0", "2", "01", "1.0", "-1", "1e3", "", "pages/", "Pages", "pages-1", "pages-2", "9".repeat(40)])(
  "%j is no part",
  (part) => {
    expect(sitemapPart(fakeSnapshot(), part)).toBeUndefined();
  },
);

test("without a record there is no part for records", () => {
  expect(sitemapParts(fakeSnapshot({ records: [] }))).toEqual([{ part: "pages" }]);
});

test("an address stays XML, whatever is in it", () => {
  const snapshot = fakeSnapshot({ release: { ...release, baseUrl: "https://presence.test/a&b<c>" } });
  expect(sitemapIndex(snapshot)).toContain("https://presence.test/a&amp;b&lt;c&gt;/sitemap-pages.xml");
});
