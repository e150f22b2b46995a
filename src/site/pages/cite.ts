import type { CiteAnswer } from "../query/cite.ts";
import { SITE_NAME } from "../site.ts";

const DESCRIPTION =
  "Shows a citation as published, the evidence behind it, and its status: current, superseded, disputed or withdrawn.";

/** Texts around the view that checks quotes. */
export function citePage() {
  return { title: `Check a quote · ${SITE_NAME}`, description: DESCRIPTION };
}

export function citationFacts(answer: CiteAnswer) {
  const name = answer.kind === "citation" ? (answer.citation.citation?.name ?? "") : "";
  return { name, title: `Citation of ${name} · ${SITE_NAME}`, description: DESCRIPTION };
}
