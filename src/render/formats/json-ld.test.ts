import fc from "fast-check";
import { expect, test } from "vitest";
import { fakeCity } from "../../../tests/support/release/fake-rows.ts";
import { fakeSnapshot } from "../../../tests/support/release/fake-snapshot.ts";
import type { JsonObject } from "../../kernel/text/json.ts";
import { cityDataset, jsonLdText } from "./json-ld.ts";

const row = {
  city: "alpha",
  industry: "5610",
  assetType: "storefront",
  claimState: "unclaimed",
  entities: 2,
  observations: 9,
  observedCells: 2,
  assets: 2,
  avgPps: null,
  avgPercentile: null,
  firstObserved: Date.parse("2026-02-03T10:00:00Z"),
  lastObserved: Date.parse("2026-06-18T10:00:00Z"),
} as const;
const earlier = { ...row, firstObserved: Date.parse("2025-12-31T23:00:00Z"), lastObserved: null };

test("a city's aggregates are an open data set with its place, span and files", () => {
  const dataset = cityDataset(fakeSnapshot({ explorer: [row, earlier] }), "alpha");
  expect(dataset).toMatchObject({
    "@type": "Dataset",
    url: "https://presence.test/city/alpha/",
    license: "https://creativecommons.org/licenses/by/4.0/",
    isAccessibleForFree: true,
    dateModified: "2026-06-30",
    temporalCoverage: "2025-12-31/2026-06-18",
    spatialCoverage: { "@type": "Place", name: "Alpha, Ontario, Canada" },
    distribution: [
      { encodingFormat: "text/csv", contentUrl: "https://presence.test/api/v1/explorer.csv?city=alpha" },
      {
        encodingFormat: "application/geo+json",
        contentUrl: "https://presence.test/exports/cells/alpha.geojson",
      },
      {
        encodingFormat: "application/json",
        contentUrl: "https://presence.test/api/v1/coverage-status/alpha",
      },
    ],
    subjectOf: { encodingFormat: "application/rss+xml", url: "https://presence.test/pulse/alpha/rss.xml" },
  });
  expect(dataset["description"]).toContain("never proves absence");
});

test("the span is of the city's days", () => {
  const snapshot = fakeSnapshot({
    cities: [fakeCity(1, "Napier", { lng: 176.92 })],
    explorer: [{ ...earlier, city: "napier", lastObserved: Date.parse("2026-06-18T12:00:00Z") }],
  });
  expect(cityDataset(snapshot, "napier")).toMatchObject({ temporalCoverage: "2026-01-01/2026-06-19" });
});

test("it has no coordinates and calls nothing a business", () => {
  const text = jsonLdText(cityDataset(fakeSnapshot({ explorer: [row] }), "alpha"));
  expect(text).not.toMatch(/LocalBusiness|latitude|longitude|"geo"|GeoCoordinates/i);
});

test("a city where nothing was observed has no span", () => {
  expect(cityDataset(fakeSnapshot(), "alpha")).not.toHaveProperty("temporalCoverage");
});

test("no name ends the script element that it stands in", () => {
  const city = fakeCity(1, "</script><script>alert(1)</script><!--");
  const snapshot = fakeSnapshot({ cities: [city] });
  const text = jsonLdText(cityDataset(snapshot, city.slug));
  expect(text).not.toContain("<");
  expect(JSON.parse(text).spatialCoverage.address.addressLocality).toBe(city.name);
});

test("whatever it holds, it reads back as it was", () => {
  const value = fc.dictionary(
    fc.string().filter((name) => name !== "__proto__"),
    fc.string(),
  );
  fc.assert(
    fc.property(value, (members) => {
      const given: JsonObject = { ...members };
      const text = jsonLdText(given);
      expect(text).not.toContain("<");
      expect(JSON.parse(text)).toEqual(given);
    }),
  );
});
