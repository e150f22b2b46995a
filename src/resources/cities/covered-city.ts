import { PublicError } from "../../kernel/errors.ts";
import type { CityRow } from "../../snapshot/rows.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";

/** Returns the city of a slug. Throws PublicError 404 with `details` for a city that the service does not cover. */
export function coveredCity(
  snapshot: Snapshot,
  slug: string,
  details?: ConstructorParameters<typeof PublicError>[2],
): CityRow {
  const city = snapshot.city(slug);
  if (city === undefined)
    throw new PublicError(
      404,
      "the service does not cover this city: see /api/v1/cities for the covered ones",
      details,
    );
  return city;
}
