import { SITE_NAME } from "./site.ts";

/** Texts of the search page; its form and results are a view. */
export function searchPage() {
  return {
    title: `Search · ${SITE_NAME}`,
    description: "Find physically observed brands and businesses by name, city, industry, website or place.",
  };
}
