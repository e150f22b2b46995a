import { attributionText } from "../render/formats/export-licence.ts";
import type { Site } from "./site.ts";

/** Address of the licences of the fonts, which src/pages/licence/fonts.txt.ts answers. */
export const FONT_LICENCES = "/licence/fonts.txt";

/** A line that names the source of aggregate figures as CC BY 4.0 asks for it. */
export function licencePage({ release }: Site) {
  return { attribution: attributionText(release) };
}
