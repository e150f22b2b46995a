import { citation } from "../../resources/citations/citation.ts";
import { SITE_NAME, type Site } from "../site.ts";

const DESCRIPTION =
  "Shows a citation as published, the evidence behind it, and its status: current, superseded, disputed or withdrawn.";

/** Texts around the view that checks quotes. */
export function citePage() {
  return { title: `Check a quote · ${SITE_NAME}`, description: DESCRIPTION };
}

export function citationPage({ context }: Site, id: string) {
  const name = citation.read(context, { id }, {}).citation?.name ?? "";
  return { name, title: `Citation of ${name} · ${SITE_NAME}`, description: DESCRIPTION };
}
