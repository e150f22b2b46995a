import { coverageTrend } from "../../pictures/charts/time-chart.ts";
import { cityMap } from "../../pictures/maps/city-map.ts";
import type { NoPicture, Picture } from "../../pictures/picture.ts";
import { cityImagePath } from "../../pictures/social/social-image.ts";
import { cityDataset, jsonLdText } from "../../render/formats/json-ld.ts";
import { demandText } from "../../render/words/words.ts";
import { cityAccuracy } from "../../resources/cities/accuracy.ts";
import { activeRecords, cityCells } from "../../resources/cities/cities.ts";
import { cityIndex } from "../../resources/cities/city-index.ts";
import { coverageStatus } from "../../resources/cities/coverage-status.ts";
import { cityIndustries } from "../../resources/cities/industries.ts";
import { pulse } from "../../resources/cities/pulse.ts";
import { cityAlternates, cityCellsAlternates, cityIndustryAlternates } from "../alternates.ts";
import { perCity, type Site } from "../site.ts";

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
  return cityMap({ id: "map", cityName: name, cells: cityCells(context, slug) });
}
