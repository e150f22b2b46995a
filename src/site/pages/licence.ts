import { attributionText } from "../../render/formats/export-licence.ts";
import type { Site } from "../site.ts";

/** URL of the font licenses, served by src/pages/licence/fonts.txt.ts. */
export const FONT_LICENCES = "/licence/fonts.txt";

/** Attribution line for aggregate figures, as required by CC BY 4.0. */
export function licencePage({ release }: Site) {
  return { attribution: attributionText(release) };
}
