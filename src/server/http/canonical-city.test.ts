import { expect, test } from "vitest";
import { canonicalCity } from "./canonical-city.ts";

const FILES = new Set([
  "/city/guelph/",
  "/city/guelph/cells/",
  "/pulse/guelph/rss.xml",
  "/exports/cells/guelph.geojson",
]);
const files = { load: async (path: string) => (FILES.has(path) ? path : undefined) };

test.each([
  ["/city/Guelph/", "", "/city/guelph/"],
  ["/city/GUELPH", "sort=name", "/city/guelph/?sort=name"],
  ["/city/GUELPH/cells", "", "/city/guelph/cells/"],
  ["/pulse/GuElPh/rss.xml", "", "/pulse/guelph/rss.xml"],
  ["/exports/cells/GUELPH.geojson", "x=%zz", "/exports/cells/guelph.geojson?x=%zz"],
])("%s?%s leads to the file", async (pathname, query, location) => {
  expect(await canonicalCity(files, { pathname, query })).toBe(location);
});

test.each([
  "/city/guelph/",
  "/city/Atlantis/",
  "/city/guelph/Cells/",
  "/City/guelph/",
  "/record/GUELPH/",
  "/api/v1/city/GUELPH/index",
  "/city/",
  "//evil.example/City",
  "/city//Guelph/",
])("%s is left as it is", async (pathname) => {
  expect(await canonicalCity(files, { pathname, query: "" })).toBeUndefined();
});
