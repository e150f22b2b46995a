import { SITE_NAME } from "./site.ts";

/** What the page of a quote, and that of each citation, say around the view. */
export function citePage() {
  return {
    title: `Check a quote · ${SITE_NAME}`,
    citationTitle: `Citation · ${SITE_NAME}`,
    description:
      "Shows a citation of this service as it was published, on what it rests, and whether it is current, superseded, disputed or withdrawn.",
  };
}
