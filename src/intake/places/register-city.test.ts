import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { gridDisk, latLngToCell, uncompactCells } from "h3-js";
import { describe, expect, test } from "vitest";
import { AVALON, sighting, testLedger } from "../../../tests/support/ledger/intake-ledger.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { LedgerState } from "../../ledger/decisions/ledger-state.ts";
import { cellManifestId, eligibleCells } from "../../ledger/looks.ts";
import { cellManifest, outlineCells, radiusCells, WIDEST_RADIUS_KM } from "./city-outline.ts";
import { cityAt, cityFinder } from "./place.ts";
import { planOutline, readCellsFile, registerCity, replaceCells, stepCity } from "./register-city.ts";

describe("register city", () => {
  const square = (lng: number, lat: number, side: number) => [
    [
      [lng, lat],
      [lng + side, lat],
      [lng + side, lat + side],
      [lng, lat + side],
      [lng, lat],
    ],
  ];
  const polygon = { type: "Polygon", coordinates: square(-80, 43, 0.1) };
  const TOWN = { name: "Town", lat: 43.05, lng: -79.95 };
  const outlineOf = (shape: unknown, city = TOWN) =>
    outlineCells(JSON.stringify(shape), "outline.geojson", city);
  const cellsOf = (shape: unknown) => outlineOf(shape).cells;

  describe("outline", () => {
    test("no point of the outline falls out, and the area is about right", () => {
      const cells = cellsOf(polygon);
      const held = new Set(cells);
      const share = fc.double({ min: 0, max: 1, noNaN: true });
      fc.assert(fc.property(share, share, (x, y) => held.has(latLngToCell(43 + y * 0.1, -80 + x * 0.1, 8))));
      const square = 11.1 * 8.1; // km2: a tenth of a degree each way at 43 degrees north
      expect(cells.length * 0.75).toBeGreaterThan(square);
      expect(cells.length * 0.75).toBeLessThan(square * 1.6);
    });

    test("every form of GeoJSON gives the same cells", () => {
      const expected = cellsOf(polygon).sort();
      const feature = { type: "Feature", properties: {}, geometry: polygon };
      for (const shape of [
        { type: "MultiPolygon", coordinates: [polygon.coordinates] },
        { type: "GeometryCollection", geometries: [polygon] },
        feature,
        { type: "FeatureCollection", features: [feature, feature] },
        {
          type: "Polygon",
          coordinates: polygon.coordinates.map((ring) => ring.map((position) => [...position, 12])),
        },
      ])
        expect(cellsOf(shape).sort()).toEqual(expected);
    });

    test.for([
      ["{", "not JSON"],
      ['{"type":"Point","coordinates":[1,2]}', "has no area; the outline is a Point"],
      ['{"type":"Topology"}', "expected a Polygon"],
      ['{"type":"Polygon","coordinates":[[[1,2],[3,4]]]}', "coordinates.0"],
      ['{"type":"Polygon","coordinates":[[[1,2],[3,4],[5,null],[1,2]]]}', "coordinates.0.2.1"],
      ['{"type":"Polygon","coordinates":[]}', "coordinates: Too small"],
      ['{"type":"Polygon","coordinates":[[[1,2],[3,4],[5,NaN],[1,2]]]}', "not JSON"],
      ['{"type":"Polygon","coordinates":[[[1,2],[3,4],[5,4],[1,3]]]}', "polygon 1: a ring is not closed"],
      [
        '{"type":"Polygon","coordinates":[[[500000,4800000],[500001,4800000],[500001,4800001],[500000,4800000]]]}',
        "polygon 1: position [500000, 4800000]: longitude is -180 to 180 and latitude -90 to 90: export the outline in WGS 84",
      ],
      [
        '{"type":"Polygon","coordinates":[[[-39,176],[-39,177],[-38,177],[-39,176]]]}',
        "position [-39, 176]: longitude is -180 to 180 and latitude -90 to 90: latitude and longitude exchanged?",
      ],
      [
        '{"type":"Polygon","coordinates":[[[179,-16],[181,-16],[181,-17],[179,-16]]]}',
        "position [181, -16]: longitude is -180 to 180 and latitude -90 to 90: cut the outline at the 180th meridian",
      ],
      [
        '{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Circle"}}]}',
        "not a GeoJSON outline: feature 1: expected a Polygon",
      ],
      [
        '{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null}]}',
        "the outline has no area; feature 1 has no geometry",
      ],
      ['{"type":"FeatureCollection","features":[]}', "no area"],
      [JSON.stringify({ type: "Polygon", coordinates: square(0, 0, 5) }), "larger than any city"],
    ] as const)("%s", ([json, message]) => {
      expect(() => outlineCells(json, "o.geojson", TOWN)).toThrow(message);
    });

    test("what has no area is skipped and named", () => {
      const feature = (geometry: unknown) => ({ type: "Feature", properties: {}, geometry });
      const point = { type: "Point", coordinates: [-80, 43] };
      const features = [polygon, point, null, { type: "GeometryCollection", geometries: [point] }].map(
        feature,
      );
      const { cells, skipped } = outlineOf({ type: "FeatureCollection", features });
      expect(cells.toSorted()).toEqual(cellsOf(polygon).toSorted());
      expect(skipped).toEqual(["feature 2 is a Point", "feature 3 has no geometry", "geometry 1 is a Point"]);
    });

    test("an outline that is not where the city is is refused; exchanged coordinates are recognized", () => {
      const toronto = { name: "Toronto", lat: 43.70011, lng: -79.4163 };
      const swapped = square(43.6, -79.5, 0.2);
      expect(() => outlineOf({ type: "Polygon", coordinates: swapped }, toronto)).toThrow(
        "outline.geojson: the outline is 15,000 km from Toronto: latitude and longitude exchanged? GeoJSON has longitude first",
      );
      expect(() => outlineOf(polygon, { ...TOWN, lat: 44 })).toThrow("the outline is 100 km from Town");
      expect(() => outlineOf(polygon, { ...TOWN, lat: 44 })).not.toThrow("exchanged");
      expect(outlineOf(polygon, { ...TOWN, lat: 43.5 }).cells).toEqual(cellsOf(polygon));
    });

    test("a part may be far away, as an atoll of Honolulu, and not on another continent", () => {
      const parts = (lng: number) => ({
        type: "MultiPolygon",
        coordinates: [polygon.coordinates, square(lng, 43, 0.1)],
      });
      expect(cellsOf(parts(-105)).length).toBeGreaterThan(cellsOf(polygon).length);
      expect(() => cellsOf(parts(10))).toThrow("polygon 2 is 6,900 km from Town");
    });

    test.for([
      [
        [-170, -80],
        [170, -80],
        [170, 80],
        [-170, 80],
        [-170, -80],
      ],
      [
        [-80, 0],
        [-20, 0],
        [-20, 40],
        [-80, 40],
        [-80, 0],
      ],
    ])("an outline of a continent is refused before its cells are made (%#)", (ring) => {
      expect(() => cellsOf({ type: "Polygon", coordinates: [ring] })).toThrow("larger than any city");
    });

    test("an outline may have very many corners", () => {
      const turn = (at: number) => (2 * Math.PI * at) / 130_000;
      const circle = Array.from({ length: 130_000 }, (_, at) => [
        -79.95 + 0.01 * Math.cos(turn(at)),
        43.05 + 0.01 * Math.sin(turn(at)),
      ]);
      expect(cellsOf({ type: "Polygon", coordinates: [[...circle, circle[0]]] }).length).toBeGreaterThan(3);
    });

    test("any GeoJSON gives cells near the city, or an error for the operator", () => {
      const number = fc.oneof(
        fc.double({ min: -200, max: 200, noNaN: true }),
        fc.double({ min: -80, max: -79.9, noNaN: true }),
        fc.double({ min: 43, max: 43.1, noNaN: true }),
        fc.constantFrom<unknown>(null, "43", 180, -180, 90, -90, 0, 1e9),
      );
      const place = fc.tuple(
        fc.double({ min: -80, max: -79.9, noNaN: true }),
        fc.double({ min: 43, max: 43.1, noNaN: true }),
      );
      const ring = fc.oneof(
        fc.array(place, { minLength: 3, maxLength: 6 }).map((corners) => [...corners, corners[0]]),
        fc.array(fc.array(number, { maxLength: 3 }), { maxLength: 6 }),
      );
      const { shape } = fc.letrec((tie) => ({
        shape: fc.oneof(
          { maxDepth: 3 },
          fc.record({ type: fc.constant("Polygon"), coordinates: fc.array(ring, { maxLength: 2 }) }),
          fc.record({ type: fc.constantFrom("Point", "LineString", "Topology"), coordinates: ring }),
          fc.record({ type: fc.constant("Feature"), geometry: fc.option(tie("shape")) }),
          fc.record({
            type: fc.constant("FeatureCollection"),
            features: fc.array(tie("shape"), { maxLength: 3 }),
          }),
          fc.record({
            type: fc.constant("GeometryCollection"),
            geometries: fc.array(tie("shape"), { maxLength: 3 }),
          }),
        ),
      }));
      fc.assert(
        fc.property(shape, (json) => {
          try {
            expect(outlineOf(json).cells.length).toBeGreaterThan(0);
          } catch (error) {
            expect(error).toBeInstanceOf(OperatorError);
          }
        }),
        { numRuns: 300 },
      );
    });

    test("an outline on both sides of the 180th meridian, cut there, has no gap", () => {
      const taveuni = { name: "Taveuni", lat: -16.85, lng: 179.98 };
      const cut = {
        type: "MultiPolygon",
        coordinates: [square(179.9, -16.9, 0.1), square(-180, -16.9, 0.1)],
      };
      const cells = new Set(outlineOf(cut, taveuni).cells);
      for (let step = 0; step <= 40; step += 1)
        expect(cells.has(latLngToCell(-16.85, 179.9 + 0.2 * (step / 40), 8))).toBe(true);
      expect(cells.size * 0.75).toBeLessThan(11.1 * 21.3 * 1.5);
    });

    test("real outlines", ({ skip }) => {
      const path = "../shared/boundaries/toronto.geojson";
      if (!existsSync(path)) skip(`${path} is not there`);
      const { cells: all } = outlineCells(readFileSync(path, "utf8"), path, {
        name: "Toronto",
        lat: 43.7,
        lng: -79.42,
      });
      const cells = new Set(all);
      expect(cells.has(latLngToCell(43.6532, -79.3832, 8))).toBe(true);
      expect(cells.has(latLngToCell(43.6, -79.9, 8))).toBe(false);
      expect(cells.size * 0.74).toBeGreaterThan(630);
      expect(cells.size * 0.74).toBeLessThan(760);
    });
  });

  describe("radius", () => {
    test("holds every point within it and none beyond a cell's width", () => {
      const held = new Set(radiusCells(40, -75, 5));
      const angle = fc.double({ min: 0, max: 2 * Math.PI, noNaN: true });
      const at = (km: number, turn: number) =>
        latLngToCell(
          40 + (km / 111.2) * Math.sin(turn),
          -75 + ((km / 111.2) * Math.cos(turn)) / Math.cos((40 * Math.PI) / 180),
          8,
        );
      fc.assert(
        fc.property(angle, fc.double({ min: 0, max: 4.98, noNaN: true }), (turn, km) => {
          expect(held.has(at(km, turn))).toBe(true);
          expect(held.has(at(7, turn))).toBe(false);
        }),
      );
    });

    test.for([0, -1, Number.NaN, WIDEST_RADIUS_KM + 1])("%d km is refused", (km) => {
      expect(() => radiusCells(40, -75, km)).toThrow("expected more than 0");
    });
  });

  describe("register", () => {
    test("the row holds the manifest compacted and sorted, and the index finds the city again", () => {
      using it = testLedger();
      const [row] = it.rows("city");
      expect(row?.body).toMatchObject({
        city: "avalon",
        step: "register",
        details: { geoname_id: 1, country: "XA" },
      });
      const [city] = it.ledger.intake.cities();
      const cells = city?.details.cells ?? [];
      expect(cells).toEqual(cells.toSorted());
      expect(uncompactCells(cells, 8).sort()).toEqual(radiusCells(AVALON.lat, AVALON.lng, 5).sort());
      expect(cells.length).toBeLessThan(uncompactCells(cells, 8).length);
    });

    test("slugs stay unique, and a city is registered once", () => {
      using it = testLedger();
      const at = (geonameId: number, changes: object) => ({
        ...AVALON,
        geonameId,
        lat: 30 + geonameId,
        ...changes,
      });
      const add = (geonameId: number, changes: object = {}) =>
        registerCity(it.ledger, at(geonameId, changes), radiusCells(30 + geonameId, -75, 2)).slug;
      expect(add(2)).toBe("avalon-wl");
      expect(add(3)).toBe("avalon-wl-xa");
      expect(add(4)).toBe("avalon-4");
      expect(add(5, { asciiName: "São José d'Oeste" })).toBe("sao-jose-d-oeste");
      expect(() => add(5)).toThrow('already registered, as "sao-jose-d-oeste": `presence city outline');
    });

    test("another outline is a row; rows stay, and later lines follow it", async () => {
      using it = testLedger();
      const plan = (km: number) => planOutline(it.ledger, "avalon", radiusCells(AVALON.lat, AVALON.lng, km));
      expect(() => plan(5)).toThrow("Avalon already has this outline");
      expect(() => planOutline(it.ledger, "nowhere", [])).toThrow('no city "nowhere"');
      await it.accept([sighting("a")]);
      const away = () => planOutline(it.ledger, "avalon", radiusCells(AVALON.lat + 0.1, AVALON.lng, 3));
      expect(away).toThrow("1 lines wait in cells that Avalon would lose");
      await it.takeIn();
      const planned = away();
      expect(planned).toMatchObject({ taken: 0, outside: 1 });
      expect(planned.lost).toBe(radiusCells(AVALON.lat, AVALON.lng, 5).length);
      const row = planned.make();
      const [city] = it.ledger.intake.cities();
      expect(it.rows("city").at(-1)).toMatchObject({
        id: row,
        body: { step: "outline", details: city?.details },
      });
      expect(it.ledger.intake.eligibleDetails("avalon")).toEqual(city?.details);
      expect(LedgerState.of(it.ledger.deskRows.rows()).cities.get("avalon")).toMatchObject({
        details: city?.details,
        denominatorReviewed: false,
      });
      const { rejected } = await it.accept([sighting("b")]);
      expect(rejected).toBe(1);
      expect(it.rows("observation").length).toBe(1);
    });

    test("cells that a city gave up stay its own, because opt-outs hold in their city", async () => {
      using it = testLedger();
      const near = { ...AVALON, geonameId: 2, name: "Beyond", asciiName: "Beyond" };
      const move = (km: number) =>
        planOutline(it.ledger, "avalon", radiusCells(AVALON.lat, AVALON.lng, km)).make();
      const all = radiusCells(AVALON.lat, AVALON.lng, 5);
      move(2);
      await it.accept([sighting("a")]);
      await it.takeIn();
      expect(() => registerCity(it.ledger, near, all)).toThrow("other registered cities");
    });

    test("a cell belongs to the city that had it first", () => {
      using it = testLedger();
      const near = { ...AVALON, geonameId: 2, name: "Beyond", asciiName: "Beyond", lng: -75.08 };
      const added = registerCity(it.ledger, near, radiusCells(near.lat, near.lng, 5));
      expect(added.taken).toBeGreaterThan(0);
      const find = cityFinder(it.ledger.intake.cities());
      expect(cityAt(find, 40, -75.04)?.slug).toBe("avalon");
      expect(cityAt(find, 40, -75.1)?.slug).toBe("beyond");
      expect(cityAt(find, 50, -75)).toBeUndefined();
      expect(() => registerCity(it.ledger, { ...near, geonameId: 3 }, radiusCells(40, -75, 1))).toThrow(
        "other registered cities",
      );
    });

    test("steps need a registered city", () => {
      using it = testLedger();
      stepCity(it.ledger, "avalon", "review");
      expect(it.rows("city").at(-1)?.body).toEqual({ city: "avalon", details: null, step: "review" });
      expect(() => stepCity(it.ledger, "nowhere", "pause")).toThrow(
        'no city "nowhere"; registered are: avalon',
      );
    });

    test("a manifest is a set: order and compaction lose nothing", () => {
      const cells = radiusCells(43, -80, 4);
      expect(cellManifest(cells.toReversed())).toEqual(cellManifest(cells));
    });
  });
});

describe("cells file", () => {
  const CENTER = latLngToCell(AVALON.lat, AVALON.lng, 8);
  const [A = "", B = "", C = ""] = gridDisk(CENTER, 1).sort();
  const feature = (properties: object, geometry: unknown = null) => ({
    type: "Feature",
    properties,
    geometry,
  });
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
    [
      "another resolution",
      geoJson(feature({ h3_cell: latLngToCell(40, -75, 7) })),
      "H3 cell of resolution 8",
    ],
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
});
