import { cellToBoundary, cellToLatLng, getPentagons, getResolution, gridDisk, latLngToCell } from "h3-js";
import { expect, test } from "vitest";
import { day, fakeCity } from "../../../tests/support/release/fake-rows.ts";
import { fakeSnapshot } from "../../../tests/support/release/fake-snapshot.ts";
import { CityCellCollection } from "../../contract/cities/city.ts";
import { cellGeometry, cityGeoJson } from "./city-geojson.ts";

const around = (lat: number, lng: number) => gridDisk(latLngToCell(lat, lng, 8), 2).sort();

function collection(cells: readonly string[]): CityCellCollection {
  const [cell = ""] = cells;
  const snapshot = fakeSnapshot({
    cities: [fakeCity(1, "Alpha", { cells })],
    cellCounts: [
      {
        cell,
        observations90d: 1,
        records90d: 1,
        observations: 3,
        lastObserved: day(5),
        weeksLooked90d: 2,
        monthsLooked: 1,
      },
    ],
  });
  return CityCellCollection.parse(JSON.parse(cityGeoJson(snapshot, "alpha")));
}

type Ring = [number, number][];

/** Twice the area that the ring encloses: positive when it runs counter-clockwise. */
function signedArea(ring: Ring): number {
  return ring.reduce((sum, [x, y], at) => {
    const [nextX, nextY] = ring[(at + 1) % ring.length] ?? [x, y];
    return sum + (x * nextY - nextX * y);
  }, 0);
}

const ringsOf = (geometry: ReturnType<typeof cellGeometry>): Ring[] =>
  geometry.type === "Polygon" ? geometry.coordinates : geometry.coordinates.flat();
const rings = ({ features }: CityCellCollection) => features.flatMap(({ geometry }) => ringsOf(geometry));

test("one feature per cell with its counts, and what the file is beside them", () => {
  const cells = around(43.65, -79.38);
  const { features, ...foreign } = collection(cells);
  expect(foreign).toEqual({
    type: "FeatureCollection",
    city: { slug: "alpha", name: "Alpha" },
    data_as_of: "2026-06-30T00:00:00Z",
    methodology_version: "city-coverage-v4",
    methodology_url: "https://presence.test/methodology/",
    license: "CC-BY-4.0",
    claim_boundary: expect.stringContaining("not evidence of absence"),
  });
  expect(features.map(({ properties }) => properties.h3_cell)).toEqual(cells);
  expect(features.map(({ id }) => id)).toEqual(cells);
  expect(features[0]?.properties).toEqual({
    city: "alpha",
    city_name: "Alpha",
    is_synthetic: true,
    h3_cell: cells[0],
    eligible: true,
    observations_90d: 1,
    records_90d: 1,
    observations: 3,
    weeks_looked_90d: 2,
    months_looked: 1,
    last_observed: "2026-06-24",
  });
});

const [PENTAGON = ""] = getPentagons(8);

// The north, the south, near the pole, around a pentagon, and both sides of the 180th meridian.
test.each([
  [43.65, -79.38],
  [-39.49, 176.92],
  [78.22, 15.63],
  cellToLatLng(PENTAGON),
  [64.73, 179.99],
  [-16.8, -179.999],
  [65.8, -180],
])("rings around %d %d are closed, counter-clockwise, narrow and of five decimals", (lat, lng) => {
  const cells = around(lat, lng);
  expect(new Set(cells.map(getResolution))).toEqual(new Set([8]));
  for (const ring of rings(collection(cells))) {
    expect(ring.length).toBeGreaterThanOrEqual(4);
    for (const [x] of ring) expect(Math.abs(x)).toBeLessThanOrEqual(180);
    expect(ring.at(-1)).toEqual(ring[0]);
    expect(signedArea(ring)).toBeGreaterThan(0);
    const lngs = ring.map(([x]) => x);
    expect(Math.max(...lngs) - Math.min(...lngs)).toBeLessThan(1);
    for (const degrees of ring.flat()) expect(String(degrees)).toMatch(/^-?\d{1,3}(\.\d{1,5})?$/);
  }
});

test("a cell across the 180th meridian is cut there, in two parts that together are the cell", () => {
  const cut = gridDisk(latLngToCell(-16.8, 180, 8), 3).filter((cell) => {
    const lngs = cellToBoundary(cell).map(([, lng]) => lng);
    return Math.max(...lngs) - Math.min(...lngs) > 180;
  });
  expect(cut.length).toBeGreaterThan(3);
  const size = (ring: Ring) => signedArea(ring.map(([x, y]) => [x < 0 ? x + 360 : x, y]));
  for (const cell of cut) {
    const geometry = cellGeometry(cell);
    expect(geometry.type).toBe("MultiPolygon");
    const parts = ringsOf(geometry);
    expect(parts).toHaveLength(2);
    for (const ring of parts)
      expect(ring.filter(([x]) => Math.abs(x) === 180).length).toBeGreaterThanOrEqual(2);
    const whole = cellToBoundary(cell, true).map(([x = 0, y = 0]): [number, number] => [x, y]);
    expect(parts.reduce((sum, ring) => sum + size(ring), 0)).toBeCloseTo(size(whole), 5);
  }
});

test.each([90, -90])("the cell around the pole at %d goes around the world", (pole) => {
  const [ring = [], ...others] = ringsOf(cellGeometry(latLngToCell(pole, 0, 8)));
  const all = [ring, ...others];
  expect(all.flat().every(([x, y]) => Math.abs(x) <= 180 && Math.abs(y) <= 90)).toBe(true);
  expect(all.flat().some(([, y]) => y === pole)).toBe(true);
  for (const each of all) expect(signedArea(each)).toBeGreaterThan(0);
  const width = (each: Ring) => Math.max(...each.map(([x]) => x)) - Math.min(...each.map(([x]) => x));
  expect(all.reduce((sum, each) => sum + width(each), 0)).toBeCloseTo(360);
});

test("a city without cells has no feature, an unknown one no file", () => {
  const bare = fakeSnapshot({ cities: [fakeCity(1, "Alpha", { cells: [] })] });
  expect(JSON.parse(cityGeoJson(bare, "alpha"))).toMatchObject({ features: [] });
  expect(() => cityGeoJson(bare, "nowhere")).toThrow(expect.objectContaining({ status: 404 }));
});
