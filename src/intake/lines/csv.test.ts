import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { testLedger } from "../../../tests/support/ledger/intake-ledger.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { type ColumnMap, compileMap, parseColumnMap, UnknownCategories } from "./column-map.ts";
import { csvParser } from "./csv.ts";
import { LineFault } from "./fault.ts";

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
      '2,40.2,-75.5,"Two',
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
        lat: 40.2,
        lng: -75.5,
        name: "Two\nlines",
        observed_at: "2026-05-02",
        asset_type: "storefront",
        phone: "555 0100",
      },
    ]);
  });

  test("a header that comes again is no line, and a text that is no number is told by the map", () => {
    const line = (lat: string) => `1,${lat},-75,Shop,2026-05-01,Shop,`;
    expect(read([HEADER, line("40"), HEADER, line("40.123.456")].join("\n"))).toMatchObject([
      { line: 2, lat: 40 },
      "4 wrong_type",
    ]);
  });

  test("a stray quote costs its own line only", () => {
    const good = (id: number) => `${id},40,-75,Shop,2026-05-01,Shop,`;
    const inside = '2,40,-75,5" Pipe,2026-05-01,Shop,';
    const open = '4,40,-75,"Open,2026-05-01,Shop,';
    expect(read([HEADER, good(1), inside, good(3), open, good(5), good(6)].join("\n"))).toMatchObject([
      { source_ref: "1" },
      "3 malformed_quote",
      { source_ref: "3" },
      "5 unclosed_quote",
      { source_ref: "5" },
      { source_ref: "6" },
    ]);
  });

  test.for([
    ["in a cell", 'Joe "Best" Pizza', "3 malformed_quote"],
    ["at the end of a cell", 'Pizza 12"', "3 malformed_quote"],
    ["after a blank", ' "Pizza"', "3 malformed_quote"],
    ["before more text", '"Pizza" Inc', "3 malformed_quote"],
    ["before a blank", '"Pizza" ', "3 malformed_quote"],
    ["around the whole, doubled", '"""Pizza"""', { name: "Pizza" }],
    ["as they should be", '"Joe ""Best"" Pizza"', { name: 'Joe "Best" Pizza' }],
    ["around two parts", '"""Big"" and ""Small"""', { name: '"Big" and "Small"' }],
  ] as const)("quotes %s: %s", ([, cell, expected]) => {
    const row = (id: number, name: string) => `${id},40,-75,${name},2026-05-01,Shop,`;
    const lines = [HEADER, row(1, "a"), row(2, cell), row(3, "b"), row(4, "c")];
    const found = read(lines.join("\n"));
    expect(found).toMatchObject([{ name: "a" }, expected, { name: "b" }, { name: "c" }]);
  });

  test.for([
    [
      "twice",
      "id,lat,lon,title,seen,kind,tel,title",
      'columns 4 and 8 of the file have the same name, "title"',
    ],
    [
      "twice with blanks",
      "id,lat,lon,title,seen,kind,tel, id ",
      'columns 1 and 8 of the file have the same name, "id"',
    ],
    ["twice outside the map", `${HEADER},Secret,Secret`, "columns 8 and 9 of the file have the same name:"],
    [
      "nowhere",
      "1,40,-75,Secret,2026-05-01,Shop,416 555 0100",
      "no column of the map. Does the file have another delimiter, or no header?",
    ],
    ["at another delimiter", HEADER.replaceAll(",", ";"), 'its first line has 1 cell at the delimiter ","'],
    ["and one is missing", HEADER.replace("title", "Secret"), 'the file has no column "title" (for name)'],
    [
      "with a quote out of place",
      `${HEADER},S"ecret`,
      "line 1, the header, cannot be read: a quote is out of place",
    ],
    ["with an open quote", `${HEADER},"Secret`, "line 1, the header, cannot be read: a quote is opened here"],
    ["with a carriage return inside", `${HEADER}\rSecret`, "line 1, the header, has carriage returns"],
  ] as const)("a header that has a name %s is refused, and no cell of it is told", ([, header, message]) => {
    const refused = () => read([header, "1,40,-75,Shop,2026-05-01,Shop,"].join("\n"));
    expect(refused).toThrow(OperatorError);
    expect(refused).toThrow(message);
    expect(refused).not.toThrow("ecret");
  });

  test("a header that is no UTF-8 is told as that", () => {
    const parser = csvParser(map());
    const fault = new LineFault("invalid_encoding", null, "the line is not UTF-8");
    expect(() =>
      parser.push([
        { number: 1, fault },
        { number: 2, text: HEADER },
      ]),
    ).toThrow('line 1 is not UTF-8: give its encoding (--encoding, or "encoding" in the column map)');
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
    const { read } = compileMap(
      map({
        columns: { lat: "lat", lon: "lng", title: "name", who: "observer" },
        templates: { source_ref: "city-{id}/{seen}", observed_at: "{seen}" },
        constants: { source_type: "scout", asset_type: "storefront" },
        defaults: { observer: "unknown" },
      }),
      ["id", "lat", "lon", "title", "seen", "who"],
    );
    expect(read(["7", "1", "2", "A", "2026-05-01", " "]).value).toMatchObject({
      source_ref: "city-7/2026-05-01",
      observer: "unknown",
    });
  });

  test("what stands for no value is none, unless the map replaces it; a template of such cells gives nothing", () => {
    const { read } = compileMap(
      map({
        columns: { lat: "lat", lon: "lng", title: "name", who: "observer", tel: "phone" },
        templates: { source_ref: "city-{id}", observed_at: "{seen}" },
        constants: { source_type: "scout", asset_type: "storefront" },
        defaults: { observer: "unknown" },
        values: { phone: { NULL: "none" } },
      }),
      ["id", "lat", "lon", "title", "seen", "who", "tel"],
    );
    expect(read(["NULL", "1", "2", "#N/A", "\\N", "NULL", "NULL"]).value).toEqual({
      source_type: "scout",
      asset_type: "storefront",
      lat: 1,
      lng: 2,
      observer: "unknown",
      phone: "none",
    });
  });

  test.for([
    ["a column that is not there", {}, 'no column "id" (for source_ref)'],
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
    [
      "two columns for one field",
      '{"columns": {"a": "name", "b": "name"}}',
      'map.json: column map: name comes from column "a" and from column "b": keep one of them',
    ],
    [
      "a column and a constant for one field",
      '{"columns": {"a": "name"}, "constants": {"name": "x"}}',
      'name comes from column "a" and from a constant',
    ],
    [
      "a date format that nothing can match",
      '{"date_formats": ["MM/DD/YYYY hh:mm"]}',
      'map.json: column map: date format "MM/DD/YYYY hh:mm" must have',
    ],
    ["a quote as delimiter", '{"delimiter": "\\""}', "no quote or line end"],
  ] as const)("%s", ([, json, message]) => {
    expect(() => parseColumnMap(json, "map.json")).toThrow(OperatorError);
    expect(() => parseColumnMap(json, "map.json")).toThrow(message);
  });
});

describe("maps for Europe", () => {
  const GHENT = {
    columns: {
      Breedtegraad: "lat",
      Lengtegraad: "lng",
      Naam: "name",
      Gezien: "observed_at",
      Nr: "source_ref",
    },
    constants: { source_type: "scout", asset_type: "storefront", observer: "o-1" },
    date_formats: ["DD/MM/YYYY HH:mm"],
    time_zone: "Europe/Brussels",
    decimal: ",",
    delimiter: ";",
  };
  const ghent = (changes: object = {}) =>
    parseColumnMap(JSON.stringify({ ...GHENT, ...changes }), "map.json");
  const HEADER = "Nr;Naam;Breedtegraad;Lengtegraad;Gezien";

  function parsedOf(text: string, map: ColumnMap, onUnknownCategory?: (category: string) => void) {
    const parser = csvParser(map, onUnknownCategory && { onUnknownCategory });
    const lines = text.split("\n").map((line, at) => ({ number: at + 1, text: line }));
    return [...parser.push(lines.filter((line) => line.text !== "")), ...parser.end()];
  }

  const faultsOf = (text: string, map: ColumnMap) =>
    parsedOf(text, map).map((line) =>
      "fault" in line ? `${line.fault.reason}: ${line.fault.field} ${line.fault.message}` : "read",
    );

  test("lines above the header, a decimal comma, a zone and a default source", () => {
    const text = `Uitvoer van 3 maart\n;;;;\n\n${HEADER}\n7;Frituur De Leie;51,0543;3,7174;05/07/2026 14:05`;
    const [line] = parsedOf(text, ghent({ skip_lines: 3, source: "city-fleet" }));
    expect(line).toEqual({
      number: 5,
      value: {
        ...GHENT.constants,
        ...{ source: "city-fleet", source_ref: "7", name: "Frituur De Leie", lat: 51.0543, lng: 3.7174 },
        observed_at: "2026-07-05T14:05:00+02:00",
      },
    });
    const own = { columns: { ...GHENT.columns, Bron: "source" }, source: "city-fleet" };
    const sources = parsedOf(
      `${HEADER};Bron\n1;A;51;3;05/07/2026 14:05;\n2;B;51;3;05/07/2026 14:05;other`,
      ghent(own),
    );
    expect(sources).toMatchObject([{ value: { source: "city-fleet" } }, { value: { source: "other" } }]);
  });

  test.for([
    [{ decimal: ",", thousands: "." }, "1.051,5", 1051.5],
    [{ decimal: ",", thousands: "\u202f" }, "1\u202f051,5", 1051.5],
    [{ decimal: ".", thousands: "'" }, "1'051.5", 1051.5],
    [{ decimal: "," }, "51.5", "51.5"], // a point where the file has commas is no number
    [{ decimal: "," }, "5,1,5", "5,1,5"],
    [{ decimal: "." }, "51,5", "51,5"],
  ] as const)("%j reads %s as %s", ([members, text, read]) => {
    expect(parsedOf(`${HEADER}\n7;A;${text};3;05/07/2026 14:05`, ghent(members))).toMatchObject([
      { value: { lat: read } },
    ]);
  });

  test("a date outside its form, a day that is none, and hours that clocks skip or show twice are told as that", () => {
    const dates = ["2026-07-05 14:05", "29/03/2026 02:30", "25/10/2026 02:30", "25/10/2026 03:00"];
    const text = `${HEADER}\n${dates.map((date, at) => `${at};A;51;3;${date}`).join("\n")}`;
    expect(faultsOf(text, ghent())).toEqual([
      'invalid_date: observed_at does not have the form DD/MM/YYYY HH:mm, as "date_formats" of the column map states',
      "no_such_local_time: observed_at is a time that the clocks of Europe/Brussels skipped",
      "ambiguous_local_time: observed_at is a time that the clocks of Europe/Brussels showed twice: give it with its offset from UTC",
      "read",
    ]);
    const iso = ghent({ date_formats: ["iso"], time_zone: undefined });
    expect(faultsOf(`${HEADER}\n1;A;51;3;2026-07-05T14:05`, iso)).toEqual([
      'invalid_date: observed_at is a time without its offset from UTC: give "time_zone" or "utc_offset" in the column map',
    ]);
  });

  test("the supplier's categories become industries, whatever their case and spaces; others are counted and taken without", () => {
    const map = ghent({
      columns: { ...GHENT.columns, Soort: "industry" },
      industry_map: { "Frituur  & snack": "5610", Leegstand: null },
    });
    const categories = ["FRITUUR & Snack", " leegstand", "Kapper", "4711", "kapper"];
    const text = `${HEADER};Soort\n${categories.map((each, at) => `${at};A;51;3;05/07/2026 14:05;${each}`).join("\n")}`;
    const unknown = new UnknownCategories();
    const industries = parsedOf(text, map, unknown.add).map((line) =>
      "value" in line ? Object(line.value).industry : line,
    );
    expect(industries).toEqual(["5610", null, null, "4711", null]);
    expect(unknown.counts()).toEqual([
      ["Kapper", 1],
      ["kapper", 1],
    ]);
    for (let at = 0; at < 500; at += 1) unknown.add(`category ${at} ${"x".repeat(500)}`);
    expect(unknown.counts()).toHaveLength(201);
    expect(Math.max(...unknown.counts().map(([name]) => name.length))).toBe(60);
  });

  test("comments are read over, and never inside texts", () => {
    const text = `{ // the supplier's columns\n "columns": { "a//b": "name" /* as "shown" */ }, "date_formats": ["iso"] }`;
    expect(parseColumnMap(text, "map.json").columns).toEqual({ "a//b": "name" });
    expect(() => parseColumnMap('{ "columns": /* open ', "map.json")).toThrow("map.json: column map");
  });

  test.for<[object, string]>([
    [
      { time_zone: "Brussels" },
      "time_zone: is not a time zone of the IANA database (got Brussels): did you mean Europe/Brussels?",
    ],
    [{ utc_offset: "+01:00" }, '"time_zone" and "utc_offset" exclude each other'],
    [{ thousands: "," }, '"decimal" and "thousands" are both ","'],
    [{ encoding: "klingon" }, "encoding: unknown encoding klingon"],
    [{ skip_lines: -1 }, "skip_lines: "],
    [{ source: "City Fleet" }, "source: "],
    [
      { source: "a", defaults: { source: "b" } },
      '"source" and the constant or default "source" exclude each other',
    ],
    [{ industry_map: { Kapper: "9999" } }, "industry_map.Kapper: is not an ISIC Rev. 5 code"],
    [{ industry_map: { Kapper: null, " kapper": null } }, 'industry_map: " kapper" appears twice'],
    [{ zone: "Europe/Brussels" }, "zone"],
  ])("%j is refused, naming the member", ([changes, message]) => {
    expect(() => ghent(changes)).toThrow(OperatorError);
    expect(() => ghent(changes)).toThrow(message);
  });
});
