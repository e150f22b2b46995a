import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { OperatorError } from "../../kernel/errors.ts";
import { testLedger } from "../../testing/ledger/intake-ledger.ts";
import { type ColumnMap, compileMap, parseColumnMap } from "./column-map.ts";
import { csvParser } from "./csv.ts";

const MAP = {
  columns: {
    id: "source_ref",
    lat: "lat",
    lon: "lng",
    title: "name",
    seen: "observed_at",
    kind: "asset_type",
    tel: "phone",
  },
  constants: { source_type: "seed_survey", observer: "inspectors" },
  values: { asset_type: { Truck: "vehicle_wrap", "*": "storefront" } },
  date_formats: ["M/D/YYYY", "iso"],
} as const;

function map(changes: object = {}): ColumnMap {
  return parseColumnMap(JSON.stringify({ ...MAP, ...changes }), "map.json");
}

function read(text: string, sizes: readonly number[] = [], columnMap = map()) {
  const parser = csvParser(columnMap);
  const lines = text.split("\n").map((line, at) => ({ number: at + 1, text: line }));
  const parts = sizes.map((size) => lines.splice(0, size));
  return [...[...parts, lines].flatMap((part) => [...parser.push(part)]), ...parser.end()].map((line) =>
    "fault" in line ? `${line.number} ${line.fault.reason}` : { line: line.number, ...Object(line.value) },
  );
}

const HEADER = "id,lat,lon,title,seen,kind,tel";

describe("CSV", () => {
  test("quotes, quoted line ends, blanks and values", () => {
    const rows = [
      '1,40.1,-75,"Joe\'s ""Best"", Pizza",5/1/2026,Truck,',
      '2,x,-75.5,"Two',
      'lines",2026-05-02,Shop,555 0100',
    ];
    const common = { source_type: "seed_survey", observer: "inspectors" };
    expect(read([HEADER, ...rows].join("\n"))).toEqual([
      {
        line: 2,
        ...common,
        source_ref: "1",
        lat: 40.1,
        lng: -75,
        name: 'Joe\'s "Best", Pizza',
        observed_at: "2026-05-01",
        asset_type: "vehicle_wrap",
      },
      {
        line: 3,
        ...common,
        source_ref: "2",
        lat: "x",
        lng: -75.5,
        name: "Two\nlines",
        observed_at: "2026-05-02",
        asset_type: "storefront",
        phone: "555 0100",
      },
    ]);
  });

  test("a stray quote costs its own line only", () => {
    const good = (id: number) => `${id},40,-75,Shop,2026-05-01,Shop,`;
    const inside = '2,40,-75,5" Pipe,2026-05-01,Shop,';
    const open = '4,40,-75,"Open,2026-05-01,Shop,';
    expect(read([HEADER, good(1), inside, good(3), open, good(5), good(6)].join("\n"))).toMatchObject([
      { source_ref: "1" },
      { source_ref: "2", name: '5" Pipe' },
      { source_ref: "3" },
      "5 unclosed_quote",
      { source_ref: "5" },
      { source_ref: "6" },
    ]);
  });

  test("too few and too many cells are refused", () => {
    expect(read([HEADER, "1,2", "1,2,3,4,5,6,7,8"].join("\n"))).toEqual(["2 column_count", "3 column_count"]);
  });

  test("reads back what a CSV writer wrote, however the lines arrive", () => {
    const cell = fc
      .string({ unit: fc.constantFrom("a", '"', ",", "\n", "é", " ") })
      .map((text) => text.replace(/\n+/g, "\n"));
    fc.assert(
      fc.property(fc.array(cell, { maxLength: 8 }), fc.array(fc.nat(4), { maxLength: 8 }), (names, sizes) => {
        const rows = names.map((name, at) => [`${at}`, "1", "2", `n${name}`, "2026-05-01", "Shop", ""]);
        const text = stringify([HEADER.split(","), ...rows], { quoted_match: /"|,|\n/ }).trimEnd();
        expect(read(text, sizes)).toMatchObject(names.map((name) => ({ name: `n${name}`.trim() })));
      }),
    );
  });

  test("is ingested", async () => {
    using it = testLedger();
    const lines = [
      HEADER,
      "1,40,-75,Corner Shop,5/1/2026,Shop,",
      "2,40,-75,Corner Shop,13/1/2026,Shop,",
      "3,,-75,Corner Shop,5/1/2026,Shop,",
    ];
    expect(await it.ingest(lines, { map: map() })).toMatchObject({
      read: 3,
      accepted: 1,
      rejectedByReason: { invalid_date: 1, missing_field: 1 },
    });
  });
});

describe("column map", () => {
  test("templates join columns, defaults fill blanks", () => {
    const { value } = compileMap(
      map({
        columns: { lat: "lat", lon: "lng", title: "name", who: "observer" },
        templates: { source_ref: "city-{id}/{seen}", observed_at: "{seen}" },
        constants: { source_type: "scout", asset_type: "storefront" },
        defaults: { observer: "unknown" },
      }),
      ["id", "lat", "lon", "title", "seen", "who"],
    );
    expect(value(["7", "1", "2", "A", "2026-05-01", " "])).toMatchObject({
      source_ref: "city-7/2026-05-01",
      observer: "unknown",
    });
  });

  test.for([
    ["a column that is not there", {}, 'no column "id" (for source_ref); the file has: a, b'],
    [
      "a template's column that is not there",
      { columns: {}, templates: { lat: "{y}" } },
      'no column "y" (for lat)',
    ],
    [
      "a required field that nothing gives",
      { columns: { a: "name" } },
      "nothing gives source_ref, observed_at, lat, lng",
    ],
  ] as const)("%s", ([, changes, message]) => {
    expect(() => compileMap(map({ values: {}, ...changes }), ["a", "b"])).toThrow(message);
  });

  test.for([
    ["not JSON", "{", "map.json: column map: the file is not JSON"],
    ["an unknown key", '{"colums": {}}', "colums"],
    ["an unknown field", '{"columns": {"a": "nmae"}}', "columns.a"],
  ] as const)("%s", ([, json, message]) => {
    expect(() => parseColumnMap(json, "map.json")).toThrow(OperatorError);
    expect(() => parseColumnMap(json, "map.json")).toThrow(message);
  });
});
