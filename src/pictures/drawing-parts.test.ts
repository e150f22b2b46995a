import fc from "fast-check";
import { gridDisk, latLngToCell } from "h3-js";
import { expect, test } from "vitest";
import { placeLabels, textWidth, wrapped } from "./labels.ts";
import { cornersPath, fitCells, linePath, type Point, simpleOutlinePath } from "./maps/outline.ts";

const coordinate = fc.double({ min: -5000, max: 5000, noNaN: true });

/** The points of a path of relative steps. */
function pointsOf(path: string): Point[] {
  const numbers = (path.replace(/[hz]\d*/g, "").match(/-?\d+/g) ?? []).map(Number);
  const points: Point[] = [];
  for (let at = 0; at < numbers.length; at += 2) {
    const [x, y] = points.at(-1) ?? [0, 0];
    points.push([x + (numbers[at] ?? 0), y + (numbers[at + 1] ?? 0)]);
  }
  return points;
}

test("paths are as short as their numbers allow", () => {
  expect(
    linePath([
      [0.4, 1],
      [3, -2],
      [3.2, -2.1],
      [-1, 5],
    ]),
  ).toBe("M0 1l3-3-4 7");
  expect(
    linePath(
      [
        [0, 0],
        [4, 0],
        [4, 4],
      ],
      true,
    ),
  ).toBe("M0 0l4 0 0 4z");
  expect([linePath([]), linePath([[-0.2, 3]]), cornersPath([]), cornersPath([[1, 2]])]).toEqual([
    "",
    "M0 3h0",
    "",
    "M1 2h0",
  ]);
  expect(
    cornersPath([
      [1, 2],
      [1, 2],
    ]),
  ).toBe("M1 2l0 0h0");
});

test("no rounding error grows along a path", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(coordinate, coordinate), { minLength: 1, maxLength: 50 }), (points) => {
      const read = pointsOf(cornersPath(points));
      expect(read).toHaveLength(points.length);
      for (const [at, [x, y]] of points.entries()) {
        expect(Math.abs((read[at]?.[0] ?? Number.NaN) - x)).toBeLessThanOrEqual(0.5);
        expect(Math.abs((read[at]?.[1] ?? Number.NaN) - y)).toBeLessThanOrEqual(0.5);
      }
    }),
  );
});

test.each([
  ["Toronto", 43.7, -79.38],
  ["on the 180th meridian", -16.8, 180],
  ["far north", 78.2, 15.6],
])("a map of a place %s shows every cell, north up, to scale", (_name, lat, lng) => {
  const cells = gridDisk(latLngToCell(lat, lng, 8), 6);
  const map = fitCells(cells, { width: 640, maxHeight: 600, margin: 12 });
  expect(map.height).toBeLessThanOrEqual(600);
  const [x, y] = map.project([lat, lng]);
  expect(x).toBeGreaterThan(200);
  expect(x).toBeLessThan(440);
  const [, north] = map.project([lat + 0.01, lng]);
  const [east] = map.project([lat, lng + 0.01]);
  expect((y - north) / map.unitsPerKm).toBeCloseTo(1.113, 2);
  expect((east - x) / map.unitsPerKm).toBeCloseTo(1.113 * Math.cos((lat * Math.PI) / 180), 1);
});

test("a map needs a cell", () => {
  expect(() => fitCells([], { width: 640, maxHeight: 600, margin: 12 })).toThrow(
    "a map needs at least one cell",
  );
});

test("an outline is thinned until it is short enough, and still goes around the town", () => {
  const cells = gridDisk(latLngToCell(43.7, -79.38, 8), 17).filter((_, at) => at % 5 > 0);
  const map = fitCells(cells, { width: 640, maxHeight: 420, margin: 30 });
  const path = simpleOutlinePath(cells, map, 600);
  expect(path.length).toBeLessThanOrEqual(600);
  const xs = pointsOf(path.split("z")[0] ?? "").map(([x]) => x);
  expect(Math.max(...xs) - Math.min(...xs)).toBeGreaterThan(250);
});

test("lines break between words, and a cut is marked", () => {
  const fits = (line: string) => textWidth(line, 1) <= 10.01 * textWidth("x", 1);
  expect(wrapped("one two three", 2, fits)).toEqual(["one two", "three"]);
  expect(wrapped("one two three fourteen", 2, fits)).toEqual(["one two", "three…"]);
  expect(wrapped("x".repeat(30), 2, fits)).toEqual(["x".repeat(10), `${"x".repeat(9)}…`]);
  expect(wrapped("  ", 2, fits)).toEqual([]);
});

test("whatever the text, no line is too long and nothing is lost without a mark", () => {
  const fits = (line: string) => [...line].length <= 12;
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), (text) => {
      const lines = wrapped(text, 3, fits);
      const plain = text.trim().replace(/\s+/g, " ");
      const joined = lines.join("").replaceAll(" ", "");
      if (!joined.endsWith("…") || plain.endsWith("…")) expect(joined).toBe(plain.replaceAll(" ", ""));
      for (const line of lines) expect(fits(line)).toBe(true);
    }),
  );
});

test("labels do not touch each other and stay within the map", () => {
  const room = { width: 640, height: 286, fontSize: 28, distance: 15 };
  const places = [
    { name: "Toronto", at: [300, 100] as const },
    { name: "Guelph", at: [296, 101] as const },
    { name: "Napier", at: [630, 250] as const },
  ];
  const [toronto, guelph, napier] = placeLabels(places, room);
  expect(toronto).toEqual({ at: [315, 100], anchor: "start", dy: ".35em" });
  expect(guelph?.anchor).not.toBe("start");
  expect(napier?.anchor).toBe("end");
});
