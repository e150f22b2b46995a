import { expect, test } from "vitest";
import { partOf, questionPart, renderPage } from "../../../tests/support/pages/compiled.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { PublicError } from "../../kernel/errors.ts";
import { city } from "./city.ts";
import { search } from "./search.ts";

const context = fakeContext();
const alpha = { city: "alpha" };

test("a script can tell an answer from the file", async () => {
  expect(partOf(search, await renderPage("/search/", context))).toMatch(/^<div data-view="search">/);
  expect(await questionPart(search, context, { path: {}, query: { name: "Record" } })).toMatch(
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
])("what is refused is said with a way on: %j, %i", async (query, status, text, href) => {
  const error = new PublicError(status, "x is <wrong>");
  const locals = city.refused({ path: alpha, query }, error);
  const part = partOf(city, await renderPage("/city/alpha/", context, locals));
  expect(part).toContain('role="alert"');
  expect(part).toContain("X is &lt;wrong&gt;.");
  expect(part).toContain(`<a href="${href}">${text}</a>`);
  expect(part).toContain("<form");
});
