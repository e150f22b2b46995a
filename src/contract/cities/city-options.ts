import { z } from "zod";
import { Count, CountryCode } from "../fields.ts";
import { SCHEMA } from "../versions.ts";

export const CityOption = z
  .looseObject({
    geonameId: z.int(),
    name: z.string(),
    asciiName: z.string(),
    region: z.string(),
    countryCode: CountryCode,
    countryName: z.string(),
    population: Count,
  })
  .meta({ id: "CityOption", description: "A city of the gazetteer, whether or not the service covers it." });

export const CityOptionsResponse = z
  .looseObject({
    schema: z.literal(SCHEMA.cityOptions),
    source: z.string().describe("The gazetteer and its license."),
    country: CountryCode.nullable().describe("The country filter; null when omitted."),
    query: z.string().nullable().describe("The search text; null when omitted."),
    cities: z.array(CityOption),
  })
  .meta({ id: "CityOptionsResponse", description: "Matching cities of the gazetteer." });
