import { cityMap } from "../../pictures/city-map.ts";
import { coverageTrend } from "../../pictures/coverage-trend.ts";
import type { NoPicture, Picture } from "../../pictures/picture.ts";
import { cityImagePath } from "../../pictures/social-paths.ts";
import { cityDataset } from "../../render/json-ld.ts";
import { cityCells } from "../../resources/city-cells.ts";
import { cityIndex } from "../../resources/city-index.ts";
import { cityIndustries } from "../../resources/city-industries.ts";
import { coverageStatus } from "../../resources/coverage-status.ts";
import { pulse } from "../../resources/pulse.ts";
import { cityAlternates, cityCellsAlternates, cityIndustryAlternates } from "./alternates.ts";
import { cityPaths, context } from "./site.ts";

const SHOWN_EVENTS = "10";

/** Everything a city's page shows beside the table of its records, which is a view. */
export function cityPage(slug: string) {
  const index = cityIndex.read(context, { city: slug }, { limit: "1" });
  const { coverage, message } = coverageStatus.read(context, { city: slug }, {});
  const { events, feeds, total_count } = pulse.read(context, { city: slug }, { limit: SHOWN_EVENTS });
  return {
    index,
    coverage,
    message,
    events,
    eventCount: total_count,
    feeds,
    map: mapOf(slug),
    trend: coverageTrend({ id: "trend", cityName: index.city.name, points: coverage.history }),
    sections: cityIndustries(context, slug).filter(({ level }) => level === "section"),
    dataset: cityDataset(context.snapshot, slug),
    alternates: cityAlternates(slug, index.city.name),
    image: cityImagePath(slug),
  };
}

/** The page of all cells of a city. */
export function cellsPage(slug: string) {
  const { city } = cityIndex.read(context, { city: slug }, { limit: "1" });
  return {
    city,
    cells: cityCells(context, slug),
    map: mapOf(slug),
    alternates: cityCellsAlternates(slug, city.name),
    image: cityImagePath(slug),
  };
}

/** A city's records of one industry, with the industries below it and the one above. */
export function cityIndustryPage(slug: string, code: string) {
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

export function cityIndustryPaths() {
  return cityPaths().flatMap(({ params: { slug } }) =>
    cityIndustries(context, slug).map(({ code }) => ({ params: { slug, code } })),
  );
}

function mapOf(slug: string): Picture | NoPicture {
  const { name } = cityIndex.read(context, { city: slug }, { limit: "1" }).city;
  return cityMap({ id: "map", cityName: name, cells: cityCells(context, slug) });
}
