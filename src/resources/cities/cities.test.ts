import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { day, fakeCity, fakeRecord } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { CityCell } from "../../contract/cities/city.ts";
import { INDUSTRIES } from "../../contract/cities/industry.ts";
import { cityCells, cityIndustries } from "./cities.ts";

describe("cities", () => {
  const observed = {
    observations90d: 2,
    records90d: 1,
    observations: 5,
    lastObserved: day(2),
    weeksLooked90d: 3,
    monthsLooked: 1,
  };

  test("all eligible cells and all observed ones, each once, by cell", () => {
    const cells = cityCells(
      fakeContext({
        cities: [fakeCity(1, "Alpha", { cells: ["882b9bc001fffff", "882b9bc005fffff"] })],
        cellCounts: [
          { cell: "882b9bc003fffff", ...observed },
          { cell: "882b9bc005fffff", ...observed },
        ],
      }),
      "alpha",
    );
    const counts = {
      weeks_looked_90d: 3,
      months_looked: 1,
      observations_90d: 2,
      records_90d: 1,
      observations: 5,
      last_observed: "2026-06-27",
    }; // evening of that day in Ontario
    const nothing = {
      weeks_looked_90d: 0,
      months_looked: 0,
      observations_90d: 0,
      records_90d: 0,
      observations: 0,
      last_observed: null,
    };
    expect(cells).toEqual([
      { h3_cell: "882b9bc001fffff", eligible: true, ...nothing },
      { h3_cell: "882b9bc003fffff", eligible: false, ...counts },
      { h3_cell: "882b9bc005fffff", eligible: true, ...counts },
    ]);
    for (const cell of cells) expect(CityCell.safeParse(cell).error).toBeUndefined();
  });

  test("an unknown city has none", () => {
    expect(cityCells(fakeContext(), "nowhere")).toEqual([]);
  });
});

describe("industries", () => {
  const contextOf = (codes: readonly (string | null)[]) =>
    fakeContext({ records: codes.map((industry, at) => fakeRecord(at + 1, { industry })) });

  test("sections before their codes, only exact codes, and a code counts what lies below it", () => {
    const found = cityIndustries(contextOf(["5610", "4711", "47", "5610", null]), "alpha");
    expect(found.map(({ code, section, level, records }) => [code, section, level, records])).toEqual([
      ["G", "G", "section", 2],
      ["47", "G", "division", 2],
      ["4711", "G", "class", 1],
      ["I", "I", "section", 2],
      ["5610", "I", "class", 2],
    ]);
    expect(found[0]?.title).toBe(INDUSTRIES.find(({ code }) => code === "G")?.title);
    expect(cityIndustries(contextOf([null]), "alpha")).toEqual([]);
    expect(cityIndustries(contextOf(["5610"]), "nowhere")).toEqual([]);
  });

  test("each count is that of the index under the same filter", () => {
    const codes = fc.array(fc.constantFrom(...INDUSTRIES.map(({ code }) => code), null), { maxLength: 20 });
    fc.assert(
      fc.property(codes, (drawn) => {
        const context = contextOf(drawn);
        const found = cityIndustries(context, "alpha");
        for (const { code, records } of found)
          expect(records).toBe(context.snapshot.cityIndexCount("alpha", { industry: code }));
        const sections = found.filter(({ level }) => level === "section");
        expect(sections.reduce((sum, { records }) => sum + records, 0)).toBe(
          drawn.filter((code) => code !== null).length,
        );
        const order = INDUSTRIES.map(({ code }) => code);
        const places = found.map(({ code }) => order.indexOf(code));
        expect(places).toEqual(places.toSorted((a, b) => a - b));
      }),
    );
  });
});
