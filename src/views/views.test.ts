import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fakeCity, fakeRecord } from "../testing/release/fake-rows.ts";
import { fakeContext } from "../testing/release/fake-snapshot.ts";
import { askedView, viewAt, viewOfPage, views } from "./index.ts";
import { region } from "./region.ts";
import { argumentsIn } from "./view.ts";

const HOSTILE = `"><script>alert('1')</script><!--/view-->&amp;`;

const context = fakeContext({
  cities: [fakeCity(1, "Alpha")],
  records: [fakeRecord(1, { name: HOSTILE }), fakeRecord(2, {}, null)],
});

test("every view has a page, a name and an operation of its own", () => {
  for (const key of ["name", "operation", "path"] as const)
    expect(new Set(views.map((view) => view[key])).size).toBe(views.length);
  for (const { path, parameters } of views) {
    expect(path).toMatch(/^\/[a-z/{}]+\/$/);
    expect(parameters.length).toBeGreaterThan(0);
  }
});

test.each([
  ["/search/", "search", {}],
  ["/cite/", "cite", {}],
  ["/explorer/", "explorer", {}],
  ["/city/toronto/", "city", { city: "toronto" }],
])("%s is the page of %s", (pathname, name, path) => {
  expect(viewAt(pathname)).toMatchObject({ view: { name }, path });
});

test.each(["/", "/city/", "/city/a/b/", "/city/a", "/search", "/searching/", "/x/search/", "/city/a/cells/"])(
  "%s is no page of a view",
  (pathname) => {
    expect(viewAt(pathname)).toBeUndefined();
  },
);

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
  ])("%s", (query, asked) => {
    expect(askedView("/search/", query)?.asked.query).toEqual(asked);
  });

  test("whatever the query, only known parameters are seen, and none is blank", () => {
    fc.assert(
      fc.property(fc.webQueryParameters(), fc.constantFrom(...views), (text, view) => {
        const given = argumentsIn(view, text) ?? {};
        for (const [name, value] of Object.entries(given)) {
          expect(view.parameters).toContain(name);
          expect([value].flat().every((each) => each.trim() !== "")).toBe(true);
        }
      }),
    );
  });
});

describe.each(views)("$name", (view) => {
  const path = view.path.includes("{city}") ? { city: "alpha" } : {};

  test("whatever is written into the form stays text", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...view.parameters),
        fc.oneof(fc.constant(HOSTILE), fc.string()),
        (name, value) => {
          const form = String(view.form(context, { path, query: { [name]: value } }));
          expect(form).not.toMatch(/<script|<!--|-->/);
          expect(form.split('"').length % 2).toBe(1);
          expect(form.match(/<form/g)).toHaveLength(1);
        },
      ),
    );
  });

  test("its form has a labelled field for each argument but the cursor", () => {
    const form = String(view.form(context, { path, query: {} }));
    const names = [...form.matchAll(/ id="([^"]+)" name="([^"]+)"/g)];
    expect(names.map(([, , name]) => name).sort()).toEqual(
      view.parameters.filter((name) => name !== "cursor").sort(),
    );
    for (const [, id] of names) expect(form).toContain(`<label for="${id}">`);
  });

  test("the same is asked twice: the same is answered; and no id is there twice", () => {
    const first = String(region(view, context, { path, query: {} }));
    expect(String(region(view, context, { path, query: {} }))).toBe(first);
    const ids = [...first.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test("names from the data stay text, in whatever view", () => {
  for (const name of ["city", "search"] as const) {
    const text = String(viewOfPage(name, context, name === "city" ? { city: "alpha" } : {}));
    expect(text).toContain(
      "&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&lt;!--/view--&gt;&amp;amp;",
    );
    expect(text.match(/<!--\/view-->/g)).toHaveLength(1);
  }
});

test("a page that fixes an argument has no place for the server to fill, and no region for a script", () => {
  const fixed = String(viewOfPage("city", context, { city: "alpha", industry: "I" }));
  expect(fixed).not.toMatch(/<!--|data-view/);
  expect(fixed).toContain('action="/city/alpha/#records"');
  expect(fixed).toMatch(/<option value="I" selected>/);
});
