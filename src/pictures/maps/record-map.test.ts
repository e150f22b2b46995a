import { cellToParent, gridDisk, latLngToCell } from "h3-js";
import { expect, test } from "vitest";
import { HOSTILE, markCount, svgFaults } from "../../testing/pages/svg.ts";
import type { Picture } from "../picture.ts";
import { cityOutline, recordMap } from "./record-map.ts";

const CITY = gridDisk(latLngToCell(43.7, -79.38, 8), 17);
const OUTLINE = cityOutline(CITY);

function seen(h3_cell: string, resolution = 8, observations = 2) {
  return { h3_cell, resolution, observations, last_observed: "2026-05-01" };
}

function drawn(cells: ReturnType<typeof seen>[], recordName = "Baker"): Picture {
  const picture = recordMap({ id: "map", recordName, cityName: "Toronto", outline: OUTLINE, cells });
  if ("sentence" in picture) throw new Error(picture.sentence);
  return picture;
}

test("fixed and wide cells are drawn apart, and the table names each", () => {
  const [a = "", b = ""] = CITY;
  const { svg, table, legend, caption } = drawn([seen(a), seen(b), seen(cellToParent(a, 7), 7, 9)]);
  expect([markCount(svg, "map-fixed"), markCount(svg, "map-mobile")]).toEqual([2, 1]);
  expect(table.rows).toEqual([
    [a, "8 (about 0.7 km²)", 2, "2026-05-01"],
    [b, "8 (about 0.7 km²)", 2, "2026-05-01"],
    [cellToParent(a, 7), "7 (about 5.2 km²)", 9, "2026-05-01"],
  ]);
  expect(legend).toHaveLength(2);
  expect(caption).toBe("Baker was observed in 3 cells in and around Toronto.");
});

test("a cell that is small on the map has a ring around it", () => {
  const inTown = cityOutline(gridDisk(CITY[0] ?? "", 2));
  const small = recordMap({
    id: "m",
    recordName: "B",
    cityName: "T",
    outline: OUTLINE,
    cells: [seen(CITY[0] ?? "")],
  });
  const large = recordMap({
    id: "m",
    recordName: "B",
    cityName: "T",
    outline: inTown,
    cells: [seen(CITY[0] ?? "")],
  });
  expect("svg" in small && small.svg.includes("seen-ring")).toBe(true);
  expect("svg" in large && large.svg.includes("seen-ring")).toBe(false);
});

test("cells beyond the map are said, not drawn", () => {
  const far = latLngToCell(45, -79.38, 8);
  const { svg, caption, table } = drawn([seen(CITY[0] ?? ""), seen(far)]);
  expect(markCount(svg, "map-fixed")).toBe(1);
  expect(table.rows).toHaveLength(2);
  expect(caption).toMatch(/; 1 cell is outside this map\.$/);
});

test("a page's map is below 4 kB, for a large city and many cells", () => {
  const ragged = cityOutline(CITY.filter((_, at) => at % 3 > 0));
  const cells = CITY.filter((_, at) => at % 15 === 0).map((id) => seen(id));
  const picture = recordMap({ id: "map", recordName: "Baker", cityName: "Toronto", outline: ragged, cells });
  expect("svg" in picture && picture.svg.length).toBeLessThan(4000);
});

test("without cells, or without a city's list, there is a sentence", () => {
  expect(cityOutline([])).toBeUndefined();
  expect(recordMap({ id: "m", recordName: "B", cityName: "T", outline: OUTLINE, cells: [] })).toHaveProperty(
    "sentence",
  );
  expect(
    recordMap({ id: "m", recordName: "B", cityName: "T", outline: undefined, cells: [seen(CITY[0] ?? "")] }),
  ).toHaveProperty("sentence");
});

test.each(HOSTILE)("a record named %s", (name) => {
  expect(svgFaults(drawn([seen(CITY[0] ?? "")], name).svg)).toEqual([]);
});
