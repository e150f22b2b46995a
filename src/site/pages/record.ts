import { componentBars } from "../../pictures/charts/bar-chart.ts";
import { scoreHistory } from "../../pictures/charts/time-chart.ts";
import { cityOutline, recordMap } from "../../pictures/maps/record-map.ts";
import { cityImagePath } from "../../pictures/social/social-image.ts";
import { cityIndustries } from "../../resources/cities/cities.ts";
import { cityIndustryUrl } from "../../resources/links.ts";
import { entity, presenceScore } from "../../resources/records/entity.ts";
import { evidence } from "../../resources/records/evidence.ts";
import { recordPlaces } from "../../resources/records/search.ts";
import { recordAlternates } from "../navigation.ts";
import { perCity, type Site } from "../site.ts";

export function recordPage(site: Site, publicId: string) {
  const { context, release } = site;
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
    packet,
    cohort: score.cohort,
    map: recordMap({
      id: "map",
      recordName: name,
      cityName,
      outline: outlineOf(site, city),
      places: recordPlaces(context, publicId),
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
      industry: industryPage(site, city, found.entity.industry),
    },
  };
}

const MAX_DESCRIPTION = 160;

/** Meta description of a record, with a long name shortened. */
function description(name: string, cityName: string, publicId: string): string {
  const of = (shown: string) =>
    `Observations of ${shown} in ${cityName}: when, what kind, and by how many independent observers. Record ${publicId}.`;
  const room = MAX_DESCRIPTION - of("").length;
  return of(name.length <= room ? name : `${[...name].slice(0, Math.max(room - 1, 1)).join("")}…`);
}

// Cached per city, because thousands of pages use it.
const outlineOf = perCity(({ context }, city) => cityOutline(context.snapshot.city(city)?.cells ?? []));

const industriesOf = perCity(
  ({ context }, city) => new Set(cityIndustries(context, city).map(({ code }) => code)),
);

/**
 * URL of the industry page of a record in its city; undefined when all records of the industry are dissolved, because the
 * city's index excludes these.
 */
function industryPage(site: Site, city: string, code: string | null): string | undefined {
  return code !== null && industriesOf(site, city).has(code) ? cityIndustryUrl("", city, code) : undefined;
}
