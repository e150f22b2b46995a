import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { REVIEW_NOTICE } from "../../contract/citation/citation.ts";
import type { ReadContext } from "../../resources/define.ts";
import { contextOf } from "../../resources/release-store.ts";
import { pageAddresses } from "../page-addresses.ts";
import { Site } from "../site.ts";
import { PLAIN_ROUTES, plainPageAt } from "./index.ts";

const FILES = ["every-page.00000000.css", "record.00000000.css", "pictures.00000000.css"];
const SCRIPTS = ["copy-text", "refine", "search-box"].map((name) => `${name}.00000000.js`);
const HOSTILE = `"><script>alert('1')</script> & Söhne`;

let town: TestTown;
let context: ReadContext;
let site: Site;

beforeAll(() => {
  town = new TestTown();
  town.city("toronto");
  const seen = (name: string, publicId: string) => {
    const record = town.record(name, { public_id: publicId });
    const asset = town.asset(record);
    town.see(record, asset, "a", "2026-04-28T10:00:00Z");
    town.see(record, asset, "b", "2026-04-30T15:00:00Z", { is_synthetic: true });
    return town.see(record, asset, "c", "2026-05-01T09:00:00Z");
  };
  seen("Alpha", "demo_alpha");
  seen(HOSTILE, "demo_hostile");
  const folder = join(town.ledger.folder, "site");
  mkdirSync(join(folder, "assets"), { recursive: true });
  for (const file of [...FILES, ...SCRIPTS]) writeFileSync(join(folder, "assets", file), "");
  context = contextOf(town.snapshot("2026-05-20T12:00:00Z"));
  site = new Site(context, folder);
});

afterAll(() => town[Symbol.dispose]());

const pageOf = (pathname: string) => String(plainPageAt(pathname)?.document(site));
const addresses = () => [...pageAddresses(PLAIN_ROUTES, context)].map(({ pathname }) => pathname);
const citationOf = (publicId: string) =>
  addresses().find((address) => address.startsWith(`/cite/${publicId}.`)) ?? "";

test("every plain route has pages, and each address of one is a whole page", () => {
  const kinds = new Set(addresses().map((address) => address.split("/")[1]));
  expect(new Set(PLAIN_ROUTES.map(({ pattern }) => pattern.split("/")[1]))).toEqual(kinds);
  for (const address of addresses())
    expect(pageOf(address)).toMatch(/^<!DOCTYPE html><html lang="en">.*<\/html>/s);
});

test.each(["/", "/cite/", "/record/", "/record/demo_alpha", "/merged/demo_alpha/", "/record/a/b/"])(
  "%s is no plain page",
  (pathname) => {
    expect(plainPageAt(pathname)).toBeUndefined();
  },
);

test("a record's page", async () => {
  await expect(pageOf("/record/demo_alpha/")).toMatchFileSnapshot("./__snapshots__/record.html.snap");
});

test("a citation's page", async () => {
  await expect(pageOf(citationOf("demo_alpha"))).toMatchFileSnapshot("./__snapshots__/citation.html.snap");
});

test("a name is text and never markup", () => {
  for (const address of ["/record/demo_hostile/", citationOf("demo_hostile")]) {
    const page = pageOf(address);
    expect(page).toContain("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; Söhne");
    expect(page.replaceAll(/<script type="module" src="\/assets\/[\w.-]+"><\/script>/g, "")).not.toContain(
      "<script",
    );
    expect(page.replaceAll(/"[^"]*"/g, "")).not.toContain("<script>");
  }
});

test("a page names each of its styles and scripts once", () => {
  const named = (pathname: string) =>
    [...pageOf(pathname).matchAll(/\/assets\/([\w-]+)\./g)].map(([, name]) => name);
  expect(named("/record/demo_alpha/")).toEqual([
    "every-page",
    "record",
    "pictures",
    "search-box",
    "copy-text",
  ]);
  expect(named(citationOf("demo_alpha"))).toEqual(["every-page", "refine", "search-box"]);
});

test("an address of no record rejects", () => {
  expect(() => pageOf("/record/demo_none/")).toThrow("not found");
});

test("a record under review says so at the top, above the button that copies, and in what is copied", () => {
  const record = town.record("Beta", { public_id: "demo_flagged" });
  town.see(record, town.asset(record), "a", "2026-04-28T10:00:00Z");
  town.review("flag", record);
  const flagged = contextOf(town.snapshot("2026-05-20T12:00:00Z"));
  const shown = (pathname: string) =>
    String(plainPageAt(pathname)?.document(new Site(flagged, join(town.ledger.folder, "site"))));
  const page = shown("/record/demo_flagged/");
  expect(page).toMatch(/<span class="tag warn">Under review<\/span>.*<h2 id="cite">/s);
  expect(page).toMatch(/<p class="notice"><strong>Under review.*data-copy="citation"/s);
  expect(page).toContain(`<blockquote id="citation">${REVIEW_NOTICE} &quot;<bdi translate="no">Beta</bdi>`);
  expect(page).toContain("Not ranked while under review.");
  const cited = shown(/\/cite\/demo_flagged[^/]*\//.exec(page)?.[0] ?? "");
  expect(cited).toContain(">Disputed</h2>");
  expect(cited).toContain(`<blockquote>${REVIEW_NOTICE}`);
  expect(shown("/record/demo_alpha/")).not.toContain("Under review");
});
