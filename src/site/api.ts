import { apiReference } from "../render/reference/api-reference.ts";
import { perSite, type Site } from "./site.ts";

/** The reference of the API that a release has, read once for all its pages. */
export const reference = perSite((site) =>
  apiReference(JSON.parse(site.text("openapi.json")), JSON.parse(site.text("api-examples.json"))),
);

/** An operation and the group that it belongs to. */
export function operationPage(site: Site, id: string) {
  for (const group of reference(site).groups) {
    const operation = group.operations.find((each) => each.id === id);
    if (operation !== undefined) return { group, operation };
  }
  throw new Error(`no operation ${id} in this release`);
}
