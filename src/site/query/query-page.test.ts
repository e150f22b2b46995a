import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formFor, partOf, questionPart, renderPage } from "../../../tests/support/pages/compiled.ts";
import { fakeCity, fakeRecord } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { PublicError } from "../../kernel/errors.ts";
import { city } from "./city.ts";
import { queryPages } from "./index.ts";
import { argumentsIn } from "./query-page.ts";
import { search } from "./search.ts";

describe("refusal", () => {
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
});

describe("query page", () => {
  const HOSTILE = `"><script>alert('1')</script><!-- -->&amp;`;

  const context = fakeContext({
    cities: [fakeCity(1, "Alpha")],
    records: [fakeRecord(1, { name: HOSTILE }), fakeRecord(2, {}, null)],
  });

  test("every page has an address, a name and an operation of its own", () => {
    for (const key of ["name", "operation", "path"] as const)
      expect(new Set(queryPages.map((page) => page[key])).size).toBe(queryPages.length);
    for (const { path, parameters } of queryPages) {
      expect(path).toMatch(/^\/[a-z_/{}-]+\/$/);
      expect(parameters.length).toBeGreaterThan(0);
    }
  });

  describe("arguments", () => {
    test.each([
      ["", undefined],
      ["utm_source=x&fbclid=y", undefined],
      ["name=", {}],
      ["name=%20&city=", {}],
      ["name=a+b&x=1", { name: "a b" }],
      ["name=a&name=", { name: "a" }],
      ["name=a&name=b", { name: ["a", "b"] }],
      ["name=%zz", { name: "%zz" }],
      ["__proto__=a&city=b", { city: "b" }],
      ["city=Guelph", { city: "guelph" }],
    ])("%s", (query, input) => {
      expect(argumentsIn(search, query)).toEqual(input);
    });

    test("whatever the query, only known parameters are seen, and none is blank", () => {
      fc.assert(
        fc.property(fc.webQueryParameters(), fc.constantFrom(...queryPages), (text, page) => {
          const given = argumentsIn(page, text) ?? {};
          for (const [name, value] of Object.entries(given)) {
            expect(page.parameters).toContain(name);
            expect([value].flat().every((each) => each.trim() !== "")).toBe(true);
          }
        }),
      );
    });
  });

  /** What stands between the values of attributes. */
  const withoutValues = (html: string) => html.replace(/"[^"]*"/g, '""');

  const PLACES = { city: "alpha", public_id: "demo_1" };

  describe.each(queryPages)("$name", (page) => {
    const path = Object.fromEntries(
      Object.entries(PLACES).filter(([name]) => page.path.includes(`{${name}}`)),
    );

    test("whatever is written into the form stays text", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...page.parameters),
          fc.oneof(fc.constant(HOSTILE), fc.string()),
          async (name, value) => {
            const form = await formFor(page, context, { path, query: { [name]: value } });
            expect(withoutValues(form)).not.toMatch(/<script|<!--|-->/);
            expect(form.split('"').length % 2).toBe(1);
            expect(withoutValues(form).match(/<form/g)).toHaveLength(1);
          },
        ),
      );
    });

    test("its form has a labelled field for each argument but the cursor", async () => {
      const form = await formFor(page, context, { path, query: {} });
      const names = [...form.matchAll(/ id="([^"]+)" name="([^"]+)"/g)];
      expect(names.map(([, , name]) => name).sort()).toEqual(
        page.parameters.filter((name) => name !== "cursor").sort(),
      );
      for (const [, id] of names) expect(form).toContain(`<label for="${id}">`);
    });

    test("the same is asked twice: the same is answered; and no id is there twice", async () => {
      const first = await questionPart(page, context, { path, query: {} });
      expect(await questionPart(page, context, { path, query: {} })).toBe(first);
      const ids = [...first.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      expect(new Set(ids).size).toBe(ids.length);
    });
  });

  test("names from the data stay text, in whatever page", async () => {
    for (const pathname of ["/city/alpha/", "/search/"])
      expect(await renderPage(pathname, context)).toContain(
        "&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&lt;!-- --&gt;&amp;amp;",
      );
  });

  test("a page that fixes an argument has no part for a script, and its form leads to the page of the city", async () => {
    const fixed = await renderPage("/city/alpha/industry/I/", context);
    expect(fixed).not.toMatch(/<!--|data-view/);
    expect(fixed).toContain('action="/city/alpha/#records"');
    expect(fixed).toMatch(/<option value="I" selected>/);
  });
});
