import { gridDisk, latLngToCell } from "h3-js";
import { expect, test } from "vitest";
import { cityImage, siteImage } from "../../pictures/social/social-image.ts";
import { pngRenderer } from "./png-renderer.ts";

const renderer = await pngRenderer();
const CELLS = gridDisk(latLngToCell(43.54, -80.25, 8), 7).map((h3_cell, at) => ({
  h3_cell,
  eligible: at % 9 > 0,
  observations: at % 30,
  observations_90d: at % 25,
  weeks_looked_90d: at % 14,
}));

function svgOf(name: string, cells = CELLS): string {
  const facts = {
    service: "Presence",
    slug: "guelph",
    name,
    region: "Ontario, Canada",
    coverageLabel: "Coverage: growing (3 of 4)",
    records: 1,
    observations: 5089,
    cells,
    asOf: "2026-11-20T00:00:00Z",
    isSynthetic: true,
  };
  return cityImage(facts, renderer.fonts);
}

/** Signature, then width and height of the first chunk (PNG, third edition, 5.2 and 11.2.1). */
function sizeOf(png: Uint8Array): [width: number, height: number] {
  const bytes = Buffer.from(png);
  expect(bytes.subarray(0, 8).toString("latin1")).toBe("\x89PNG\r\n\x1a\n");
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

test("a city's picture is a PNG of 1200 by 630 below 100 kB, the same bytes each time", () => {
  const png = renderer.render(svgOf("Guelph"));
  expect(sizeOf(png)).toEqual([1200, 630]);
  expect(png.length).toBeLessThan(100_000);
  expect(Buffer.from(renderer.render(svgOf("Guelph"))).equals(png)).toBe(true);
});

test("the picture of the site, with and without cities", () => {
  const site = {
    service: "Presence",
    records: 3,
    observations: 4,
    asOf: "2026-11-20T00:00:00Z",
    isSynthetic: false,
  };
  const shown = siteImage({ ...site, cities: [{ lat: 43.5, lng: -80.2 }] }, renderer.fonts);
  expect(sizeOf(renderer.render(shown))).toEqual([1200, 630]);
  expect(shown).not.toContain("synthetic");
  expect(siteImage({ ...site, cities: [] }, renderer.fonts)).toContain(">0</tspan>");
});

test("the words of a city: numbers, date, and that the data is made up", () => {
  const seen = CELLS.filter((cell) => cell.eligible && cell.weeks_looked_90d > 0).length;
  const text = svgOf("Guelph")
    .replace(/<style>.*<\/style>/s, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");
  expect(text).toContain("Guelph Ontario, Canada Coverage: growing (3 of 4) 1 record 5,089 observations");
  expect(text).toContain(
    `${seen} of ${CELLS.filter(({ eligible }) => eligible).length} areas checked in 90 days`,
  );
  expect(text).toContain("As of 20 Nov 2026 (UTC) synthetic demonstration data");
});

test.each([
  ["</text><script>alert(1)</script> & \u0000\u0007", "&lt;script&gt;"],
  ["x".repeat(200), "…"],
  ["مدينة الجديدة", "مدينة"],
  ["松本市", ">guelph<"],
  ["Guelph 🎉🏳️‍🌈", ">guelph<"],
])("a city named %s", (name, shown) => {
  const svg = svgOf(name);
  expect(svg).toContain(shown);
  expect(svg).not.toContain("<script>");
  expect(sizeOf(renderer.render(svg))).toEqual([1200, 630]);
});

test("a city without cells has a picture, too", () => {
  expect(sizeOf(renderer.render(svgOf("Guelph", [])))).toEqual([1200, 630]);
});

test("the font knows what it has, and how wide that is", () => {
  const { bold } = renderer.fonts;
  expect([bold.covers("Zürich"), bold.covers("松"), bold.covers("")]).toEqual([true, false, true]);
  expect(bold.width("ii", 100)).toBeCloseTo(2 * bold.width("i", 100));
  expect(bold.width("W", 100)).toBeGreaterThan(bold.width("i", 100));
});
