import { gridDisk, latLngToCell } from "h3-js";
import { expect, test } from "vitest";
import { HOSTILE, markCount, svgFaults } from "../../../tests/support/pages/svg.ts";
import type { Picture } from "../picture.ts";
import { cityOutline, recordMap } from "./record-map.ts";

const CITY = gridDisk(latLngToCell(43.7, -79.38, 8), 17);
const OUTLINE = cityOutline(CITY);

function seen(h3_cell: string) {
  return { h3_cell, observations: 2, last_observed: "2026-05-01" };
}

const ON_VEHICLES = { observations: 9, last_observed: "2026-05-02" };

type Cells = ReturnType<typeof seen>[];

function mapOf(cells: Cells, outline = OUTLINE, city: typeof ON_VEHICLES | null = null) {
  return recordMap({ id: "map", recordName: "Baker", cityName: "Toronto", outline, places: { cells, city } });
}

function drawn(cells: Cells, city: typeof ON_VEHICLES | null = null): Picture {
  const picture = mapOf(cells, OUTLINE, city);
  if ("sentence" in picture) throw new Error(picture.sentence);
  return picture;
}

test("cells are drawn, and the table names each", () => {
  const [a = "", b = ""] = CITY;
  const { svg, table, legend, caption } = drawn([seen(a), seen(b)]);
  expect(markCount(svg, "map-fixed")).toBe(2);
  expect(table.rows).toEqual([
    [a, "about 0.7 km²", 2, "1 May 2026"],
    [b, "about 0.7 km²", 2, "1 May 2026"],
  ]);
  expect(legend).toHaveLength(1);
  expect(caption).toBe("Baker was observed in 2 areas in and around Toronto.");
});

test("mobile assets have the city as their place: the outline is drawn, and no cell", () => {
  const { svg, table, legend, caption } = drawn([], ON_VEHICLES);
  expect([svg.includes('class="ground"'), svg.includes("map-fixed"), svg.includes("seen-")]).toEqual([
    true,
    false,
    false,
  ]);
  expect(legend).toEqual([]);
  expect(table.rows).toEqual([["Toronto", "city (mobile assets)", 9, "2 May 2026"]]);
  expect(caption).toBe(
    "Baker was observed in Toronto. The published place of 9 observations of mobile assets is Toronto, without an area on this map.",
  );
  expect(drawn([seen(CITY[0] ?? "")], ON_VEHICLES).table.rows).toHaveLength(2);
});

test("a cell that is small on the map has a ring around it", () => {
  const small = mapOf([seen(CITY[0] ?? "")]);
  const large = mapOf([seen(CITY[0] ?? "")], cityOutline(gridDisk(CITY[0] ?? "", 2)));
  expect("svg" in small && small.svg.includes("seen-ring")).toBe(true);
  expect("svg" in large && large.svg.includes("seen-ring")).toBe(false);
});

test("cells beyond the map are said, not drawn", () => {
  const far = latLngToCell(45, -79.38, 8);
  const { svg, caption, table } = drawn([seen(CITY[0] ?? ""), seen(far)]);
  expect(markCount(svg, "map-fixed")).toBe(1);
  expect(table.rows).toHaveLength(2);
  expect(caption).toMatch(/; 1 area is outside this map\.$/);
});

test("a page's map is below 4 kB, for a large city and many cells", () => {
  const ragged = cityOutline(CITY.filter((_, at) => at % 3 > 0));
  const cells = CITY.filter((_, at) => at % 15 === 0).map((id) => seen(id));
  const picture = mapOf(cells, ragged);
  expect("svg" in picture && picture.svg.length).toBeLessThan(4000);
});

test("without places, or without a city's list, there is a sentence", () => {
  expect(cityOutline([])).toBeUndefined();
  expect(mapOf([])).toHaveProperty("sentence");
  const facts = { id: "m", recordName: "B", cityName: "T", outline: undefined };
  const places = { cells: [seen(CITY[0] ?? "")], city: null };
  expect(recordMap({ ...facts, places })).toHaveProperty("sentence");
});

test.each(HOSTILE)("a record named %s", (name) => {
  const places = { cells: [seen(CITY[0] ?? "")], city: ON_VEHICLES };
  const picture = recordMap({ id: "map", recordName: name, cityName: "Toronto", outline: OUTLINE, places });
  expect("svg" in picture && svgFaults(picture.svg)).toEqual([]);
});
