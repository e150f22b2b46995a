import { type Coverage, CoverageStatusResponse } from "../../contract/cities/coverage.ts";
import { CityParams } from "../../contract/params.ts";
import { COVERAGE_VERSION } from "../../contract/versions.ts";
import { isoTime } from "../../kernel/time.ts";
import type { CityRow, ReleaseRow } from "../../snapshot/rows.ts";
import { defineResource } from "../define.ts";
import { carriedOf } from "../envelope.ts";
import { cityPaths, cityRef, coveredCity } from "./cities.ts";
import { demandOf } from "./pulse.ts";

export const coverageStatus = defineResource({
  operationId: "getCoverageStatus",
  path: "/api/v1/coverage-status/{city}",
  summary: "Get a city's coverage and how it was computed",
  description: "For an unknown city, the 404 response lists the covered cities in `available_cities`.",
  pathParams: CityParams.shape,
  query: {},
  wire: CoverageStatusResponse,
  example: { path: { city: "exampleville" }, query: {} },
  errors: [400, 404],
  enumerate: cityPaths,
  load({ snapshot }, { city: slug }) {
    const available_cities = snapshot.cities().map(cityRef);
    const city = coveredCity(snapshot, slug, { requested_city: slug, available_cities });
    return {
      requested_city: slug,
      status: city.coverage.tier,
      data_available: city.observationCount > 0,
      message: city.coverage.message,
      city: cityRef(city),
      coverage: coverage(city, snapshot.release()),
      demand: demandOf(snapshot, slug),
      available_cities,
      ...carriedOf([city]),
    };
  },
});

function coverage(city: CityRow, release: ReleaseRow): Coverage {
  const { tier, label, freshness, level, tierSince, limitations, metrics, denseGate, history } =
    city.coverage;
  return {
    tier,
    label,
    freshness,
    confidence: level,
    methodology_version: COVERAGE_VERSION,
    tier_since: tierSince,
    calculated_at: isoTime(release.asOf),
    snapshot_id: city.snapshotId,
    coverage_basis: "eligible_cell_ratio",
    eligible_cell_manifest_id: city.cellManifestId,
    denominator_status: city.denominatorReviewed ? "reviewed" : "unreviewed",
    limitations,
    metrics: { ...metrics },
    dense_gate: {
      ...denseGate,
      requirements: denseGate.requirements.map((requirement) => ({ ...requirement })),
      missing_requirements: [...denseGate.missing_requirements],
    },
    history: history.map((point) => ({ ...point })),
  };
}
