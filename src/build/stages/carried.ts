import { jsonText } from "../../render/formats/media-types.ts";
import { carriedCity, carriedCityPath } from "../../snapshot/mend/carried-city.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { BuildEffects } from "../effects.ts";

/** Writes the values that a patch release carries over, a file for each city that an erasure has changed. Returns the slugs. */
export function writeCarried(snapshot: Snapshot, effects: BuildEffects): string[] {
  const changed = snapshot.cities().filter(({ carriedOverAt }) => carriedOverAt !== null);
  for (const { slug } of changed) effects.write(carriedCityPath(slug), jsonText(carriedCity(snapshot, slug)));
  return changed.map(({ slug }) => slug);
}
