import { cellToLatLng } from "h3-js";
import type { CityCell, CityListItem } from "../../contract/cities/city.ts";
import type { Coverage } from "../../contract/cities/coverage.ts";
import { ConfidenceLevel, CoverageTier, Freshness } from "../../contract/enums.ts";
import { CONFIDENCE_NOTE } from "../../contract/records/claim-boundary.ts";
import { barChart } from "../../pictures/charts/bar-chart.ts";
import { coverageTrend } from "../../pictures/charts/time-chart.ts";
import { cityMap, STEPS } from "../../pictures/maps/city-map.ts";
import { worldMap } from "../../pictures/maps/world-map.ts";
import type { NoPicture, Picture } from "../../pictures/picture.ts";
import { cityImagePath } from "../../pictures/social/social-image.ts";
import { cityDataset, jsonLdText } from "../../render/formats/json-ld.ts";
import { demandText, FRESHNESS_MEANINGS, TIER_MEANINGS } from "../../render/words/words.ts";
import { activeRecords, cities, cityCells, cityIndustries } from "../../resources/cities/cities.ts";
import { cityIndex } from "../../resources/cities/city-index.ts";
import { cityAccuracy, coverageStatus } from "../../resources/cities/coverage.ts";
import { latestEvents, pulse } from "../../resources/cities/pulse.ts";
import type { ReadContext } from "../../resources/define.ts";
import {
  cityAlternates,
  cityCellsAlternates,
  cityIndustryAlternates,
  homeAlternates,
} from "../navigation.ts";
import type { MapSettings } from "../scripts/map-style.ts";
import { perCity, type Site } from "../site.ts";

const LATEST_EVENTS = 6;

export function homePage({ context }: Site) {
  const listed = [...cities.read(context, {}, {})].sort((a, b) => a.name.localeCompare(b.name, "en"));
  const records = context.snapshot.cities().reduce((sum, { recordCount }) => sum + recordCount, 0);
  const observations = context.snapshot.cities().reduce((sum, city) => sum + city.observationCount, 0);
  return {
    cities: listed,
    map: cityMapOfTheWorld(context, listed),
    totals: { records, observations },
    events: latestEvents(context, LATEST_EVENTS),
    alternates: homeAlternates(),
  };
}

function cityMapOfTheWorld(context: ReadContext, listed: readonly CityListItem[]): Picture | NoPicture {
  const tiers = new Map(listed.map(({ slug, coverage }) => [slug, coverage.tier]));
  return worldMap({
    id: "world",
    cities: context.snapshot.cities().flatMap(({ slug, name, lat, lng }) => {
      const tier = tiers.get(slug);
      return tier === undefined ? [] : [{ name, href: `/city/${slug}/`, lat, lng, tier }];
    }),
  });
}

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

const SHOWN_EVENTS = "10";

/** Data of a city's page, except the table of records, which takes arguments (site/query/city.ts). */
export const cityPage = perCity((site, slug) => {
  const { context } = site;
  const index = cityIndex.read(context, { city: slug }, { limit: "1" });
  const { coverage, message } = coverageStatus.read(context, { city: slug }, {});
  const { events, feeds, total_count } = pulse.read(context, { city: slug }, { limit: SHOWN_EVENTS });
  return {
    index,
    records: recordsOf(site, slug),
    coverage,
    message,
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
