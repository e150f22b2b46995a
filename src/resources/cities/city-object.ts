import type { CityObject } from "../../contract/cities/city.ts";
import type { CityRef } from "../../contract/cities/coverage.ts";
import type { CityRow } from "../../snapshot/rows.ts";
import { cityUrl } from "../links.ts";

export function cityObject(city: CityRow, baseUrl: string): CityObject {
  return {
    ...cityRef(city),
    region: city.region,
    region_code: city.regionCode,
    country: city.country,
    country_name: city.countryName,
    geoname_id: city.geonameId,
    display_label: [city.name, city.region, city.countryName].filter((part) => part !== "").join(", "),
    publication_status: city.publicationStatus,
    collection_status: city.collectionStatus,
    public_index_url: cityUrl(baseUrl, city.slug),
    launched: city.launched,
  };
}

export function cityRef(city: CityRow): CityRef {
  return { slug: city.slug, name: city.name };
}

/** Number of records in a summary of the city's index. The whole index has all listed records except dissolved ones. */
export function activeRecords({ rankingSummary }: Pick<CityRow, "rankingSummary">): number {
  const { eligible, evidence_building, integrity_review } = rankingSummary;
  return eligible + evidence_building + integrity_review;
}
