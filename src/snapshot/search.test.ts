import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NameMatch, OnlinePresence } from "../contract/enums.ts";
import { isUnder } from "../contract/industry.ts";
import { nameKey } from "../kernel/name-key.ts";
import { foldName } from "./fold-name.ts";
import { openSearch, type Search, type SearchFilters } from "./search.ts";
import { buildSearchIndex, SEARCH_COLUMNS, type SearchSource } from "./search-index.ts";

function built(rows: Iterable<SearchSource>): Database.Database {
  const db = new Database(":memory:");
  buildSearchIndex(db, rows);
  return db;
}

function record(position: number, name: string, facets: Partial<SearchSource> = {}): SearchSource {
  return { position, name, city: "toronto", industry: "5610", onlinePresence: "unknown", ...facets };
}

function searchNames(...names: string[]): Search {
  return openSearch(built(names.map((name, index) => record(index + 1, name))));
}

function scan(rows: readonly SearchSource[], filters: SearchFilters): number[] {
  return named(rows, filters)
    .filter((row) => filters.city === undefined || row.city === filters.city)
    .filter((row) => filters.industry === undefined || isUnder(row.industry ?? "", filters.industry))
    .filter((row) => filters.onlinePresence === undefined || row.onlinePresence === filters.onlinePresence)
    .slice(0, filters.limit)
    .map((row) => row.position);
}

/** Display order; with `same` the exact spelling first. */
function named(rows: readonly SearchSource[], { name, nameMatch }: SearchFilters): SearchSource[] {
  if (name === undefined || nameMatch !== "same")
    return rows.filter((row) => foldName(row.name).includes(foldName(name ?? "")));
  const isExact = (row: SearchSource) => row.name.normalize("NFC").trim() === name.normalize("NFC").trim();
  const isSame = (row: SearchSource) => nameKey(name) !== "" && nameKey(row.name) === nameKey(name);
  return [...rows.filter(isExact), ...rows.filter((row) => isSame(row) && !isExact(row))];
}

describe("search by name", () => {
  const search = searchNames(
    "Café Müller",
    "東京ラーメン",
    "100% Straße_1",
    "The Müll Depot",
    'Joe\'s "Best" *Deli*',
    "🍕 Pizza",
  );

  test.each([
    ["cafe", [1]],
    ["MÜLL", [1, 4]],
    ["strasse", [3]],
    ["東京", [2]],
    ["京", [2]],
    ["é m", [1, 4]],
    ["e", [1, 3, 4, 5]],
    ["🍕", [6]],
    ["mullet", []],
    ["%", [3]],
    ["_", [3]],
    ["*", [5]],
    ['"', [5]],
    ["?", []],
    ["' OR 1=1 --", []],
    ["NEAR(muller)", []],
    ["mull*", []],
    ["mul\u0000l", []],
    ["city:toronto", []],
    ["\ud83c", []],
    ["x".repeat(200), []],
  ])("%j finds %j", (name, positions) => {
    expect(search({ name, limit: 100 })).toEqual(positions);
  });

  test.each(["", "  ", "\t\u0000", "\u0301", "\u200b"])("%j is no filter", (name) => {
    expect(search({ name, limit: 4 })).toEqual([1, 2, 3, 4]);
  });

  test("the parts of a needle must stand together", () => {
    expect(searchNames("abcx bcd", "bcd abc", "xabcdx")({ name: "abcd", limit: 9 })).toEqual([3]);
  });
});

describe("search by the same name", () => {
  const search = searchNames(
    "SUBWAY #12",
    "Café Olé, S.A. de C.V.",
    "Subway",
    "Subway Station Grill",
    "subway",
    "Cafe Ole",
    "The Subway Inc.",
    "#12",
    "---",
    "Store 0045",
    "東京ラーメン",
    "=subway",
  );
  const same = (name: string, limit = 100) => search({ name, nameMatch: "same", limit });

  test.each([
    ["Subway", [3, 1, 5, 7, 12]],
    ["subway", [5, 1, 3, 7, 12]],
    [" SUBWAY No. 7 ", [1, 3, 5, 7, 12]],
    ["=subway", [12, 1, 3, 5, 7]],
    ["CAFÉ OLÉ", [2, 6]],
    ["Cafe\u0301 Ole\u0301, S.A. de C.V.", [2, 6]],
    ["Subwa", []],
    ["Station", []],
    ["東京ラーメン", [11]],
    ["東京", []],
  ])("%j finds %j", (name, positions) => {
    expect(same(name)).toEqual(positions);
  });

  test.each([
    ["#12", [8]],
    ["---", [9]],
    ["Store 0045", [10]],
    ["#13", []],
    ["", []],
    [" ", []],
    ["\u200b", []],
    ["\ud800", []],
    ["\u0000", []],
    ["%", []],
    ["' OR 1=1 --", []],
    ["city:toronto", []],
    ["#".repeat(200), []],
    ["#1".repeat(100), []],
  ])(
    "%j, of which normalisation leaves nothing or something unknown, finds no more than itself",
    (name, positions) => {
      expect(same(name)).toEqual(positions);
    },
  );

  test("the limit holds, and the exact name comes first within it", () => {
    expect(same("The Subway Inc.", 1)).toEqual([7]);
    expect(same("The Subway Inc.", 3)).toEqual([7, 1, 3]);
    expect(searchNames("A", "A", "a", "A")({ name: "A", nameMatch: "same", limit: 2 })).toEqual([1, 2]);
  });

  test("without a name it filters nothing", () => {
    expect(search({ nameMatch: "same", limit: 2 })).toEqual([1, 2]);
  });
});

describe("search by facet", () => {
  const search = openSearch(
    built([
      record(1, "One", { industry: "5610" }),
      record(2, "Two", { industry: "56", city: "chicago" }),
      record(3, "Three", { industry: null, onlinePresence: "none" }),
      record(4, "Four", { industry: "I", city: "chicago", onlinePresence: "none" }),
      record(5, "Five", { industry: "4711" }),
    ]),
  );

  test("an industry matches everything below it", () => {
    const found = (industry: string) => search({ industry, limit: 100 });
    expect(found("I")).toEqual([1, 2, 4]);
    expect(found("56")).toEqual([1, 2]);
    expect(found("561")).toEqual([1]);
    expect(found("5610")).toEqual([1]);
    expect(found("5")).toEqual([]);
  });

  test("filters combine", () => {
    expect(search({ city: "chicago", limit: 100 })).toEqual([2, 4]);
    expect(search({ city: "chicago", onlinePresence: "none", limit: 100 })).toEqual([4]);
    expect(search({ city: "chicago", industry: "I", name: "t", limit: 100 })).toEqual([2]);
    expect(search({ city: "paris", limit: 100 })).toEqual([]);
    expect(search({ limit: 2 })).toEqual([1, 2]);
  });

  test("the same name is looked for among the records that the filters leave", () => {
    const chain = openSearch(
      built([
        record(1, "Chain #1", { city: "chicago" }),
        record(2, "Chain", { city: "chicago", onlinePresence: "none" }),
        record(70_000, "Chain", { industry: "4711" }),
        record(140_000, "CHAIN", { city: "chicago" }),
      ]),
    );
    const same = (filters: Partial<SearchFilters>) =>
      chain({ name: "Chain", nameMatch: "same", limit: 9, ...filters });
    expect(same({})).toEqual([2, 70_000, 1, 140_000]);
    expect(same({ city: "chicago" })).toEqual([2, 1, 140_000]);
    expect(same({ city: "toronto" })).toEqual([70_000]);
    expect(same({ industry: "G" })).toEqual([70_000]);
    expect(same({ city: "chicago", onlinePresence: "none" })).toEqual([2]);
    expect(same({ city: "toronto", industry: "5610" })).toEqual([]);
    expect(same({ city: "paris" })).toEqual([]);
  });
});

describe("search against a plain scan", () => {
  const character = fc.constantFrom(..."aaabbcéÉeßsıİ東京🍕 .%'\"");
  const text = (maxLength: number) =>
    fc.array(character, { maxLength }).map((characters) => characters.join(""));
  const facets = {
    city: fc.constantFrom("toronto", "chicago"),
    onlinePresence: fc.constantFrom(...OnlinePresence.options),
  };
  // Gaps of up to a block, so that few rows spread over several blocks.
  const gap = fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 70_000 }));
  const name = fc.oneof(
    text(12),
    fc.constantFrom("Café", "CAFE #1", "The Cafe Inc.", "cafe", "Ab", "AB, Ltd.", "#1", "#2", "--", "="),
  );
  const row = fc.record({
    gap,
    name,
    industry: fc.constantFrom("5610", "56", "I", "4711", null),
    ...facets,
  });
  const filters = fc.record(
    {
      name: fc.oneof(text(6), name),
      nameMatch: fc.constantFrom(...NameMatch.options),
      industry: fc.constantFrom("I", "56", "5610", "G", "999"),
      ...facets,
      limit: fc.integer({ min: 1, max: 9 }),
    },
    { requiredKeys: ["limit"] },
  );

  test("random names and filters", () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 30 }), fc.array(filters, { minLength: 5 }), (gaps, queries) => {
        let position = 0;
        const rows = gaps.map(({ gap: step, ...rest }) => {
          position += step;
          return { position, ...rest };
        });
        const db = built(rows);
        const search = openSearch(db);
        for (const query of queries) expect(search(query)).toEqual(scan(rows, query));
        db.close();
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  test("sets large enough for bitmaps", () => {
    const rows = Array.from({ length: 70_000 }, (_, index) =>
      record(index + 1, `Shop #${index % 977}`, { city: index % 3 === 0 ? "chicago" : "toronto" }),
    );
    const search = openSearch(built(rows));
    for (const name of ["shop", "p", "p #97", "hop #976", "6", "7 "])
      for (const city of ["chicago", undefined])
        for (const limit of [3, 100, 50_000])
          expect(search({ name, city, limit })).toEqual(scan(rows, { name, city, limit }));
    const filters = { name: "Shop #5", nameMatch: "same", city: "chicago", limit: 50_000 } as const;
    expect(search(filters)).toEqual(scan(rows, filters));
  });
});

describe("the search tables", () => {
  const rows = ["Café", "東京", "Zebra & Co"].map((name, index) => record(index * 70_000 + 1, name));

  test("the same rows give the same bytes", () => {
    expect(built(rows).serialize().equals(built(rows).serialize())).toBe(true);
  });

  test("every column is in the list of public columns, and nothing else", () => {
    const columns = built(rows)
      .prepare(
        'SELECT m.name AS "table", c.name AS "column" FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = \'table\'',
      )
      .all();
    expect(columns).toHaveLength(SEARCH_COLUMNS.length);
    expect(columns).toEqual(expect.arrayContaining([...SEARCH_COLUMNS]));
  });

  test("positions must ascend from 1", () => {
    expect(() => built([record(0, "zero")])).toThrow(RangeError);
    expect(() => built([record(2, "two"), record(2, "again")])).toThrow(RangeError);
  });

  test("a failed build leaves nothing", () => {
    const db = new Database(":memory:");
    expect(() => buildSearchIndex(db, [record(1, "one"), record(1, "again")])).toThrow(RangeError);
    expect(db.prepare("SELECT count(*) FROM sqlite_schema").pluck().get()).toBe(0);
  });

  test("an index without records finds nothing", () => {
    const search = openSearch(built([]));
    expect(search({ limit: 10 })).toEqual([]);
    expect(search({ name: "a", limit: 10 })).toEqual([]);
  });
});
