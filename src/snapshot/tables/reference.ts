/** Reference data: the taxonomy of industries and the catalog of cities. Searches compare `folded`. */
import type { IndustryLevel } from "../../contract/enums.ts";
import { integer, real, table, text } from "../../kernel/table.ts";

/** UN ISIC Revision 5, in its own order. */
export const industries = table("industries", {
  public: {
    seq: integer().primaryKey(),
    code: text().unique(),
    title: text(),
    level: text<IndustryLevel>(),
    sectionCode: text(),
    sectionTitle: text(),
    folded: text(),
  },
});

/** Cities, whether or not the service observes them, the most populous first. */
export const gazetteer = table("gazetteer", {
  public: {
    seq: integer().primaryKey(),
    geonameId: integer(),
    name: text(),
    asciiName: text(),
    region: text(),
    regionCode: text(),
    countryCode: text(),
    countryName: text(),
    population: integer(),
    lat: real(),
    lng: real(),
    folded: text(),
  },
});
