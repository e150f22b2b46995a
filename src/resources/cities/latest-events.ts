import type { CityRef } from "../../contract/cities/coverage.ts";
import type { ChangeEvent } from "../../contract/cities/pulse.ts";
import type { ReadContext } from "../define.ts";
import { cityRef } from "./city-object.ts";
import { changeEvent } from "./pulse.ts";

/** Returns at most `limit` change events of all cities, newest first, then by id. */
export function latestEvents(
  { snapshot }: Pick<ReadContext, "snapshot">,
  limit: number,
): (ChangeEvent & { readonly city: CityRef })[] {
  const { baseUrl } = snapshot.release();
  return snapshot
    .cities()
    .flatMap((city) => snapshot.eventsOf(city.slug, { since: 0, limit }).map((event) => ({ event, city })))
    .sort((a, b) => b.event.detectedAt - a.event.detectedAt || (a.event.id < b.event.id ? -1 : 1))
    .slice(0, limit)
    .map(({ event, city }) => ({ ...changeEvent(event, baseUrl), city: cityRef(city) }));
}
