/** The kinds of pages of which there are many, or that are asked for often, as plain functions: the page framework costs several times as much a page. */

import { html, type SafeHtml } from "../../render/html.ts";
import type { QueryLocals } from "../query/index.ts";
import type { Site } from "../site.ts";
import { changesDocument } from "./changes-page.ts";
import { citationDocument } from "./citation.ts";
import { cityDocument, cityIndustryDocument } from "./city-page.ts";
import { recordDocument } from "./record-page.ts";
import { recordRowsDocument } from "./record-when.ts";

type Values = Readonly<Record<string, string>>;

interface PlainRoute {
  readonly route: string;
  document(site: Site, values: Values, query: QueryLocals): SafeHtml;
}

const PLAIN_PAGES = [
  { route: "/cite/[id]", document: (site, { id = "" }) => citationDocument(site, id) },
  { route: "/city/[slug]", document: (site, { slug = "" }, query) => cityDocument(site, slug, query) },
  {
    route: "/city/[slug]/changes",
    document: (site, { slug = "" }, query) => changesDocument(site, slug, query),
  },
  {
    route: "/city/[slug]/industry/[code]",
    document: (site, { slug = "", code = "" }) => cityIndustryDocument(site, slug, code),
  },
  {
    route: "/record/[public_id]",
    document: (site, { public_id: id = "" }, { record: rows }) =>
      rows === undefined ? recordDocument(site, id) : recordRowsDocument(site, id, rows),
  },
] as const satisfies readonly PlainRoute[];

const BY_ADDRESS = PLAIN_PAGES.map(({ route, document }) => ({
  address: new RegExp(`^${route.replaceAll(/\[(\w+)\]/g, "(?<$1>[^/]+)")}/$`),
  document,
}));

/** Routes of the pages that the compiler does not find below src/pages. */
export const PLAIN_ROUTES = PLAIN_PAGES.map(({ route }) => ({
  pattern: route,
  type: "page",
}));

export interface PlainPage {
  readonly values: Values; // in its address
  /** The whole page; `query` is what was asked of it, if anything. */
  document(site: Site, query?: QueryLocals): SafeHtml;
}

/** The page at a path of the site; undefined when it is a page of the framework. */
export function plainPageAt(pathname: string): PlainPage | undefined {
  for (const { address, document } of BY_ADDRESS) {
    const encoded = address.exec(pathname)?.groups;
    if (encoded === undefined) continue;
    const values = Object.fromEntries(
      Object.entries(encoded).map(([name, value]) => [name, decodeURIComponent(value)]),
    );
    return {
      values,
      document: (site, query = {}) => html`<!DOCTYPE html>${document(site, values, query)}`,
    };
  }
  return undefined;
}
