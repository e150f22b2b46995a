import fc from "fast-check";
import { gridDisk, latLngToCell } from "h3-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { day, fakeCity, fakeRecord } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { TestTown, TORONTO } from "../../../tests/support/release/town-release.ts";
import { NameMatch } from "../../contract/enums.ts";
import { NO_CITY_NOTE, NOT_COVERED_NOTE } from "../../contract/records/claim-boundary.ts";
import type { ReadContext } from "../define.ts";
import { contextOf } from "../release-store.ts";
import { recordPlaces, search } from "./search.ts";

describe("record places", () => {
  const FIXED = { cell: "882b9bc001fffff", observations: 4, lastObserved: day(1) };

  test("fixed assets have cells, and the wide cells of mobile ones are the city", () => {
    const wide = [
      { cell: "852b9bc3fffffff", observations: 2, lastObserved: day(5) },
      { cell: "852b9bc7fffffff", observations: 1, lastObserved: day(3) },
    ];
    expect(recordPlaces(fakeContext({ recordCells: [...wide, FIXED] }), "demo_1")).toEqual({
      cells: [{ h3_cell: "882b9bc001fffff", observations: 4, last_observed: "2026-06-28" }],
      city: { observations: 3, last_observed: "2026-06-26" },
    });
  });

  test("a record without mobile assets, and an unknown one", () => {
    const context = fakeContext({ recordCells: [FIXED] });
    expect(recordPlaces(context, "demo_1").city).toBeNull();
    expect(recordPlaces(context, "demo_nobody")).toEqual({ cells: [], city: null });
  });
});

describe("search", () => {
  const alpha = fakeCity(1, "Alpha");
  const beta = fakeCity(2, "Beta", {
    coverage: {
      ...alpha.coverage,
      tier: "seed",
      level: "low",
      metrics: { ...alpha.coverage.metrics, observed_cells_90d: 3 },
    },
  });
  const context = fakeContext({
    cities: [alpha, beta],
    records: [fakeRecord(1), fakeRecord(2, { city: "beta" }), fakeRecord(3)],
  });

  test("echoes the filters, null for those not given", () => {
    expect(search.read(context, {}, { name: " Record ", city: "alpha" })).toMatchObject({
      query: {
        name: "Record",
        name_match: "contains",
        city: "alpha",
        industry: null,
        online_presence: null,
        website: null,
        near: null,
      },
      count: 2,
    });
  });

  test("name_match=same finds other spellings, the exact one first, and no longer names", () => {
    const names = ["RECORD 1 #7", "Record 1", "Record 12"];
    const spelt = fakeContext({ records: names.map((name, index) => fakeRecord(index + 1, { name })) });
    const { query, results } = search.read(spelt, {}, { name: "Record 1", name_match: "same" });
    expect(query).toMatchObject({ name: "Record 1", name_match: "same" });
    expect(results.map(({ name }) => name)).toEqual(["Record 1", "RECORD 1 #7"]);
  });

  test("name_match without a name is harmless, a wrong one is named", () => {
    const { query, count } = search.read(context, {}, { name_match: "same" });
    expect([query["name_match"], count]).toEqual([null, 3]);
    expect(() => search.read(context, {}, { name: "a", name_match: "exact" })).toThrow(/^name_match /);
  });

  test("without a city all cities are searched, found in or not, and the answer is as sure as the sparsest", () => {
    for (const query of [{}, { name: "nothing" }, { industry: "4711" }]) {
      const answer = search.read(context, {}, query);
      expect(answer).toMatchObject({
        coverage_status: "seed",
        coverage_message: "2 cities searched. Beta has the lowest coverage: Alpha is being observed.",
        searched_cities: ["alpha", "beta"],
        searched_city_count: 2,
        coverage_confidence: { level: "low", observed_cells: 3 },
      });
      expect(answer.coverage_confidence.note).toMatch(/^Of 2 cities, Beta has the lowest coverage\. /);
    }
  });

  test("with a city it is that city's, in any case, found or not", () => {
    for (const [city, name, count] of [
      ["alpha", "nothing", 0],
      ["Alpha", "Record", 2],
      ["ALPHA", "Record", 2],
    ] as const)
      expect(search.read(context, {}, { city, name })).toMatchObject({
        query: { city: "alpha" },
        count,
        coverage_status: "building",
        coverage_message: "Alpha is being observed.",
        searched_cities: ["alpha"],
        searched_city_count: 1,
        coverage_confidence: { level: "medium" },
      });
  });

  const nowhere = latLngToCell(0, 0, 7);

  test.each([{ city: "gamma" }, { near: nowhere }, { city: "Gamma", name: "Record", near: nowhere }])(
    "%o concerns no city of the service, and nothing follows from it",
    (query) => {
      expect(search.read(context, {}, query)).toMatchObject({
        count: 0,
        total_count: 0,
        results: [],
        coverage_status: "not_covered",
        coverage_message: NOT_COVERED_NOTE,
        searched_cities: [],
        searched_city_count: 0,
        coverage_confidence: { level: "none", observed_cells: 0, note: NO_CITY_NOTE },
      });
    },
  );

  test("of very many cities the first are named and all are counted", () => {
    const cities = Array.from({ length: 101 }, (_, at) => fakeCity(at + 1, `C${at}`));
    const answer = search.read(fakeContext({ cities, records: [] }), {}, {});
    expect(answer.searched_cities).toEqual(cities.slice(0, 100).map(({ slug }) => slug));
    expect(answer.searched_city_count).toBe(101);
  });

  /** All pages of a search, and the answers. */
  function pagesOf(context: ReadContext, query: Readonly<Record<string, string>>) {
    const answers = [search.read(context, {}, query)];
    for (let cursor = answers[0]?.next_cursor; cursor; cursor = answers.at(-1)?.next_cursor ?? null)
      answers.push(search.read(context, {}, { ...query, cursor }));
    return { answers, ids: answers.flatMap(({ results }) => results.map(({ public_id }) => public_id)) };
  }

  describe("pages", () => {
    const many = fakeContext({ records: Array.from({ length: 1003 }, (_, at) => fakeRecord(at + 1)) });

    test("each match is on one page, and every page says the same of the whole", () => {
      const { answers, ids } = pagesOf(many, { name: "Record 9", limit: "30" });
      expect(ids).toEqual(
        many.snapshot.search({ name: "Record 9", limit: 2000 }).map(({ publicId }) => publicId),
      );
      expect(answers.map(({ count }) => count)).toEqual([30, 30, 30, 21]);
      for (const [at, answer] of answers.entries())
        expect(answer).toMatchObject({
          total_count: 111,
          total_is_lower_bound: false,
          has_more: at < 3,
          release_id: many.snapshot.release().releaseId,
        });
    });

    test("a total above 1,000 is a lower bound, and pages go on behind it", () => {
      const { answers, ids } = pagesOf(many, { limit: "100" });
      expect(ids).toHaveLength(1003);
      for (const answer of answers)
        expect(answer).toMatchObject({ total_count: 1000, total_is_lower_bound: true });
      const thousand = fakeContext({ records: Array.from({ length: 1000 }, (_, at) => fakeRecord(at + 1)) });
      expect(search.read(thousand, {}, {})).toMatchObject({ total_count: 1000, total_is_lower_bound: false });
    });

    test("a cursor holds however a filter is spelt", () => {
      const records = [1, 2, 3].map((at) => fakeRecord(at, { website: "https://example.org" }));
      const context = fakeContext({ records });
      const { next_cursor } = search.read(context, {}, { city: "Alpha", website: "example.org", limit: "1" });
      const query = { city: "alpha", website: "https://WWW.example.org/x", cursor: next_cursor ?? "" };
      expect(search.read(context, {}, query).count).toBe(2);
    });
  });

  describe("hostile look-ups", () => {
    test.each([
      ["website", " "],
      ["website", "javascript:alert(1)"],
      ["website", "a@example.org"],
      ["website", "localhost"],
      ["website", `${"a".repeat(200)}.example`],
      ["website", "' OR 1=1 --"],
      ["near", ""],
      ["near", "toronto"],
      ["near", "43.65,-79.38"],
      ["near", latLngToCell(TORONTO.lat, TORONTO.lng, 6)],
      ["near", latLngToCell(TORONTO.lat, TORONTO.lng, 8)],
      ["near", "872b9bc04fffff"],
      ["near", "0872b9bc04fffff"],
      ["near", "87fffffffffffff"],
      ["near", "000000000000000"],
      ["near", "'; DROP TABLE x--"],
      ["city", " "],
    ])("%s=%j is refused by its name", (parameter, value) => {
      expect(() => search.read(context, {}, { [parameter]: value })).toThrow(
        expect.objectContaining({
          status: 400,
          message: expect.stringMatching(new RegExp(`^${parameter} `)),
        }),
      );
    });

    test("any text is an answer or a 400", () => {
      fc.assert(
        fc.property(
          fc.constantFrom("website", "near", "city"),
          fc.string({ unit: "binary" }),
          (name, text) => {
            try {
              search.read(context, {}, { [name]: text });
            } catch (error) {
              expect(error).toMatchObject({ status: 400 });
            }
          },
        ),
      );
    });
  });

  describe("over a real release", () => {
    const town = new TestTown();
    const cell = latLngToCell(TORONTO.lat, TORONTO.lng, 8);
    const near = latLngToCell(TORONTO.lat, TORONTO.lng, 7);
    let real: ReadContext;
    const named = (query: Readonly<Record<string, string>>) =>
      search.read(real, {}, query).results.map(({ name }) => name);

    beforeAll(() => {
      town.city("toronto");
      town.city("chicago", { lat: 41.88, lng: -87.63 });
      const seen = (name: string, type: "storefront" | "vehicle_wrap", h3_cell: string, website?: string) => {
        const record = town.record(name, website === undefined ? {} : { website });
        return town.see(record, town.asset(record, type), "a", "2026-04-28T10:00:00Z", {
          asset_type: type,
          h3_cell,
        });
      };
      seen("Shop", "storefront", cell, "https://www.joes.example/toronto");
      seen("Van", "vehicle_wrap", near, "https://facebook.com/joes");
      town.review("reject", seen("Doubtful", "storefront", cell, "https://joes.example"));
      seen("Far", "storefront", gridDisk(cell, 40).at(-1) ?? "");
      real = contextOf(town.snapshot("2026-05-20T12:00:00Z"));
    });
    afterAll(() => town[Symbol.dispose]());

    test("near: accepted observations of fixed assets, and no mobile ones", () => {
      expect(named({ near })).toEqual(["Shop"]);
      expect(named({ near: near.toUpperCase() })).toEqual(["Shop"]);
      for (const around of gridDisk(near, 1)) expect(named({ near: around })).toEqual(["Shop"]);
      expect(search.read(real, {}, { near })).toMatchObject({ searched_cities: ["toronto"] });
      expect(search.read(real, {}, { near: nowhere }).coverage_status).toBe("not_covered");
    });

    test("website: any spelling of the host, and the path where many share the host", () => {
      for (const website of ["joes.example", "HTTPS://joes.example/x?y", "www.joes.example"])
        expect(named({ website }).sort()).toEqual(["Doubtful", "Shop"]);
      expect(named({ website: "facebook.com/Joes" })).toEqual(["Van"]);
      expect(named({ website: "facebook.com" })).toEqual(["Van"]);
      expect(named({ website: "facebook.com/annas" })).toEqual([]);
      expect(search.read(real, {}, { website: "https://www.joes.example/a" }).query.website).toBe(
        "joes.example",
      );
    });

    test("filters combine", () => {
      expect(named({ near, website: "joes.example" })).toEqual(["Shop"]);
      expect(named({ near, website: "joes.example", name: "SHO", city: "Toronto" })).toEqual(["Shop"]);
      expect(named({ near, name: "van" })).toEqual([]);
      expect(named({ near, city: "chicago" })).toEqual([]);
    });

    test("pages of any search are the whole list cut in pieces", () => {
      for (const name_match of NameMatch.options)
        for (const name of ["a", "Shop", "far"])
          for (const limit of ["1", "2"]) {
            const query = { name, name_match };
            expect(pagesOf(real, { ...query, limit }).ids).toEqual(
              search.read(real, {}, { ...query, limit: "100" }).results.map(({ public_id }) => public_id),
            );
          }
    });
  });

  describe("names that look alike", () => {
    const town = new TestTown();
    const ids = (context: ReadContext, query: Readonly<Record<string, string>>) =>
      search.read(context, {}, query).similar_names.map(({ public_id }) => public_id);
    let before: ReadContext;
    let real: ReadContext;
    afterAll(() => town[Symbol.dispose]());

    beforeAll(() => {
      town.city("toronto");
      const added = (public_id: string, name: string, is_synthetic = false) => {
        const record = town.record(name, { public_id, is_synthetic });
        return { record, row: town.see(record, town.asset(record), "a", "2026-04-28T10:00:00Z") };
      };
      const { record: stays } = added("stays", "Inkpen Bakery");
      added("made_up", "Inkpen Books", true);
      const { record: dissolved } = added("dissolved", "Inkpen Bakers");
      const erased = added("erased", "Inkpen Bakeries");
      const { record: merged } = added("merged", "Inkpen Baker");
      const { record: renamed } = added("renamed", "Inkpen Backery");
      before = contextOf(town.snapshot("2026-05-20T12:00:00Z"));
      town.append({ kind: "status", body: { record: dissolved, status: "dissolved" } });
      town.redact([erased.record, erased.record + 1, erased.row - 1, erased.row]);
      town.review("merge", merged, { into: stays, tags: {} });
      town.rename(renamed, "Rook Works");
      real = contextOf(town.snapshot("2026-05-20T12:00:00Z"));
    });

    test("are listed where nothing matched, with what marks invented ones", () => {
      const answer = search.read(real, {}, { name: "inkpne bakrey" });
      expect(answer).toMatchObject({ count: 0, total_count: 0, results: [] });
      expect(answer.similar_names).toEqual([
        {
          public_id: "stays",
          name: "Inkpen Bakery",
          city: "toronto",
          city_name: "TORONTO",
          is_synthetic: false,
          record_url: "https://example.org/record/stays/",
        },
      ]);
      expect(search.read(real, {}, { name: "inkpen boooks" }).similar_names).toMatchObject([
        { public_id: "made_up", is_synthetic: true },
      ]);
    });

    test.each([
      ["bakers of inkpen", "dissolved"],
      ["bakeries inkpen", "erased"],
      ["baker inkpen", "merged"],
      ["backery inkpen", "renamed"],
    ])("%s: no more once its record is %s", (name, id) => {
      expect(ids(before, { name })).toContain(id);
      expect(ids(real, { name })).not.toContain(id);
    });

    test("are not looked for where something matched, or without a name", () => {
      for (const query of [{ name: "inkpen" }, {}, { industry: "4711" }] as const)
        expect(ids(real, query)).toEqual([]);
    });
  });
});
