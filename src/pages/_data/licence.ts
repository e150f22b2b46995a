import { OPEN_LICENSE, SERVICE } from "../../contract/claim-boundary.ts";
import { isoDate } from "../../kernel/time.ts";
import { release } from "./site.ts";

/** A line that names the source of aggregate figures as CC BY 4.0 asks for it. */
export function licencePage() {
  const { asOf, baseUrl } = release;
  return {
    attribution: `${SERVICE}, data as of ${isoDate(asOf)}, ${baseUrl}/ (${OPEN_LICENSE.name}, ${OPEN_LICENSE.url})`,
  };
}
