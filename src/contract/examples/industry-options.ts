import type { IndustryOptionsResponse } from "../industry-options.ts";
import { SCHEMA } from "../versions.ts";
import { exampleOnly } from "./base.ts";

export const industryOptionsExample: IndustryOptionsResponse = {
  schema: SCHEMA.industryOptions,
  source: "UN ISIC Revision 5",
  query: "bakery",
  industries: [
    {
      code: "1071",
      title: "Manufacture of bakery products",
      level: "class",
      sectionCode: "C",
      sectionTitle: "Manufacturing",
    },
  ],
  ...exampleOnly,
};
