import { expect, test } from "vitest";
import { fakeCity, fakeRecord } from "../../tests/support/fake-rows.ts";
import { fakeContext } from "../../tests/support/fake-snapshot.ts";
import { NO_RESULT } from "../contract/claim-boundary.ts";
import type { RecordRow } from "../snapshot/rows.ts";
import { askedView } from "./index.ts";
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

function answer(query: string, within = context): string {
  return String(search.results(within, askedView("/search/", query)?.asked ?? { path: {}, query: {} }));
}

const itemsOf = (text: string) =>
  [...text.matchAll(/<li>([\s\S]*?)<\/li>/g)].map(([, item = ""]) =>
    item
      .replace(/<[^>]*>/g, "")
      .replace(/\s+/g, " ")
      .trim(),
  );

test("without arguments the most observed records, with where they stand", () => {
  const text = answer("");
  expect(text).toContain(
    "4 records, most observed first. Dates are days in the city&#39;s solar time. What is marked synthetic is made up for demonstration.",
  );
  const seen = "first seen 2026-03-21, last seen 2026-06-27";
  const where = "Alpha · Restaurants and mobile food service activities (ISIC 5610)";
  const made = "synthetic";
  expect(itemsOf(text)).toEqual([
    `Alpha &lt;b&gt;Bakery&lt;/b&gt; ${where} ranked 1 of 5 in its city · ${seen}`,
    `بقالة Bakery ${made} ${where} evidence building: industry not settled · ${seen}`,
    `Record 3 ${made} ${where} evidence building: 2 of 3 observers, 2 of 3 days, industry not settled · ${seen}`,
    `Record 4 ${made} ${where} dissolved by a review · ${seen}`,
  ]);
  expect(text).toContain('<a href="/record/demo_2/"><bdi translate="no">بقالة Bakery</bdi></a>');
});

test("a name finds a part of names, and is said again as text", () => {
  const text = answer("name=%3Cb%3EBak");
  expect(itemsOf(text)).toHaveLength(1);
  expect(text).toContain('Records with “<bdi translate="no">&lt;b&gt;Bak</bdi>” in their names</h2>');
});

test("more than it shows: it says so, and how to narrow", () => {
  const many = fakeContext({ records: Array.from({ length: 60 }, (_, at) => fakeRecord(at + 1)) });
  const text = answer("", many);
  expect(itemsOf(text)).toHaveLength(50);
  expect(text).toContain("The first 50, most observed first; there may be more. To narrow them,");
});

test("nothing found is told in the words of the contract, with what to try", () => {
  const text = answer("name=zebra&city=alpha&industry=I");
  expect(text).toContain(NO_RESULT.meaning);
  expect(text).toContain(NO_RESULT.limitation);
  expect(text).toContain("no evidence of absence");
  expect(text).toContain('<a href="/search/?name=zebra">the same name without filters</a>');
  expect(answer("online_presence=none")).toContain('<a href="/search/">all records without filters</a>');
  expect(answer("name=zebra")).not.toContain("without filters");
});

test.each([
  ["city=nowhere", 404],
  ["industry=zzz", 400],
  ["online_presence=x", 400],
  ["name=a&name=b", 400],
  [`name=${"a".repeat(201)}`, 400],
])("%s is refused", (query, status) => {
  expect(() => answer(query)).toThrow(expect.objectContaining({ status }));
});

test("the form keeps what was asked, an industry below the sections, too", () => {
  const query = { name: '"a"', city: "alpha", industry: "5610", online_presence: "none" };
  const form = String(search.form(context, { path: {}, query }));
  const chosen = [...form.matchAll(/<option value="([^"]*)" selected>/g)].map(([, value]) => value);
  expect(chosen).toEqual(["alpha", "5610", "none"]);
  expect(form).toContain('value="&quot;a&quot;"');
  expect(form.match(/<option value="[A-V]"/g)).toHaveLength(22);
});
