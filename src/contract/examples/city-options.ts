import type { CityOptionsResponse } from "../city-options.ts";
import { SCHEMA } from "../versions.ts";
import { exampleOnly } from "./base.ts";
import { cityObject } from "./city-object.ts";

export const cityOptionsExample: CityOptionsResponse = {
  schema: SCHEMA.cityOptions,
  source: "GeoNames, CC BY 4.0",
  country: null,
  query: "example",
  cities: [
    {
      geonameId: cityObject.geoname_id,
      name: cityObject.name,
      asciiName: cityObject.name,
      region: cityObject.region,
      countryCode: cityObject.country,
      countryName: cityObject.country_name,
      population: 48_000,
    },
  ],
  ...exampleOnly,
};
