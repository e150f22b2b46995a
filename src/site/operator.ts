import type { OperatorTextName } from "../contract/service/operator-texts.ts";
import { operatorHtml } from "../render/words/operator-text.ts";
import type { Site } from "./site.ts";

/** Heading of the operator's part on each page, and what is missing while there is none. */
const PARTS: Readonly<Record<OperatorTextName, { readonly heading: string; readonly missing: string }>> = {
  about: { heading: "Who operates this site", missing: "who they are and how to reach them" },
  licence: { heading: "Licences of the operator", missing: "licences of their own" },
  privacy: { heading: "Privacy notice of the operator", missing: "a privacy notice" },
  terms: { heading: "Terms of the operator", missing: "terms of their own" },
};

/** What the operator says on a page; `html` is undefined where they gave no text, and `missing` then says so. */
export function operatorPart({ context, release, isDemonstration }: Site, name: OperatorTextName) {
  const markdown = context.snapshot.operatorText(name);
  const { heading, missing } = PARTS[name];
  return {
    heading,
    operator: release.operatorName,
    html: markdown === undefined ? undefined : operatorHtml(markdown),
    missing: isDemonstration
      ? `This is a demonstration with made-up observations; its operator has not added ${missing}.`
      : `The operator of this site has not added ${missing} yet.`,
  };
}
