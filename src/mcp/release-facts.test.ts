import { describe, expect, test } from "vitest";
import { fakeCity } from "../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../tests/support/release/fake-snapshot.ts";
import { allCities, findCity } from "./release-facts.ts";
import { ToolError } from "./tools/define-tool.ts";

const context = fakeContext({
  cities: [
    fakeCity(1, "Alpha"),
    fakeCity(2, "Montréal", { slug: "montreal", region: "Québec" }),
    fakeCity(3, "Springfield", { slug: "springfield-illinois", region: "Illinois" }),
    fakeCity(4, "Springfield", { slug: "springfield-oregon", region: "Oregon" }),
    fakeCity(5, "東京", { slug: "tokyo", region: "東京都", country: "JP", countryName: "Japan" }),
  ],
});

function refusal(given: string, asked = context): string {
  try {
    findCity(asked, given);
  } catch (error) {
    expect(error).toBeInstanceOf(ToolError);
    return error instanceof ToolError ? error.message : "";
  }
  throw new Error(`${given} was found`);
}

test.each([
  ["the slug", "montreal"],
  ["the display name", "Montréal"],
  ["other case", "MONTRÉAL"],
  ["no accents", "montreal"],
  ["accents as marks", "Montre\u0301al"],
  ["the region", "Montréal, Québec"],
  ["the country", "Montreal, Canada"],
  ["the country's code", "montreal, ca"],
  ["the label", "Montréal, Québec, Canada"],
  ["other punctuation", " Montreal – Quebec "],
])("finds a city by %s", (_by, given) => {
  expect(findCity(context, given)).toMatchObject({ slug: "montreal", name: "Montréal" });
});

test("finds a city by a name in another script", () => {
  expect(findCity(context, "東京").slug).toBe("tokyo");
  expect(findCity(context, "Tokyo").slug).toBe("tokyo");
});

describe("a name of several cities", () => {
  test("is not guessed: the answer has their slugs", () => {
    expect(refusal("Springfield")).toMatchInlineSnapshot(
      `"Several covered cities have that name. Pass one of these slugs: springfield-illinois (Springfield, Illinois, Canada), springfield-oregon (Springfield, Oregon, Canada)."`,
    );
  });

  test("is told apart by region or slug", () => {
    expect(findCity(context, "Springfield, Oregon").slug).toBe("springfield-oregon");
    expect(findCity(context, "springfield-illinois").slug).toBe("springfield-illinois");
  });
});

describe("an unknown city", () => {
  test("is answered with those that are covered", () => {
    expect(refusal("Atlantis")).toMatchInlineSnapshot(
      `"The service covers no city of that name, which says nothing about the city. Pass one of these slugs as city: alpha (Alpha, Ontario, Canada), montreal (Montréal, Québec, Canada), springfield-illinois (Springfield, Illinois, Canada), springfield-oregon (Springfield, Oregon, Canada), tokyo (東京, 東京都, Japan)."`,
    );
  });

  test.each(["Alph", "alphaa", "", "---", "🏙️", "\u200b", "__proto__", "constructor", "x".repeat(200)])(
    "%o is no city, and no part of a name is enough",
    (given) => {
      expect(refusal(given)).toMatch(/^The service covers no city of that name/);
    },
  );

  test("the list is cut where there are many, and there may be none", () => {
    const cities = Array.from({ length: 60 }, (_, at) => fakeCity(at, `City ${at}`, { slug: `city-${at}` }));
    const text = refusal("Atlantis", fakeContext({ cities }));
    expect(text).toMatch(/, city-49 \(City 49, Ontario, Canada\), and 10 more in \/api\/v1\/cities\.$/);
    expect(refusal("Atlantis", fakeContext({ cities: [] }))).toMatch(/No city is covered yet\.$/);
  });
});

test("all cities are named by their number, or by the one that there is; without any, nothing follows", () => {
  expect(allCities(context)).toMatchObject({
    name: "the 5 covered cities",
    reach: "Only the 5 covered cities were searched.",
    coverage: { note: expect.stringMatching(/^Of 5 cities, Alpha has the lowest coverage\. /) },
  });
  expect(allCities(fakeContext({ cities: [fakeCity(1, "Alpha")] }))).toMatchObject({
    name: "Alpha",
    reach: "Only Alpha, the one covered city, was searched.",
    coverage: findCity(context, "alpha").coverage,
  });
  const none = fakeContext({ cities: [] });
  expect(() => allCities(none)).toThrow("No city is covered yet, so nothing follows from this.");
});

test("every city comes with what a missing record means there", () => {
  expect(findCity(context, "alpha")).toMatchInlineSnapshot(`
    {
      "coverage": {
        "coverage_basis": "eligible_cell_ratio",
        "denominator_status": "reviewed",
        "dense_gate": {
          "available": true,
          "eligible": false,
          "missing_requirements": [
            "eligible_cell_coverage",
          ],
        },
        "eligible_cell_manifest_id": "8ed3f6ad685b959ead7022518e1af76cd816f8e8ec7ccdda1ed4018e8f2223f8",
        "level": "medium",
        "metrics": {
          "cell_coverage_ratio_90d": 0.275,
          "eligible_coverage_cells": 40,
          "independent_scout_observers_180d": 2,
          "observed_eligible_cells_90d": 11,
        },
        "note": "Some areas of this city were checked in two or more weeks of the last 90 days. A missing record is not evidence of absence.",
        "tier": "building",
      },
      "dataAsOf": "2026-06-30T00:00:00Z",
      "name": "Alpha",
      "reach": "",
      "slug": "alpha",
      "url": "https://presence.test/city/alpha/",
    }
  `);
});

test("facts are those of the release that is asked, whichever was asked before", () => {
  const later = fakeContext({ cities: [fakeCity(1, "Alpha", { name: "Alpha Harbour" })] });
  expect(findCity(context, "alpha").name).toBe("Alpha");
  expect(findCity(later, "Alpha Harbour").name).toBe("Alpha Harbour");
  expect(refusal("Montreal", later)).toContain("alpha (Alpha Harbour, Ontario, Canada)");
  expect(findCity(context, "alpha").name).toBe("Alpha");
});
