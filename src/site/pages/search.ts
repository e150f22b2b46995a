import { SITE_NAME } from "../site.ts";

/** A page that says what became of a posted form. */
export interface ResultPage {
  readonly path: string; // last segment of its address
  readonly title: string;
  readonly text: string;
  readonly more: string; // what may follow
}

/** Texts of the search page around its form and results. */
export function searchPage() {
  return {
    title: `Search · ${SITE_NAME}`,
    description: "Find physically observed brands and businesses by name, city, industry, website or place.",
  };
}
