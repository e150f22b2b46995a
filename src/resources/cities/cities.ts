import { type CityList, type CityListItem, CityList as CityListSchema } from "../../contract/cities/city.ts";
import { NoParams } from "../../contract/params.ts";
import { COVERAGE_VERSION } from "../../contract/versions.ts";
import { isoTime } from "../../kernel/time.ts";
import type { CityRow, ReleaseRow } from "../../snapshot/rows.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { defineResource, type PathValues } from "../define.ts";
import { carriedOf, coverageConfidence } from "../envelope.ts";
import { cityObject } from "./city-object.ts";

export const cities = defineResource({
  operationId: "listCities",
  path: "/api/v1/cities",
  summary: "List the covered cities with a summary of their coverage",
  description: "Returns a bare array in order of registration.",
  pathParams: {},
  query: NoParams.shape,
  wire: CityListSchema,
  example: { path: {}, query: {} },
  errors: [400],
  enumerate: () => [{}],
  load({ snapshot }): CityList {
    const release = snapshot.release();
    return snapshot.cities().map((city) => listItem(city, release));
  },
});

/** All published cities, for resources with one file per city. */
export function* cityPaths(snapshot: Snapshot): Iterable<PathValues> {
  for (const { slug } of snapshot.cities()) yield { city: slug };
}

function listItem(city: CityRow, release: ReleaseRow): CityListItem {
  const { tier, freshness, limitations } = city.coverage;
  return {
    id: city.id,
    ...cityObject(city, release.baseUrl),
    data_available: city.observationCount > 0,
    coverage: {
      ...coverageConfidence([city]),
      tier,
      freshness,
      methodology_version: COVERAGE_VERSION,
      calculated_at: isoTime(release.asOf),
      limitations,
    },
    ...carriedOf([city]),
  };
}
