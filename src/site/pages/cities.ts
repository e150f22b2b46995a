import { cellToLatLng } from "h3-js";
import type { CityCell } from "../../contract/cities/city.ts";
import { TIER_WORDS } from "../../contract/cities/coverage.ts";
import { ConfidenceLevel, CoverageTier, Freshness } from "../../contract/enums.ts";
import { CONFIDENCE_NOTE } from "../../contract/records/claim-boundary.ts";
import { barChart } from "../../pictures/charts/bar-chart.ts";
import { coverageTrend } from "../../pictures/charts/time-chart.ts";
import { cityMap, STEPS } from "../../pictures/maps/city-map.ts";
import { worldMap } from "../../pictures/maps/world-map.ts";
import type { NoPicture, Picture } from "../../pictures/picture.ts";
import { cityImagePath } from "../../pictures/social/social-image.ts";
import { cityDataset, jsonLdText } from "../../render/formats/json-ld.ts";
import {
  AREAS_CHECKED,
  FRESHNESS_MEANINGS,
  FRESHNESS_WORDS,
  TIER_MEANINGS,
} from "../../render/words/coverage.ts";
import { demandText } from "../../render/words/words.ts";
import { activeRecords, cityCells, cityIndustries } from "../../resources/cities/cities.ts";
import { cityIndex } from "../../resources/cities/city-index.ts";
import { cityAccuracy, coverageStatus } from "../../resources/cities/coverage.ts";
import { latestEvents, pulse } from "../../resources/cities/pulse.ts";
import { recentFigures } from "../../resources/cities/tables.ts";
import type { ReadContext } from "../../resources/define.ts";
import {
  cityAlternates,
  cityCellsAlternates,
  cityChangesAlternates,
  cityIndustryAlternates,
  homeAlternates,
} from "../navigation.ts";
import type { CityOrder } from "../query/coverage.ts";
import type { MapSettings } from "../scripts/map-style.ts";
import { perCity, perSite, type Site } from "../site.ts";

const LATEST_EVENTS = 6;

type CityRow = ReturnType<ReadContext["snapshot"]["cities"]>[number];

/** What can be compared between cities. */
export interface ComparedCity extends Pick<CityRow["coverage"], "tier" | "level" | "freshness" | "metrics"> {
  readonly slug: string;
  readonly name: string;
  readonly place: string; // where it lies
  readonly recent: ReturnType<typeof recentFigures>;
}

/** All cities by name. */
export const comparedCities = perSite(({ context }): readonly ComparedCity[] =>
  context.snapshot
    .cities()
    .map((city) => comparedCity(context, city))
    .sort((a, b) => a.name.localeCompare(b.name, "en")),
);

function comparedCity(context: ReadContext, city: CityRow): ComparedCity {
  const { slug, name, coverage } = city;
  const { tier, level, freshness, metrics } = coverage;
  return {
    slug,
    name,
    place: [city.region, city.countryName].filter(Boolean).join(", "),
    tier,
    level,
    freshness,
    metrics,
    recent: recentFigures(context.snapshot, slug),
  };
}

const MEASURES: Readonly<Record<Exclude<CityOrder, "name">, (city: ComparedCity) => number>> = {
  areas: ({ metrics }) => metrics.cell_coverage_ratio_90d,
  observers: ({ metrics }) => metrics.independent_scout_observers_180d,
  density: ({ recent }) => recent.sightings_per_area_90d ?? -1,
  new: ({ recent }) => recent.new_records_30d,
};

/** Equal ones stay by name. */
export function citiesInOrder(site: Site, order: CityOrder): readonly ComparedCity[] {
  const byName = comparedCities(site);
  if (order === "name") return byName;
  const measure = MEASURES[order];
  return byName.toSorted((a, b) => measure(b) - measure(a));
}

export function homePage(site: Site) {
  const { context } = site;
  const records = context.snapshot.cities().reduce((sum, { recordCount }) => sum + recordCount, 0);
  const observations = context.snapshot.cities().reduce((sum, city) => sum + city.observationCount, 0);
  return {
    cities: comparedCities(site),
    map: worldMap({
      id: "world",
      cities: context.snapshot.cities().map(({ slug, name, lat, lng, coverage: { tier } }) => {
        return { name, href: `/city/${slug}/`, lat, lng, tier };
      }),
    }),
    totals: { records, observations },
    events: latestEvents(context, LATEST_EVENTS),
    alternates: homeAlternates(),
  };
}

/** Data of the coverage overview besides its table, by city name. */
export function coveragePage(site: Site) {
  const { context } = site;
  const cities = comparedCities(site);
  const rows = cities.map((city) => {
    const { coverage, demand } = coverageStatus.read(context, { city: city.slug }, {});
    return { city, gate: coverage.dense_gate, limitations: coverage.limitations, demand: demandText(demand) };
  });
  return {
    rows,
    chart: barChart({
      id: "cells-seen",
      title: `${AREAS_CHECKED}, as a share of each city`,
      unit: "%",
      whole: 100,
      rows: cities.map(({ name, tier, metrics }) => ({
        label: name,
        value: Math.round(metrics.cell_coverage_ratio_90d * 1000) / 10,
        note: TIER_WORDS[tier],
      })),
    }),
    limitations: rows[0]?.limitations,
    meanings: {
      tiers: CoverageTier.options.map((code) => ({
        code,
        term: TIER_WORDS[code],
        text: TIER_MEANINGS[code],
      })),
      levels: ConfidenceLevel.options.map((code) => ({ code, term: code, text: CONFIDENCE_NOTE[code] })),
      freshness: Freshness.options.map((code) => ({
        code,
        term: FRESHNESS_WORDS[code],
        text: FRESHNESS_MEANINGS[code],
      })),
    },
  };
}

const SHOWN_EVENTS = "3";

/** Data of a city's page, except the table of records, which takes arguments (site/query/city.ts). */
export const cityPage = perCity((site, slug) => {
  const { context } = site;
  const index = cityIndex.read(context, { city: slug }, { limit: "1" });
  const { coverage } = coverageStatus.read(context, { city: slug }, {});
  const { events, feeds, total_count } = pulse.read(context, { city: slug }, { limit: SHOWN_EVENTS });
  return {
    index,
    records: recordsOf(site, slug),
    coverage,
    accuracy: cityAccuracy.read(context, { city: slug }, {}),
    demand: demandText(index.demand),
    events,
    eventCount: total_count,
    feeds,
    map: mapOf(site, slug),
    trend: coverageTrend({ id: "trend", cityName: index.city.name, points: coverage.history }),
    sections: cityIndustries(context, slug).filter(({ level }) => level === "section"),
    dataset: jsonLdText(cityDataset(context.snapshot, slug)),
    alternates: cityAlternates(slug, index.city.name),
    image: cityImagePath(slug),
  };
});

export function cellsPage(site: Site, slug: string) {
  const { context } = site;
  const { city } = cityIndex.read(context, { city: slug }, { limit: "1" });
  return {
    city,
    cells: cityCells(context, slug),
    map: mapOf(site, slug),
    alternates: cityCellsAlternates(slug, city.name),
    image: cityImagePath(slug),
  };
}

export function changesPage({ context }: Site, slug: string) {
  const { city } = cityIndex.read(context, { city: slug }, { limit: "1" });
  return { city, alternates: cityChangesAlternates(slug, city.name), image: cityImagePath(slug) };
}

/** Data of an industry page in a city, with child industries and the parent. */
export function cityIndustryPage({ context }: Site, slug: string, code: string) {
  const { city, coverage_confidence } = cityIndex.read(context, { city: slug }, { limit: "1" });
  const industries = cityIndustries(context, slug);
  const industry = industries.find((each) => each.code === code);
  if (industry === undefined) throw new Error(`no industry ${code} in ${slug}`);
  const isSection = industry.level === "section";
  return {
    city,
    industry,
    above: isSection ? undefined : industries.find((each) => each.code === industry.section),
    below: isSection ? industries.filter((each) => each.section === code && each.code !== code) : [],
    confidenceNote: coverage_confidence.note,
    alternates: cityIndustryAlternates(slug, city.name, industry),
    image: cityImagePath(slug),
  };
}

/** Counts of listed records; the index excludes dissolved ones. */
function recordsOf({ context }: Site, slug: string) {
  const city = context.snapshot.city(slug);
  if (city === undefined) throw new Error(`no city ${slug} in this release`);
  const active = activeRecords(city);
  return { listed: city.recordCount, active, dissolved: city.recordCount - active };
}

function mapOf({ context }: Site, slug: string): Picture | NoPicture {
  const { name } = cityIndex.read(context, { city: slug }, { limit: "1" }).city;
  const cells = cityCells(context, slug);
  const map = cityMap({ id: "map", cityName: name, cells });
  return "svg" in map ? { ...map, openMap: JSON.stringify(cityMapSettings(context, slug, cells)) } : map;
}

const MAX_PLACES = 12;
const PLACES_BEYOND = 0.25; // degrees

/** What the script of the map has to know: see `MapSettings`. */
function cityMapSettings({ snapshot }: ReadContext, slug: string, cells: readonly CityCell[]): MapSettings {
  const middles = cells.map(({ h3_cell }) => cellToLatLng(h3_cell));
  const [lats, lngs] = [middles.map(([lat]) => lat), middles.map(([, lng]) => lng)];
  const places = snapshot.placesBetween({
    south: Math.min(...lats) - PLACES_BEYOND,
    north: Math.max(...lats) + PLACES_BEYOND,
    west: Math.min(...lngs) - PLACES_BEYOND,
    east: Math.max(...lngs) + PLACES_BEYOND,
    limit: MAX_PLACES,
  });
  return { city: slug, steps: STEPS, places };
}
