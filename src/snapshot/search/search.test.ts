import Database from "better-sqlite3";
import fc from "fast-check";
import { cellToParent, gridDisk, latLngToCell } from "h3-js";
import { describe, expect, test } from "vitest";
import { isUnder } from "../../contract/cities/industry.ts";
import { NameMatch, OnlinePresence } from "../../contract/enums.ts";
import { readWebsite } from "../../kernel/text/contacts.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import { openSearch, type Search, type SearchPage } from "./search.ts";
import { buildSearchIndex, SEARCH_TABLES, type SearchSource } from "./search-index.ts";
import { foldName } from "./search-terms.ts";

function built(rows: Iterable<SearchSource>): Database.Database {
  const db = new Database(":memory:");
  buildSearchIndex(db, rows);
  return db;
}

function record(position: number, name: string, facets: Partial<SearchSource> = {}): SearchSource {
  const known = { city: "toronto", industry: "5610", website: null, fixedCells: [] };
  return { position, name, onlinePresence: "unknown", ...known, ...facets };
}

function searchNames(...names: string[]): Search["find"] {
  return openSearch(built(names.map((name, index) => record(index + 1, name)))).find;
}

/** Every match, as a look at each record finds them. */
function scan(rows: readonly SearchSource[], filters: Omit<SearchPage, "limit">): number[] {
  return named(rows, filters)
    .filter((row) => filters.city === undefined || row.city === filters.city)
    .filter((row) => filters.industry === undefined || isUnder(row.industry ?? "", filters.industry))
    .filter((row) => filters.onlinePresence === undefined || row.onlinePresence === filters.onlinePresence)
    .filter(({ website }) => filters.website === undefined || leadsTo(website, filters.website))
    .filter(
      ({ fixedCells }) => filters.near === undefined || fixedCells.some((cell) => isNear(cell, filters.near)),
    )
    .map((row) => row.position);
}

function leadsTo(website: string | null, key: string): boolean {
  const read = website === null ? undefined : readWebsite(website);
  return read !== undefined && [read.host, read.lookUpKey].includes(key);
}

function isNear(cell: string, near = ""): boolean {
  return gridDisk(near, 1).includes(cellToParent(cell, 7));
}

/** Display order; with `same` the exact spelling first. */
function named(
  rows: readonly SearchSource[],
  { name, nameMatch }: Omit<SearchPage, "limit">,
): SearchSource[] {
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
    "\u06a9\u062a\u0627\u0628\u200c\u0641\u0631\u0648\u0634\u06cc", // Persian, with a joiner
    "\u06a9\u062a\u0627\u0628\u0641\u0631\u0648\u0634\u06cc", // the same without
    "Joe`s",
  );

  test.each([
    ["cafe", [1]],
    ["MÜLL", [1, 4]],
    ["strasse", [3]],
    ["東京", [2]],
    ["京", [2]],
    ["é m", [1, 4]],
    ["e", [1, 3, 4, 5, 9]],
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
    ["\u06a9\u062a\u0627\u0628\u200c\u0641\u0631", [7, 8]],
    ["\u06a9\u062a\u0627\u0628\u0641\u0631", [7, 8]],
    ["joe’s", [5, 9]],
    ["joe´S", [5, 9]],
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
  const { find: search } = openSearch(
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
    const { find: chain } = openSearch(
      built([
        record(1, "Chain #1", { city: "chicago" }),
        record(2, "Chain", { city: "chicago", onlinePresence: "none" }),
        record(70_000, "Chain", { industry: "4711" }),
        record(140_000, "CHAIN", { city: "chicago" }),
      ]),
    );
    const same = (filters: Partial<SearchPage>) =>
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

describe("search by website", () => {
  const sites = [
    "https://joes.example",
    "http://www.joes.example/menu",
    "https://facebook.com/Joes",
    "https://m.facebook.com/annas",
    "https://joes.example.org",
    null,
  ];
  const { find } = openSearch(built(sites.map((website, at) => record(at + 1, "Joe's", { website }))));

  test.each([
    ["joes.example", [1, 2]],
    ["facebook.com", [3, 4]],
    ["facebook.com/joes", [3]],
    ["facebook.com/annas", [4]],
    ["example", []],
    ["", []],
    ["%", []],
    ["joes.example/menu", []],
  ])("%j finds %j", (website, positions) => {
    expect(find({ website, limit: 9 })).toEqual(positions);
  });

  test("a name that looks like the key of a website finds itself only", () => {
    const { find } = openSearch(
      built([record(1, "website=joes.example"), record(2, "x", { website: "https://joes.example" })]),
    );
    for (const nameMatch of NameMatch.options)
      expect(find({ name: "website=joes.example", nameMatch, limit: 9 })).toEqual([1]);
    expect(find({ website: "joes.example", limit: 9 })).toEqual([2]);
  });
});

describe("search near a map cell", () => {
  const here = latLngToCell(43.65, -79.38, 8);
  const cells = gridDisk(here, 12);
  const { find } = openSearch(built(cells.map((cell, at) => record(at + 1, "Shop", { fixedCells: [cell] }))));

  test("the cell and the six around it, and no further", () => {
    const near = cellToParent(here, 7);
    const found = find({ near, limit: 1000 }).map((position) => cells[position - 1] ?? "");
    expect(new Set(found.map((cell) => cellToParent(cell, 7)))).toEqual(new Set(gridDisk(near, 1)));
    expect(found).toHaveLength(cells.filter((cell) => isNear(cell, near)).length);
    expect(found.length).toBeLessThan(cells.length);
  });

  test("a cell of another resolution or far away has none", () => {
    expect(find({ near: here, limit: 9 })).toEqual([]);
    expect(find({ near: latLngToCell(0, 0, 7), limit: 9 })).toEqual([]);
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
  const cells = gridDisk(latLngToCell(43.65, -79.38, 8), 6);
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
    website: fc.constantFrom(null, null, "https://a.example", "https://www.a.example/b", "https://x.com/a"),
    fixedCells: fc.subarray([...cells], { maxLength: 2 }),
    ...facets,
  });
  const filters = fc.record(
    {
      name: fc.oneof(text(6), name),
      nameMatch: fc.constantFrom(...NameMatch.options),
      industry: fc.constantFrom("I", "56", "5610", "G", "999"),
      website: fc.constantFrom("a.example", "x.com", "x.com/a", "b.example"),
      near: fc.constantFrom(...new Set(cells.map((cell) => cellToParent(cell, 7)))),
      ...facets,
      limit: fc.integer({ min: 1, max: 9 }),
    },
    { requiredKeys: ["limit"] },
  );

  test("random names and filters: all pages together are the whole, in its order, and the count is its length", () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 30 }), fc.array(filters, { minLength: 5 }), (gaps, queries) => {
        let position = 0;
        const rows = gaps.map(({ gap: step, ...rest }) => {
          position += step;
          return { position, ...rest };
        });
        const db = built(rows);
        const search = openSearch(db);
        for (const query of queries) {
          const all = scan(rows, query);
          expect(pagesOf(search, query)).toEqual(all);
          for (const max of [1, 5, 1000]) expect(search.count(query, max)).toBe(Math.min(all.length, max));
        }
        db.close();
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  test("no place to begin from breaks a search", () => {
    const { find } = openSearch(built([record(1, "Ab"), record(70_000, "AB, Ltd."), record(140_000, "ab")]));
    for (const after of [1, 2, 69_999, 140_000, 2 ** 31, 2 ** 40])
      for (const nameMatch of NameMatch.options)
        for (const name of ["ab", "AB, Ltd.", undefined])
          expect(find({ name, nameMatch, limit: 9, after }).length).toBeLessThan(4);
  });

  test("sets large enough for bitmaps", () => {
    const rows = Array.from({ length: 70_000 }, (_, index) =>
      record(index + 1, `Shop #${index % 977}`, { city: index % 3 === 0 ? "chicago" : "toronto" }),
    );
    const search = openSearch(built(rows));
    for (const name of ["shop", "p", "p #97", "hop #976", "6", "7 "])
      for (const city of ["chicago", undefined]) {
        const all = scan(rows, { name, city });
        for (const limit of [3, 100, 50_000])
          expect(search.find({ name, city, limit })).toEqual(all.slice(0, limit));
        expect(search.find({ name, city, limit: 9, after: all.at(-4) ?? 0 })).toEqual(all.slice(-3));
      }
    const filters = { name: "Shop #5", nameMatch: "same", city: "chicago" } as const;
    expect(pagesOf(search, { ...filters, limit: 5000 })).toEqual(scan(rows, filters));
  });
});

/** The matches of all pages, each page beginning where the one before ended. */
function pagesOf({ find }: Search, query: SearchPage): number[] {
  const found: number[] = [];
  for (;;) {
    const page = find({ ...query, after: found.at(-1) ?? 0 });
    expect(page.length).toBeLessThanOrEqual(query.limit);
    if (page.length === 0) return found;
    found.push(...page);
  }
}

describe("the search tables", () => {
  const rows = ["Café", "東京", "Zebra & Co"].map((name, index) => record(index * 70_000 + 1, name));

  test("the same rows give the same bytes", () => {
    expect(built(rows).serialize().equals(built(rows).serialize())).toBe(true);
  });

  test("every column is in the list of public columns, and nothing else", () => {
    const columns = built(rows)
      .prepare(
        "SELECT m.name || '.' || c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table'",
      )
      .pluck()
      .all();
    expect(columns.sort()).toEqual(
      SEARCH_TABLES.flatMap(({ name, names }) => names.map((column) => `${name}.${column}`)).sort(),
    );
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
    const { find, count } = openSearch(built([]));
    expect(find({ limit: 10 })).toEqual([]);
    expect(find({ name: "a", limit: 10 })).toEqual([]);
    expect(count({}, 10)).toBe(0);
  });
});
