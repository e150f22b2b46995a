import { attributionText } from "../../render/export-licence.ts";
import { release } from "./site.ts";

/** A line that names the source of aggregate figures as CC BY 4.0 asks for it. */
export function licencePage() {
  return { attribution: attributionText(release) };
}
