/** The kinds of pages of which there is one a record, as plain functions: the page framework costs several times as much a page. */

import type { ObservationsResponse } from "../../contract/records/observation.ts";
import { html, type SafeHtml } from "../../render/html.ts";
import type { PageState } from "../query/query-page.ts";
import type { Site } from "../site.ts";
import { citationDocument } from "./citation.ts";
import { recordDocument } from "./record-page.ts";
import { recordRowsDocument } from "./record-when.ts";

type Rows = PageState<ObservationsResponse>;

const PLAIN_PAGES = [
  { name: "id", route: "/cite/[id]", address: /^\/cite\/([^/]+)\/$/, document: citationDocument },
  {
    name: "public_id",
    route: "/record/[public_id]",
    address: /^\/record\/([^/]+)\/$/,
    document: (site: Site, id: string, rows?: Rows) =>
      rows === undefined ? recordDocument(site, id) : recordRowsDocument(site, id, rows),
  },
] as const;

/** Routes of the pages that the compiler does not find below src/pages. */
export const PLAIN_ROUTES = PLAIN_PAGES.map(({ route }) => ({
  pattern: route,
  type: "page",
}));

export interface PlainPage {
  readonly values: Readonly<Record<string, string>>; // in its address
  /** With what was asked of its rows, where it is the page of a record. */
  document(site: Site, rows?: Rows): SafeHtml;
}

/** The page at a path of the site; undefined when it is a page of the framework. */
export function plainPageAt(pathname: string): PlainPage | undefined {
  for (const { name, address, document } of PLAIN_PAGES) {
    const encoded = address.exec(pathname)?.[1];
    if (encoded === undefined) continue;
    const value = decodeURIComponent(encoded);
    return {
      values: { [name]: value },
      document: (site, rows) => html`<!DOCTYPE html>${document(site, value, rows)}`,
    };
  }
  return undefined;
}
