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
  .meta({ id: "CityOption", description: "A city of the gazetteer, covered by the service or not." });
export type CityOption = z.infer<typeof CityOption>;

export const CityOptionsResponse = z
  .looseObject({
    schema: z.literal(SCHEMA.cityOptions),
    source: z.string().describe("The gazetteer and its licence."),
    country: CountryCode.nullable().describe("The country filter, or null."),
    query: z.string().nullable().describe("The text searched for, or null."),
    cities: z.array(CityOption),
  })
  .meta({ id: "CityOptionsResponse", description: "Cities of the gazetteer that match." });
export type CityOptionsResponse = z.infer<typeof CityOptionsResponse>;
