import type { CityListItem } from "../../contract/cities/city.ts";
import { worldMap } from "../../pictures/maps/world-map.ts";
import type { NoPicture, Picture } from "../../pictures/picture.ts";
import { cities } from "../../resources/cities/cities.ts";
import { latestEvents } from "../../resources/cities/pulse.ts";
import type { ReadContext } from "../../resources/define.ts";
import { homeAlternates } from "../alternates.ts";
import type { Site } from "../site.ts";

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
