import { describe, expect, test } from "vitest";
import { formFor, questionPart } from "../../../tests/support/pages/compiled.ts";
import { fakeCity, fakeRecord } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { NO_RESULT } from "../../contract/records/claim-boundary.ts";
import type { RecordRow } from "../../snapshot/rows.ts";
import { argumentsIn } from "./query-page.ts";
import { search } from "./search.ts";

const standing = fakeRecord(1, {}, null).standing;
const short = { current: 2, required: 3, met: false };
const records: RecordRow[] = [
  fakeRecord(1, { name: "Alpha <b>Bakery</b>", isSynthetic: false }),
  fakeRecord(2, { name: "بقالة Bakery" }, null),
  fakeRecord(
    3,
    { standing: { ...standing, gate: { ...standing.gate, observers: short, days: short } } },
    null,
  ),
  fakeRecord(4, { recordStatus: "dissolved" }),
];
const context = fakeContext({ cities: [fakeCity(1, "Alpha")], records });

function answer(query: string, within = context): Promise<string> {
  return questionPart(search, within, { path: {}, query: argumentsIn(search, query) ?? {} });
}

const itemsOf = (text: string) =>
  [...text.matchAll(/<li>([\s\S]*?)<\/li>/g)].map(([, item = ""]) =>
    item
      .replace(/<[^>]*>/g, "")
      .replace(/\s+/g, " ")
      .trim(),
  );

test("without arguments the most observed records, with where they stand", async () => {
  const text = await answer("");
  expect(text).toContain(
    "4 records, most observed first. Dates are in the city&#39;s solar time. What is marked synthetic is made up for demonstration.",
  );
  expect(text).toContain("Searched: <bdi>Alpha</bdi>. Coverage confidence: medium.");
  const seen = "first seen 21 Mar 2026, last seen 27 Jun 2026";
  const where = "Alpha · Restaurants and mobile food service activities (ISIC 5610)";
  const made = "synthetic";
  expect(itemsOf(text)).toEqual([
    `Alpha &lt;b&gt;Bakery&lt;/b&gt; ${where} ranked 1 of 5 in its city · ${seen}`,
    `بقالة Bakery ${made} ${where} Gathering evidence · Not ranked yet: needs a reviewed industry · ${seen}`,
    `Record 3 ${made} ${where} Gathering evidence · Not ranked yet: needs 1 more observer, 1 more day and a reviewed industry · ${seen}`,
    `Record 4 ${made} ${where} dissolved by a review · ${seen}`,
  ]);
  expect(text).toContain('<a href="/record/demo_2/"><bdi translate="no">بقالة Bakery</bdi></a>');
});

test("a record of which nothing counts says so", async () => {
  const newcomers = fakeRecord(1, {}, null);
  const within = fakeContext({
    cities: [fakeCity(1, "Alpha")],
    records: [{ ...newcomers, setAsideCount: newcomers.observationCount }],
  });
  expect(itemsOf(await answer("", within))[0]).toContain("Nothing counts yet · Not ranked yet: needs");
});

test("a name finds a part of names, and is said again as text", async () => {
  const text = await answer("name=%3Cb%3EBak");
  expect(itemsOf(text)).toHaveLength(1);
  expect(text).toContain('Records with “<bdi translate="no">&lt;b&gt;Bak</bdi>” in the name</h2>');
});

describe("more than one page", () => {
  const named = (count: number) =>
    fakeContext({ records: Array.from({ length: count }, (_, at) => fakeRecord(at + 1)) });
  const nextOf = (text: string) => /<a [^>]*rel="next" href="([^"]*)">([^<]*)</.exec(text);

  test("each page says which part of how many it is, and leads to the next and the first", async () => {
    const context = named(120);
    const first = await answer("", context);
    expect(first).toContain("1 to 50 of 120 records, most observed first.");
    const [, href = "", label] = nextOf(first) ?? [];
    expect([itemsOf(first).length, label]).toEqual([50, "Next 50"]);
    expect(href).toMatch(/^\/search\/\?cursor=[\w-]+#results$/);
    const second = await answer(href.replace(/^[^?]*\?|#.*/g, ""), context);
    expect(second).toContain("51 to 100 of 120 records");
    const [, last = "", lastLabel] = nextOf(second) ?? [];
    expect(lastLabel).toBe("Next 20");
    const third = await answer(last.replace(/^[^?]*\?|#.*/g, ""), context);
    expect(third).toContain("101 to 120 of 120 records");
    expect(nextOf(third)).toBeNull();
    expect(third).toContain('<a class="button" href="/search/#results">First page</a>');
  });

  test("a total that was not counted to its end is said to be more", async () => {
    expect(await answer("", named(1001))).toContain(
      "1 to 50 of more than 1,000 records, most observed first.",
    );
  });

  test("the next page keeps the filters", async () => {
    const [, href] = nextOf(await answer("name=Record&city=Alpha", named(60))) ?? [];
    expect(href).toMatch(/^\/search\/\?name=Record&amp;city=alpha&amp;cursor=/);
  });
});

test("all cities that were searched are named, and many are counted", async () => {
  const cities = (count: number) => Array.from({ length: count }, (_, at) => fakeCity(at + 1, `C${at + 1}`));
  expect(
    await answer("", fakeContext({ cities: cities(3), records: [fakeRecord(1, { city: "c1" })] })),
  ).toContain(
    "Searched: <bdi>C1</bdi>, <bdi>C2</bdi> and <bdi>C3</bdi>. Lowest coverage confidence: medium (<bdi>C1</bdi>).",
  );
  expect(await answer("name=zebra", fakeContext({ cities: cities(13), records: [] }))).toContain(
    'Searched: <a href="/coverage/">13 cities</a>. Lowest coverage confidence: medium (<bdi>',
  );
});

test("a city that the service does not cover is told apart from an empty answer", async () => {
  const text = await answer("city=nowhere");
  expect(text).toContain("The service does not cover a city called “<bdi>nowhere</bdi>”. That does not mean");
  expect(text).not.toContain("Searched:");
  expect(await answer("city=ALPHA&name=zebra")).toContain("Searched: <bdi>Alpha</bdi>.");
});

test("website and map cell are said again, as they were understood", async () => {
  const sites = fakeContext({ records: [fakeRecord(1, { website: "https://example.org/x" })] });
  const text = await answer("website=WWW.Example.ORG", sites);
  expect(itemsOf(text)).toHaveLength(1);
  expect(text).toContain('Records with the website <bdi translate="no">example.org</bdi></h2>');
  expect(await answer("near=872b9bc04ffffff")).toContain("No record in and around this area</h2>");
  const both = await answer("name=zebra&website=example.org&near=872b9bc04ffffff");
  expect(both).toContain('<a href="/search/?name=zebra">the same name without filters</a>');
});

test("names that look alike are offered where nothing was found, as no match", async () => {
  const text = await answer("name=Recrod");
  expect(text).toContain("<h3>Did you mean</h3>");
  expect(text).toContain("None of them is taken as the one you searched for.");
  expect(itemsOf(text).slice(0, 2)).toEqual(["Record 3 synthetic Alpha", "Record 4 synthetic Alpha"]);
  for (const query of ["name=zebra", "name=Record", ""])
    expect(await answer(query)).not.toContain("Did you mean");
});

test("nothing found is told in the words of the contract, with what to try", async () => {
  const text = await answer("name=zebra&city=alpha&industry=I");
  expect(text).toContain(NO_RESULT.meaning);
  expect(text).toContain(NO_RESULT.limitation);
  expect(text).toContain("not evidence of absence");
  expect(text).toContain('<a href="/search/?name=zebra">the same name without filters</a>');
  expect(await answer("online_presence=none")).toContain(
    '<a href="/search/">all records without filters</a>',
  );
  expect(await answer("name=zebra")).not.toContain("without filters");
});

test("what the search refuses is refused here", async () => {
  await expect(answer("website=a b")).rejects.toThrow(expect.objectContaining({ status: 400 }));
});

test("the form keeps what was asked, an industry below the sections, too", async () => {
  const query = {
    name: '"a"',
    city: "alpha",
    industry: "5610",
    online_presence: "none",
    website: '"b"',
    near: "<i>",
  };
  const form = await formFor(search, context, { path: {}, query });
  const chosen = [...form.matchAll(/<option value="([^"]*)" selected>/g)].map(([, value]) => value);
  expect(chosen).toEqual(["alpha", "5610", "none"]);
  for (const value of ["&quot;a&quot;", "&quot;b&quot;", "<i>"]) expect(form).toContain(`value="${value}"`);
  expect(form.match(/<option value="[A-V]"/g)).toHaveLength(22);
});
