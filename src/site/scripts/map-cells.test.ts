import fc from "fast-check";
import { cellToParent, latLngToCell } from "h3-js";
import { expect, test } from "vitest";
import { cellGeometry } from "../../render/formats/city-geojson.ts";
import { areaOf, boxOf, type CellFeature, countsText, dayText, middleOf, whereText } from "./map-cells.ts";

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
  expect(dayText("2026-10-29")).toBe("29 Oct 2026");
});
