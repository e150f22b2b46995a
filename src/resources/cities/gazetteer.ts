import { CityOptionsResponse } from "../../contract/cities/city-options.ts";
import { CityOptionsParams } from "../../contract/params.ts";
import { SCHEMA } from "../../contract/versions.ts";
import { defineResource } from "../define.ts";

const SOURCE = "GeoNames, CC BY 4.0";

export const gazetteer = defineResource({
  operationId: "listGazetteerCities",
  path: "/api/v1/locations/cities",
  summary: "Search cities worldwide, covered by the service or not",
  description:
    "Searches an independent gazetteer, most populous cities first. A listed city is not necessarily covered.",
  pathParams: {},
  query: CityOptionsParams.shape,
  wire: CityOptionsResponse,
  example: { path: {}, query: { query: "example", country: "ZZ", limit: "2" } },
  errors: [400],
  enumerate: () => [{}],
  load({ snapshot }, _path, { query, country, limit }) {
    return {
      schema: SCHEMA.cityOptions,
      source: SOURCE,
      country: country ?? null,
      query: query ?? null,
      cities: snapshot.gazetteerCities({ query, country, limit }).map((city) => ({
        geonameId: city.geonameId,
        name: city.name,
        asciiName: city.asciiName,
        region: city.region,
        countryCode: city.countryCode,
        countryName: city.countryName,
        population: city.population,
      })),
    };
  },
});
