import type { Coverage } from "../../contract/cities/coverage.ts";
import { ConfidenceLevel, CoverageTier, Freshness } from "../../contract/enums.ts";
import { CONFIDENCE_NOTE } from "../../contract/records/claim-boundary.ts";
import { barChart } from "../../pictures/charts/bar-chart.ts";
import { demandText, FRESHNESS_MEANINGS, TIER_MEANINGS } from "../../render/words/words.ts";
import { cities } from "../../resources/cities/cities.ts";
import { coverageStatus } from "../../resources/cities/coverage-status.ts";
import type { Site } from "../site.ts";

/** Data of the coverage overview, by city name. */
export function coveragePage({ context }: Site) {
  const rows = [...cities.read(context, {}, {})]
    .sort((a, b) => a.name.localeCompare(b.name, "en"))
    .map((city) => {
      const { coverage, demand } = coverageStatus.read(context, { city: city.slug }, {});
      const missing = coverage.dense_gate.requirements.filter(({ met }) => !met);
      return { city, coverage, missing, streak: streakText(coverage), demand: demandText(demand) };
    });
  return {
    rows,
    chart: barChart({
      id: "cells-seen",
      title: "Share of the eligible cells with a citation in the last 90 days",
      unit: "%",
      whole: 100,
      rows: rows.map(({ city, coverage }) => ({
        label: city.name,
        value: Math.round(coverage.metrics.cell_coverage_ratio_90d * 1000) / 10,
        note: coverage.tier,
      })),
    }),
    limitations: rows[0]?.coverage.limitations,
    meanings: {
      tiers: CoverageTier.options.map((term) => ({ term, text: TIER_MEANINGS[term] })),
      levels: ConfidenceLevel.options.map((term) => ({ term, text: CONFIDENCE_NOTE[term] })),
      freshness: Freshness.options.map((term) => ({ term, text: FRESHNESS_MEANINGS[term] })),
    },
  };
}

/** Progress of a city that meets all requirements today. */
function streakText({
  dense_gate: { available, pass_streak_days, required_stability_days },
}: Coverage): string {
  if (available) return "none: the city is dense";
  return `none today, met for ${pass_streak_days} of ${required_stability_days} required days in a row`;
}
