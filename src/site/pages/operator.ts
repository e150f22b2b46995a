import type { OperatorTextName } from "../../contract/service/status.ts";
import { operatorHtml } from "../../render/words/words.ts";
import type { Site } from "../site.ts";

/** Heading of the operator's part on each page, and its name in the note when it is missing. */
const PARTS: Readonly<Record<OperatorTextName, { readonly heading: string; readonly missing: string }>> = {
  about: { heading: "Who operates this site", missing: "contact details" },
  licence: { heading: "Licenses of the operator", missing: "additional licenses" },
  privacy: { heading: "Privacy notice of the operator", missing: "a privacy notice" },
  terms: { heading: "Terms of the operator", missing: "additional terms" },
};

/** The operator's text on a page. Without one, `html` is undefined and `missing` states that. */
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
