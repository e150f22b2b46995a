import type { PathValues } from "../../resources/define.ts";
import { CITED_ID, cite, citedIn } from "./cite.ts";
import { city } from "./city.ts";
import { explorer } from "./explorer.ts";
import { type Asked, argumentsIn, type QueryPage } from "./query-page.ts";
import { search } from "./search.ts";

/** Every page that takes arguments. */
export const queryPages: readonly QueryPage[] = [cite, city, explorer, search];

const patterns = queryPages.map((page) => ({
  page,
  pattern: new RegExp(`^${page.path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`),
}));

/** The page at a path (percent-encoded), and the values in the path; undefined where none takes arguments. */
export function queryPageAt(pathname: string): { page: QueryPage; path: PathValues } | undefined {
  for (const { page, pattern } of patterns) {
    const match = pattern.exec(pathname);
    if (match !== null) return { page, path: { ...match.groups } };
  }
  return undefined;
}

/** The page of a citation: older ones than the newest of their record have no file. */
export function citationQuery(pathname: string): { page: QueryPage; asked: Asked } | undefined {
  const id = citedIn(pathname);
  return id === undefined ? undefined : { page: cite, asked: { path: {}, query: { [CITED_ID]: id } } };
}

/** What an address asks of a page. `query` is without its question mark. */
export function pageQuery(pathname: string, query: string): { page: QueryPage; asked: Asked } | undefined {
  const found = query === "" ? undefined : queryPageAt(pathname);
  const given = found && argumentsIn(found.page, query);
  return found && given && { page: found.page, asked: { path: found.path, query: given } };
}
