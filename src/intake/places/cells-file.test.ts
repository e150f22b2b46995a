import { gridDisk, latLngToCell } from "h3-js";
import { expect, test } from "vitest";
import { AVALON, sighting, testLedger } from "../../../tests/support/ledger/intake-ledger.ts";
import { cellManifestId, eligibleCells } from "../../ledger/looks/cell-bitmap.ts";
import { readCellsFile } from "./cells-file.ts";
import { replaceCells, stepCity } from "./register-city.ts";

const CENTER = latLngToCell(AVALON.lat, AVALON.lng, 8);
const [A = "", B = "", C = ""] = gridDisk(CENTER, 1).sort();
const feature = (properties: object, geometry: unknown = null) => ({ type: "Feature", properties, geometry });
const geoJson = (...features: unknown[]) => JSON.stringify({ type: "FeatureCollection", features });
const read = (text: string) => [...readCellsFile(text, "cells")];

test("GeoJSON names cells or gives points, and weights add up", () => {
  const point = { type: "Point", coordinates: [AVALON.lng, AVALON.lat] };
  expect(read(geoJson(feature({ h3_cell: A, weight: 7 }), feature({ h3_cell: B })))).toEqual([
    [A, 7],
    [B, 1],
  ]);
  expect(read(geoJson(feature({}, point), feature({ weight: 4 }, point)))).toEqual([[CENTER, 5]]);
});

test("CSV has a header, and weights where they are", () => {
  expect(read(`h3_cell,weight\n${A},3\r\n${B},\n`)).toEqual([
    [A, 3],
    [B, 1],
  ]);
  expect(read(`\uFEFFname,h3_cell\nx,${A}\n`)).toEqual([[A, 1]]);
});

test.each([
  ["nothing", "", "cells: has no cells"],
  ["no features", geoJson(), "expected a GeoJSON FeatureCollection"],
  ["broken JSON", "{", "the file is not JSON"],
  [
    "another geometry",
    geoJson(feature({}, { type: "Polygon", coordinates: [] })),
    "feature 1: properties.h3_cell",
  ],
  ["another resolution", geoJson(feature({ h3_cell: latLngToCell(40, -75, 7) })), "H3 cell of resolution 8"],
  ["no column", "cell\nx\n", "row 1: h3_cell"],
  ["a weight of 0", `h3_cell,weight\n${A},0\n`, "row 1: weight"],
  ["half a weight", `h3_cell,weight\n${A},1.5\n`, "row 1: weight"],
  ["weights that add up to too much", `h3_cell,weight\n${A},1000000\n${A},1\n`, "add up to 1000001"],
])("%s is refused", (_, text, message) => {
  expect(() => read(text)).toThrow(message);
});

test("the list is a new registration, which is to be reviewed, and the city's area stays", async () => {
  using it = testLedger();
  const { ledger } = it;
  stepCity(ledger, "avalon", "review");
  const { row, cells } = replaceCells(
    ledger,
    "avalon",
    new Map([
      [B, 2],
      [A, 1],
    ]),
  );
  expect(cells).toBe(2);
  const body = it.rows("city").find(({ id }) => id === row)?.body;
  expect(body).toMatchObject({ step: "register", details: { name: "Avalon", weights: [1, 2] } });
  const details = ledger.intake.eligibleDetails("avalon");
  expect(details && eligibleCells(details)).toEqual([A, B]);
  expect(await it.ingest([sighting("far", { lat: 40.03 })])).toMatchObject({ accepted: 1, records: 1 });
  expect(() =>
    replaceCells(
      ledger,
      "avalon",
      new Map([
        [A, 1],
        [B, 2],
      ]),
    ),
  ).toThrow("already");
  expect(() => replaceCells(ledger, "avalon", new Map([[latLngToCell(50, 8, 8), 1]]))).toThrow(
    "1 of 1 cells are outside",
  );
  expect(() => replaceCells(ledger, "camelot", new Map([[A, 1]]))).toThrow('no city "camelot"');
  replaceCells(
    ledger,
    "avalon",
    new Map([
      [A, 1],
      [C, 1],
    ]),
  );
  const plain = ledger.intake.eligibleDetails("avalon");
  expect(plain?.weights).toBeUndefined();
  expect(plain && cellManifestId(eligibleCells(plain))).toHaveLength(64);
});
