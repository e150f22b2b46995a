/** The kinds of pages of which there is one a record, as plain functions: the page framework costs several times as much a page. */

import { html, type SafeHtml } from "../../render/html.ts";
import type { Site } from "../site.ts";
import { citationDocument } from "./cite.ts";
import { recordDocument } from "./record-page.ts";

const PLAIN_PAGES = [
  { route: "/cite/[id]", address: /^\/cite\/([^/]+)\/$/, document: citationDocument },
  { route: "/record/[public_id]", address: /^\/record\/([^/]+)\/$/, document: recordDocument },
] as const;

/** Routes of the pages that the compiler does not find below src/pages. */
export const PLAIN_ROUTES = PLAIN_PAGES.map(({ route }) => ({
  pattern: route,
  type: "page",
}));

/** The page at a path of the site; undefined when it is a page of the framework. */
export function plainPage(pathname: string, site: Site): SafeHtml | undefined {
  for (const { address, document } of PLAIN_PAGES) {
    const value = address.exec(pathname)?.[1];
    if (value !== undefined) return html`<!DOCTYPE html>${document(site, decodeURIComponent(value))}`;
  }
  return undefined;
}
