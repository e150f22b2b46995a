import fc from "fast-check";
import { gridDisk, latLngToCell } from "h3-js";
import { expect, test } from "vitest";
import { HOSTILE, markCount, svgFaults } from "../../../tests/support/pages/svg.ts";
import type { Picture } from "../picture.ts";
import { cityMap } from "./city-map.ts";

const AROUND = gridDisk(latLngToCell(43.7, -79.38, 8), 17);

function cell(h3_cell: string, observations = 0, observations_90d = 0, eligible = true, looked = 0) {
  const weeks_looked_90d = observations_90d > 0 ? 1 : looked;
  return { h3_cell, eligible, observations, observations_90d, weeks_looked_90d };
}

function drawn(cells: ReturnType<typeof cell>[], cityName = "Toronto"): Picture {
  const picture = cityMap({ id: "map", cityName, cells });
  if ("sentence" in picture) throw new Error(picture.sentence);
  return picture;
}

test("every class has as many hexagons as the table says", () => {
  const [a = "", b = "", c = "", d = "", e = "", f = "", g = "", h = "", i = ""] = AROUND;
  const { svg, table, caption } = drawn([
    cell(a),
    cell(b),
    cell(c, 3, 0),
    cell(d, 4, 4),
    cell(e, 19, 19),
    cell(f, 90, 20),
    cell(g, 1, 1, false),
    cell(h, 0, 0, true, 2),
    cell(i, 3, 0, true, 1),
  ]);
  expect(table.rows.map(([, eligible, outside]) => [eligible, outside])).toEqual([
    [2, 0],
    [1, 0],
    [2, 0],
    [1, 1],
    [1, 0],
    [1, 0],
  ]);
  const classes = ["unseen", "earlier", "looked", "few", "some", "many", "outside"];
  expect(classes.map((kind) => markCount(svg, `map-${kind}`))).toEqual([2, 1, 2, 2, 1, 1, 1]);
  expect(caption).toBe("Checked in Toronto in the last 90 days: 5 of 8 areas.");
});

test("a city as large as Toronto stays below 25 kB", () => {
  const { svg } = drawn(AROUND.map((id, at) => cell(id, at % 30, at % 25)));
  expect(AROUND).toHaveLength(919);
  expect(svg.length).toBeLessThan(25_000);
  expect(svgFaults(svg)).toEqual([]);
});

test("without cells there is a sentence and no map", () => {
  expect(cityMap({ id: "map", cityName: "Toronto", cells: [] })).toEqual({
    sentence: "Toronto has no list of areas yet, so no map is available.",
  });
});

test.each(HOSTILE)("a city named %s", (name) => {
  expect(svgFaults(drawn([cell(AROUND[0] ?? "", 1, 1)], name).svg)).toEqual([]);
});

test("whatever cells there are, all are drawn and none twice", () => {
  const place = fc.record({
    lat: fc.double({ min: -85, max: 85, noNaN: true }),
    lng: fc.double({ min: -180, max: 180, noNaN: true }),
  });
  const facts = fc.array(fc.tuple(fc.nat(60), fc.nat(30), fc.nat(30), fc.boolean()), {
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(
    fc.property(place, facts, ({ lat, lng }, given) => {
      const disk = gridDisk(latLngToCell(lat, lng, 8), 4);
      const cells = new Map(
        given.map(([at, all, recent, eligible]) => {
          const id = disk[at % disk.length] ?? "";
          return [id, cell(id, all + recent, recent, eligible)];
        }),
      );
      const { svg, table } = drawn([...cells.values()]);
      expect(svgFaults(svg)).toEqual([]);
      const counted = table.rows.flatMap((row) => row.slice(1)).map(Number);
      expect(counted.reduce((sum, count) => sum + count, 0)).toBe(cells.size);
      const marks = ["unseen", "earlier", "looked", "few", "some", "many"].map((kind) =>
        markCount(svg, `map-${kind}`),
      );
      expect(marks.reduce((sum, count) => sum + count, 0)).toBe(cells.size);
    }),
    { numRuns: 60 },
  );
});
