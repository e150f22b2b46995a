import { componentBars } from "../pictures/charts/component-bars.ts";
import { scoreHistory } from "../pictures/charts/score-history.ts";
import { type CityOutline, cityOutline, recordMap } from "../pictures/maps/record-map.ts";
import { cityImagePath } from "../pictures/social/social-paths.ts";
import { cityIndustries } from "../resources/cities/city-industries.ts";
import { cityIndustryUrl } from "../resources/links.ts";
import { entity } from "../resources/records/entity.ts";
import { evidence } from "../resources/records/evidence.ts";
import { presenceScore } from "../resources/records/presence-score.ts";
import { recordCells } from "../resources/records/record-cells.ts";
import { recordAlternates } from "./alternates.ts";
import { context, release } from "./site.ts";

export function recordPage(publicId: string) {
  const path = { public_id: publicId };
  const found = entity.read(context, path, {});
  const packet = evidence.read(context, path, {});
  const score = presenceScore.read(context, path, {});
  const { name } = found.entity;
  const { city, city_name: cityName } = packet.record;
  const entityUrl = `/api/v1/entity/${publicId}`;
  return {
    entity: found.entity,
    description: description(name, cityName, publicId),
    assets: found.assets,
    stats: found.stats,
    standing: found.presence_score,
    online: found.online_presence,
    confidenceNote: found.coverage_confidence.note,
    packet,
    lng: lngOf(city),
    cohort: score.cohort,
    map: recordMap({
      id: "map",
      recordName: name,
      cityName,
      outline: outlineOf(city),
      cells: recordCells(context, publicId),
    }),
    components: score.components && componentBars({ id: "components", name, components: score.components }),
    history: scoreHistory({ id: "history", name, points: score.history }),
    alternates: recordAlternates(publicId, city, cityName),
    image: cityImagePath(city),
    urls: {
      page: `${release.baseUrl}/record/${publicId}/`,
      entity: entityUrl,
      evidence: `${entityUrl}/evidence`,
      score: `/api/v1/presence-score/${publicId}`,
      observations: `/api/v1/observations/${publicId}`,
      cityRss: `/pulse/${city}/rss.xml`,
      industry: industryPage(city, found.entity.industry),
    },
  };
}

const LONGEST_DESCRIPTION = 160;

/** Meta description of a record, with a long name shortened. */
function description(name: string, cityName: string, publicId: string): string {
  const of = (shown: string) =>
    `Observations of ${shown} in ${cityName}: when, what kind, and by how many independent observers. Record ${publicId}.`;
  const room = LONGEST_DESCRIPTION - of("").length;
  return of(name.length <= room ? name : `${[...name].slice(0, Math.max(room - 1, 1)).join("")}…`);
}

function lngOf(slug: string): number {
  const city = context.snapshot.city(slug);
  if (city === undefined) throw new Error(`no city ${slug} in this release`);
  return city.lng;
}

const outlines = new Map<string, CityOutline | undefined>();

// Cached per city, because thousands of pages use it.
function outlineOf(city: string): CityOutline | undefined {
  if (!outlines.has(city)) outlines.set(city, cityOutline(context.snapshot.city(city)?.cells ?? []));
  return outlines.get(city);
}

const industryPages = new Map<string, ReadonlySet<string>>();

/**
 * URL of the industry page of a record in its city; undefined when all records of the industry are dissolved, because the
 * city's index excludes these.
 */
function industryPage(city: string, code: string | null): string | undefined {
  const listed = industryPages.get(city) ?? new Set(cityIndustries(context, city).map((each) => each.code));
  industryPages.set(city, listed);
  return code !== null && listed.has(code) ? cityIndustryUrl("", city, code) : undefined;
}
