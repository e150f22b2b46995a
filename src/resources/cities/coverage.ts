import {
  type AccuracyMeasurement,
  CityAccuracyResponse,
  type Coverage,
  CoverageStatusResponse,
  type SharesByType,
  type SignShare,
} from "../../contract/cities/coverage.ts";
import { MINIMUMS } from "../../contract/limits.ts";
import { CityParams } from "../../contract/params.ts";
import { COVERAGE_VERSION, REVISIT_VERSION } from "../../contract/versions.ts";
import { isoTime } from "../../kernel/time.ts";
import type { CityAccuracy, CityRow, ReleaseRow } from "../../snapshot/rows.ts";
import { defineResource } from "../define.ts";
import { carriedOf, cityEnvelope } from "../envelope.ts";
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

const NOTE =
  "Assets and checked areas are drawn by the hash of a seal, so nobody can choose them, and anyone can draw them again. What was found there rests on the operator's word. It covers fixed assets in cells that observers looked at, and says nothing about other cells.";

export const cityAccuracy = defineResource({
  operationId: "getCityAccuracy",
  path: "/api/v1/city/{city}/accuracy",
  summary: "Get the measured accuracy of a city's listed assets",
  description:
    "Two shares of the newest measurement, with 95 % intervals: of the listed active assets, how many are there (`precision`); of the signs that are there, how many were listed (`detection_rate`). `measurement` is null for a city that was never measured.",
  pathParams: CityParams.shape,
  query: {},
  wire: CityAccuracyResponse,
  example: { path: { city: "exampleville" }, query: {} },
  errors: [400, 404],
  enumerate: cityPaths,
  load({ snapshot }, { city: slug }) {
    const city = coveredCity(snapshot, slug);
    const { plans, plansWithoutResult, measured } = city.accuracy;
    return {
      city: cityRef(city),
      methodology_version: REVISIT_VERSION,
      plans,
      plans_without_result: plansWithoutResult,
      measurement: measured && measurementWire(measured),
      note: NOTE,
      ...cityEnvelope(snapshot.release(), [city]),
    };
  },
});

type Measured = NonNullable<CityAccuracy["measured"]>;
type Shares = Measured["measurement"]["precision"];
type Share = Shares["total"];

function measurementWire({
  measurement,
  planRow,
  resultRow,
  manifestSha256,
  age,
}: Measured): AccuracyMeasurement {
  const { precision, detection, assetsDrawn, assetsVisited, cellsDrawn, cellsVisited } = measurement;
  return {
    visited_from: age.from,
    visited_until: age.until,
    age_days: age.days,
    supports_high: age.supportsHigh,
    plan_row: planRow,
    result_row: resultRow,
    manifest_sha256: manifestSha256,
    assets_drawn: assetsDrawn,
    assets_visited: assetsVisited,
    cells_drawn: cellsDrawn,
    cells_visited: cellsVisited,
    precision: sharesWire(precision, "exact"),
    detection_rate: sharesWire(detection, "exact for the effective number of signs in clusters"),
  };
}

function sharesWire({ total, byType }: Shares, method: string): SharesByType {
  return {
    total: shareWire(total, method),
    by_asset_type: {
      storefront: shareWire(byType.storefront, method),
      billboard: shareWire(byType.billboard, method),
      site_sign: shareWire(byType.site_sign, method),
    },
  };
}

function shareWire({ value, hits, signs, interval, unknown }: Share, method: string): SignShare {
  return {
    value,
    hits,
    signs,
    confidence_interval: interval && { ...interval, level: 0.95, method },
    not_yet_known: unknown && `Not yet known: ${UNKNOWN[unknown]}.`,
  };
}

const UNKNOWN: Readonly<Record<NonNullable<Share["unknown"]>, string>> = {
  too_few_reached: "too many of the drawn places were not visited",
  too_few_signs: `fewer than ${MINIMUMS.visitedSigns} signs`,
  too_few_cells: `signs in fewer than ${MINIMUMS.visitedCells} cells`,
};
