import type { AgeShare, CityShare, ReadinessSummary } from "../../contract/records/search-ai-readiness.ts";
import type { RecordTally } from "../../snapshot/queries/tally-queries.ts";
import type { CityRow } from "../../snapshot/rows.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { cityDateOrNull, timeOrNull } from "../plain-values.ts";

/** Counts of a release's contents. All figures are sums over the same tallies. */
export function readinessSummary(snapshot: Snapshot): ReadinessSummary {
  const tallies = snapshot.recordTallies();
  const entities = sum(tallies, "records");
  const latest = latestObserved(tallies);
  const observedProduction = tallies.filter((tally) => !tally.isSynthetic && tally.observations > 0);
  return {
    metrics_available: entities > 0,
    metrics_status: entities > 0 ? "computed_from_release" : "no_published_records",
    public_entities: entities,
    public_observations: sum(tallies, "observations"),
    public_assets: sum(tallies, "assets"),
    cities_with_production_evidence: new Set(observedProduction.map(({ city }) => city)).size,
    synthetic_entities: sum(tallies.filter(isSynthetic), "records"),
    latest_public_observation_at: timeOrNull(latest?.lastObserved ?? null),
    latest_public_observation_on: dayOf(snapshot, latest),
    coverage_is_city_specific: true,
    city_distribution: cityDistribution(snapshot.cities(), tallies),
    freshness_distribution: freshnessDistribution(tallies),
  };
}

type Tallies = readonly RecordTally[];

function isSynthetic(tally: RecordTally): boolean {
  return tally.isSynthetic;
}

function sum(tallies: Tallies, figure: "records" | "observations" | "assets"): number {
  return tallies.reduce((total, tally) => total + tally[figure], 0);
}

/** Cities begin their days at different instants: the day that began last counts. */
function latestObserved(tallies: Tallies): RecordTally | undefined {
  return tallies.reduce<RecordTally | undefined>(
    (latest, tally) =>
      tally.lastObserved !== null && tally.lastObserved > (latest?.lastObserved ?? Number.NEGATIVE_INFINITY)
        ? tally
        : latest,
    undefined,
  );
}

function dayOf(snapshot: Snapshot, tally: RecordTally | undefined): string | null {
  return tally === undefined ? null : cityDateOrNull(tally.lastObserved, snapshot.city(tally.city)?.lng ?? 0);
}

function cityDistribution(cities: readonly CityRow[], tallies: Tallies): CityShare[] {
  const byCity = Map.groupBy(tallies, ({ city }) => city);
  return cities.map(({ slug, name, coverage }) => {
    const own = byCity.get(slug) ?? [];
    return {
      slug,
      name,
      entities: sum(own, "records"),
      synthetic_entities: sum(own.filter(isSynthetic), "records"),
      observations: sum(own, "observations"),
      assets: sum(own, "assets"),
      coverage: { tier: coverage.tier, level: coverage.level },
    };
  });
}

/** Maximum age of each class in whole days; the last class has all older records. */
const AGE_CLASSES = [30, 90, 180, 365];

/** Assigns each record to one class; the last is for records without accepted observations. */
function freshnessDistribution(tallies: Tallies): AgeShare[] {
  const bounds = [...AGE_CLASSES, null].map((max, index) => ({
    min: (AGE_CLASSES[index - 1] ?? -1) + 1,
    max,
  }));
  const classes = bounds.map(({ min, max }) => ({
    min_age_days: min,
    max_age_days: max,
    entities: sum(
      tallies.filter(({ ageDays }) => ageDays !== null && ageDays >= min && (max === null || ageDays <= max)),
      "records",
    ),
  }));
  const never = tallies.filter(({ ageDays }) => ageDays === null);
  return [...classes, { min_age_days: null, max_age_days: null, entities: sum(never, "records") }];
}
