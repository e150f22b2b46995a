import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_ZOOM, moved, type View, zoomed } from "./zoom-map.ts";

const ALL: View = { x: 0, y: 0, width: 640, height: 480 };

test("zooming keeps the point that is pointed at", () => {
  const view = zoomed(ALL, ALL, 2, 320, 120);
  expect(view).toEqual({ x: 160, y: 60, width: 320, height: 240 });
});

test("nothing beyond the drawing is shown, and never more than all of it", () => {
  expect(zoomed(ALL, ALL, 0.5, 0, 0)).toEqual(ALL);
  expect(zoomed(zoomed(ALL, ALL, 3, 10, 10), ALL, 0, 10, 10)).toEqual(ALL);
  expect(moved(ALL, ALL, 50, -50)).toEqual(ALL);
  expect(zoomed(ALL, ALL, 1e9, 0, 0).width).toBe(ALL.width / MAX_ZOOM);
});

test("whatever is done, the view lies within the drawing and keeps its shape", () => {
  const step = fc.record({
    factor: fc.double({ min: 0, max: 20, noNaN: true }),
    x: fc.double({ min: -100, max: 800, noNaN: true }),
    y: fc.double({ min: -100, max: 800, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      let view = ALL;
      for (const { factor, x, y } of steps)
        view = moved(zoomed(view, ALL, factor, x, y), ALL, x - 300, y - 300);
      expect(view.width / view.height).toBeCloseTo(ALL.width / ALL.height, 6);
      expect(view.x).toBeGreaterThanOrEqual(0);
      expect(view.y).toBeGreaterThanOrEqual(0);
      expect(view.x + view.width).toBeLessThanOrEqual(ALL.width + 1e-9);
      expect(view.y + view.height).toBeLessThanOrEqual(ALL.height + 1e-9);
    }),
  );
});
