import type { CityListItem } from "../contract/cities/city.ts";
import type { CoverageContext } from "../contract/mcp/fields.ts";
import { nameKey } from "../kernel/text/name-key.ts";
import { cities } from "../resources/cities/cities.ts";
import { coverageStatus } from "../resources/cities/coverage.ts";
import type { ReadContext } from "../resources/define.ts";
import { ToolError } from "./tools/define-tool.ts";

/** A covered city with the coverage that every result about it includes. */
export interface City {
  readonly slug: string;
  readonly name: string;
  readonly coverage: CoverageContext;
  readonly dataAsOf: string;
}

interface ReleaseFacts {
  readonly bySlug: ReadonlyMap<string, CityListItem>;
  /** Cities by all their normalized names. */
  readonly byName: ReadonlyMap<string, readonly CityListItem[]>;
  readonly read: Map<string, City>;
}

// Derived once per release, which never changes.
const factsOf = new WeakMap<ReadContext["snapshot"], ReleaseFacts>();

const MAX_NAMED = 50;

/** Finds a city by slug or display name. Throws ToolError that lists the available cities. */
export function findCity(context: ReadContext, text: string): City {
  const facts = releaseFacts(context);
  const match = facts.bySlug.get(text) ?? onlyNamed(facts, text);
  const known = facts.read.get(match.slug);
  if (known !== undefined) return known;
  const city = cityOf(context, match);
  facts.read.set(match.slug, city);
  return city;
}

/** Names a city in an error: `guelph (Guelph, Ontario, Canada)`. */
export function cityLabel(context: ReadContext, slug: string): string {
  const listed = releaseFacts(context).bySlug.get(slug);
  return listed === undefined ? slug : named(listed);
}

function releaseFacts(context: ReadContext): ReleaseFacts {
  const known = factsOf.get(context.snapshot);
  if (known !== undefined) return known;
  const listed = cities.read(context, {}, {});
  const keyed = listed.flatMap((city) => keysOf(city).map((key) => ({ key, city })));
  const facts = {
    bySlug: new Map(listed.map((city) => [city.slug, city])),
    byName: new Map(
      [...Map.groupBy(keyed, ({ key }) => key)].map(([key, group]) => [key, group.map(({ city }) => city)]),
    ),
    read: new Map(),
  };
  factsOf.set(context.snapshot, facts);
  return facts;
}

/** `Guelph`, `Guelph, Ontario`, `Guelph, Canada`, `Guelph, CA`, `Guelph, Ontario, Canada`, each once. */
function keysOf({ slug, name, region, country, country_name, display_label }: CityListItem): string[] {
  const places = [region, country_name, country].map((place) => `${name}, ${place}`);
  return [...new Set([slug, name, display_label, ...places].map(nameKey))];
}

function onlyNamed({ bySlug, byName }: ReleaseFacts, text: string): CityListItem {
  const [first, ...others] = byName.get(nameKey(text)) ?? [];
  if (first === undefined)
    throw new ToolError(
      `The service covers no city of that name, which says nothing about the city. ${coveredCities(bySlug)}`,
    );
  if (others.length === 0) return first;
  const choices = [first, ...others].map(named);
  throw new ToolError(
    `Several covered cities have that name. Pass one of these slugs: ${choices.join(", ")}.`,
  );
}

function named({ slug, display_label }: CityListItem): string {
  return `${slug} (${display_label})`;
}

function coveredCities(bySlug: ReleaseFacts["bySlug"]): string {
  if (bySlug.size === 0) return "No city is covered yet.";
  const labels = [...bySlug.values()].slice(0, MAX_NAMED).map(named);
  const others = bySlug.size - labels.length;
  return `Pass one of these slugs as city: ${labels.join(", ")}${others > 0 ? `, and ${others} more in /api/v1/cities` : ""}.`;
}

function cityOf(context: ReadContext, { slug, name, coverage: { level, note } }: CityListItem): City {
  const { coverage } = coverageStatus.read(context, { city: slug }, {});
  const { metrics, dense_gate } = coverage;
  return {
    slug,
    name,
    dataAsOf: coverage.calculated_at,
    coverage: {
      tier: coverage.tier,
      coverage_basis: coverage.coverage_basis,
      eligible_cell_manifest_id: coverage.eligible_cell_manifest_id,
      denominator_status: coverage.denominator_status,
      metrics: {
        eligible_coverage_cells: metrics.eligible_coverage_cells,
        observed_eligible_cells_90d: metrics.observed_eligible_cells_90d,
        cell_coverage_ratio_90d: metrics.cell_coverage_ratio_90d,
        independent_scout_observers_180d: metrics.independent_scout_observers_180d,
      },
      dense_gate: {
        eligible: dense_gate.eligible,
        available: dense_gate.available,
        missing_requirements: dense_gate.missing_requirements,
      },
      level,
      note,
    },
  };
}
