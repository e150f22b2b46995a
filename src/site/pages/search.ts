import { SITE_NAME } from "../site.ts";

/** Texts of the search page around its form and results. */
export function searchPage() {
  return {
    title: `Search · ${SITE_NAME}`,
    description: "Find physically observed brands and businesses by name, city, industry, website or place.",
  };
}
