import { SITE_NAME } from "./site.ts";

/** What the search page says around its form and results. */
export function searchPage() {
  return {
    title: `Search · ${SITE_NAME}`,
    description:
      "Find a brand or business that was physically observed, by its name, city, industry, website or place.",
  };
}
