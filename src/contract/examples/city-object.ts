import type { CityObject } from "../city.ts";
import { BASE_URL, cityRef } from "./base.ts";

// ZZ is a user-assigned code of ISO 3166-1 and names no country.
export const cityObject: CityObject = {
  ...cityRef,
  region: "Example Region",
  region_code: "EX",
  country: "ZZ",
  country_name: "Exampleland",
  geoname_id: 0,
  display_label: "Exampleville, Example Region, Exampleland",
  publication_status: "published",
  collection_status: "active",
  public_index_url: `${BASE_URL}/city/${cityRef.slug}/`,
  launched: true,
};
