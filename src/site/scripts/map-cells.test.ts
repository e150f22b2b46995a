import fc from "fast-check";
import { cellToParent, gridDisk, latLngToCell } from "h3-js";
import { expect, test } from "vitest";
import { cellGeometry } from "../../render/formats/city-geojson.ts";
import {
  areaOf,
  aroundText,
  borderOf,
  boxOf,
  type CellFeature,
  countsText,
  middleOf,
  whereText,
} from "./map-cells.ts";

const CELL = latLngToCell(43.55, -80.25, 8);

function feature(cell: string): CellFeature {
  const counts = {
    observations: 0,
    observations_90d: 0,
    records_90d: 0,
    weeks_looked_90d: 0,
    months_looked: 0,
  };
  const made = {
    city: "guelph",
    city_name: "Guelph",
    is_synthetic: true,
    eligible: true,
    last_observed: null,
  };
  return {
    type: "Feature",
    id: cell,
    geometry: cellGeometry(cell),
    properties: { h3_cell: cell, ...made, ...counts },
  };
}

test("the area of a cell is its parent, without the library of cells", () => {
  fc.assert(
    fc.property(fc.double({ min: -90, max: 90 }), fc.double({ min: -180, max: 180 }), (lat, lng) => {
      fc.pre(Number.isFinite(lat) && Number.isFinite(lng));
      const cell = latLngToCell(lat, lng, 8);
      expect(areaOf(cell)).toBe(cellToParent(cell, 6));
    }),
  );
});

test("a cell lies in its box, and is named by its way from the middle", () => {
  const { southWest, northEast } = boxOf([feature(CELL)]);
  const [lng, lat] = middleOf(feature(CELL));
  expect(southWest[0] < lng && lng < northEast[0] && southWest[1] < lat && lat < northEast[1]).toBe(true);
  expect(whereText([lng, lat], [lng, lat])).toBe("In the middle of the map");
  expect(whereText([lng, lat + 0.02], [lng, lat])).toBe("About 2.2 km north of the middle");
  expect(whereText([lng - 0.02, lat - 0.015], [lng, lat])).toMatch(/ south-west of the middle$/);
  expect(whereText([lng - 0.3, lat], [lng, lat])).toBe("About 24 km west of the middle");
});

test("one line says what is known of a cell, and never that nothing is there", () => {
  const cell = { observations: 1200, last_observed: "2026-09-05", weeks_looked_90d: 3 };
  expect(countsText(cell)).toBe("1,200 sightings, the last on 5 Sep 2026");
  expect(countsText({ ...cell, observations: 1, records: 1 })).toBe(
    "1 sighting of 1 record, the last on 5 Sep 2026",
  );
  expect(countsText({ ...cell, observations: 0 })).toBe("Visited, nothing seen so far");
  expect(countsText({ ...cell, observations: 0, weeks_looked_90d: 0 })).toBe(
    "Not visited in the last 90 days",
  );
});

test("the border around cells has the sides that no other cell shares", () => {
  const hole = gridDisk(CELL, 1);
  expect(borderOf(hole.map(feature))).toHaveLength(18);
  expect(borderOf(hole.filter((cell) => cell !== CELL).map(feature))).toHaveLength(24);
  expect(borderOf([])).toEqual([]);
});

test("a map without streets says what is around it, far places only", () => {
  const place = (name: string, lat: number, lng: number) => ({ name, lat, lng });
  const places = [
    place("Kitchener", 43.43, -80.51),
    place("Guelph", 43.55, -80.25),
    place("Arthur", 43.83, -80.53),
  ];
  expect(aroundText(places, [-80.25, 43.55])).toBe(
    "Around it: Kitchener 25 km south-west, Arthur 38 km north-west.",
  );
  expect(aroundText([], [-80.25, 43.55])).toBe("");
});
