import { citation } from "../resources/citations/citation.ts";
import { SITE_NAME, type Site } from "./site.ts";

const DESCRIPTION =
  "Shows a citation of this service as it was published, on what it rests, and whether it is current, superseded, disputed or withdrawn.";

/** What the page says around the form that checks quotes. */
export function citePage() {
  return { title: `Check a quote · ${SITE_NAME}`, description: DESCRIPTION };
}

/** The same for the page of one citation. */
export function citationPage({ context }: Site, id: string) {
  const name = citation.read(context, { id }, {}).citation?.name ?? "";
  return { name, title: `Citation of ${name} · ${SITE_NAME}`, description: DESCRIPTION };
}
