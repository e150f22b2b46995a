import { cities } from "../../resources/cities.ts";
import { context } from "./site.ts";

/** Everything the home page shows. */
export function homePage() {
  const listed = cities.read(context, {}, {});
  return { cities: [...listed].sort((a, b) => a.name.localeCompare(b.name, "en")) };
}
