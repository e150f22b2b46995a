import { apiReference } from "../../render/reference/api-reference.ts";
import { perSite, type Site } from "../site.ts";

/** API reference of a release, read once for all its pages. */
export const reference = perSite((site) =>
  apiReference(JSON.parse(site.text("openapi.json")), JSON.parse(site.text("api-examples.json"))),
);

/** An operation with its group. Throws when the release has none of this id. */
export function operationPage(site: Site, id: string) {
  for (const group of reference(site).groups) {
    const operation = group.operations.find((each) => each.id === id);
    if (operation !== undefined) return { group, operation };
  }
  throw new Error(`no operation ${id} in this release`);
}
