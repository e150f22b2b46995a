import { expect, test } from "vitest";
import { PublicError } from "../kernel/errors.ts";
import { html } from "../render/html.ts";
import { fakeContext } from "../testing/release/fake-snapshot.ts";
import { city } from "./city.ts";
import { filled, placed, refusedRegion, region } from "./region.ts";
import { search } from "./search.ts";

const context = fakeContext();
const alpha = { city: "alpha" };

test("a region is put where the build placed it, and nothing around it changes", () => {
  const page = `<p>a $& b</p>${placed(search, html`<i>old</i>`)}<p>c</p>`;
  const inner = html`<b>${"<!--/view--> $1"}</b>`;
  expect(filled(page, search, inner)).toBe("<p>a $& b</p><b>&lt;!--/view--&gt; $1</b><p>c</p>");
});

test("a page without the place is a fault of the release, also when it has that of another view", () => {
  expect(() => filled("<p></p>", search, "")).toThrow("no place for the view search");
  expect(() => filled(String(placed(city, html``)), search, "")).toThrow("no place");
  expect(() => filled("<!--view:search--><p></p>", search, "")).toThrow("no place");
});

test("a script can tell an answer from the file", () => {
  expect(String(region(search, context, { path: {}, query: {} }))).toMatch(/^<div data-view="search">/);
  expect(String(region(search, context, { path: {}, query: { name: "Record" } }))).toMatch(
    /^<div data-view="search" data-asked>/,
  );
});

const cursor = "abc";
test.each([
  [{ industry: "zzz" }, 400, "Start again without filters", "/city/alpha/"],
  [{ industry: "I", cursor }, 410, "Start again from the first page", "/city/alpha/?industry=I"],
  [{ industry: "I", cursor }, 400, "Start again from the first page", "/city/alpha/?industry=I"],
  [{}, 404, "Start again", "/city/alpha/"],
  [{ industry: "I" }, 429, "Try again", "/city/alpha/?industry=I"],
  [{ industry: "I", cursor }, 503, "Try again", "/city/alpha/?industry=I&amp;cursor=abc"],
])("what is refused is said with a way on: %j, %i", (query, status, text, href) => {
  const error = new PublicError(status, "parameter x: is <wrong>");
  const refused = String(refusedRegion(city, context, { path: alpha, query }, error));
  expect(refused).toContain('role="alert"');
  expect(refused).toContain("Parameter x: is &lt;wrong&gt;.");
  expect(refused).toContain(`<a href="${href}">${text}</a>`);
  expect(refused).toContain("<form");
});
