import type { CityListItem } from "../contract/cities/city.ts";
import type { CoverageContext, CoverageInShort, Detail } from "../contract/mcp/fields.ts";
import { nameKey } from "../kernel/text/name-key.ts";
import { cities } from "../resources/cities/cities.ts";
import { coverageStatus } from "../resources/cities/coverage.ts";
import type { ReadContext } from "../resources/define.ts";
import { coverageConfidence, sparsest } from "../resources/envelope.ts";
import { cityUrl, coverageUrl } from "../resources/links.ts";
import { ToolError } from "./tools/define-tool.ts";

/** Where a name was looked for, with the coverage that every result includes: a covered city, or all of them. */
export interface Scope {
  readonly name: string; // after "in"
  readonly url: string;
  /** Says that no others were searched; empty for a city that was asked for. */
  readonly reach: string;
  readonly coverage: CoverageContext;
  readonly dataAsOf: string;
}

export interface City extends Scope {
  readonly slug: string;
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

/** All covered cities. The coverage is that of the least observed one among those of the answer (slugs; default: all). */
export function allCities({ snapshot, ...context }: ReadContext, among?: ReadonlySet<string>): Scope {
  const rows = snapshot.cities();
  const inAnswer = rows.filter(({ slug }) => among?.has(slug) ?? true);
  const least = sparsest(inAnswer);
  if (least === undefined) throw new ToolError("No city is covered yet, so nothing follows from this.");
  const { coverage, dataAsOf } = findCity({ snapshot, ...context }, least.slug);
  const name = rows.length === 1 ? least.name : `the ${rows.length} covered cities`;
  return {
    name,
    url: coverageUrl(snapshot.release().baseUrl),
    reach: `Only ${rows.length === 1 ? `${name}, the one covered city, was` : `${name} were`} searched.`,
    coverage: { ...coverage, note: coverageConfidence(inAnswer).note },
    dataAsOf,
  };
}

/** What an answer about a record or about changes says of its city. */
export function cityMembers({ coverage, dataAsOf }: Scope, detail: Detail) {
  const { tier, level, note } = coverage;
  const coverage_context: CoverageInShort = detail === "full" ? coverage : { tier, level, note };
  return { coverage_context, data_as_of: dataAsOf };
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
    url: cityUrl(context.snapshot.release().baseUrl, slug),
    reach: "",
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
