import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testPages } from "../../tests/support/pages/compiled.ts";
import { fakeContext } from "../../tests/support/release/fake-snapshot.ts";
import { perCity, perSite, Site } from "./site.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "site-"));
  mkdirSync(join(folder, "assets"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function siteWith(...files: string[]): Site {
  for (const file of files) writeFileSync(join(folder, "assets", file), "");
  return new Site(fakeContext(), folder);
}

test("a release says which file has a style, script or font", () => {
  const site = siteWith(
    "every-page.DD0vQh92.css",
    "every-page.DD0vQh92.css.gz",
    "refine.BLBT-I_h.js",
    "x.css",
  );
  expect(site.file("every-page.css")).toBe("/assets/every-page.DD0vQh92.css");
  expect(site.file("refine.js")).toBe("/assets/refine.BLBT-I_h.js");
  expect(site.file("forms.css")).toBeUndefined();
});

test("a page names the files of its release, and leaves out those that it lacks", async () => {
  const site = siteWith("every-page.11111111.css", "refine.22222222.js");
  const page = String(await testPages.render("/search/", site));
  expect([...page.matchAll(/\/assets\/[^"]+/g)].map(([path]) => path)).toEqual([
    "/assets/every-page.11111111.css",
    "/assets/refine.22222222.js",
  ]);
});

test("what is made for a release is made once, and anew for another", () => {
  let made = 0;
  const count = perSite(() => ++made);
  const countOf = perCity((_, slug) => `${slug} ${++made}`);
  const [site, other] = [siteWith(), siteWith()];
  expect([count(site), count(site), count(other)]).toEqual([1, 1, 2]);
  expect([countOf(site, "a"), countOf(site, "b"), countOf(site, "a"), countOf(other, "a")]).toEqual([
    "a 3",
    "b 4",
    "a 3",
    "a 5",
  ]);
});
