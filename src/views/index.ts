import type { SafeHtml } from "../render/html.ts";
import type { PathValues, ReadContext } from "../resources/define.ts";
import { CITED_ID, cite, citedIn } from "./cite.ts";
import { city } from "./city.ts";
import { explorer } from "./explorer.ts";
import { content, placed, region } from "./region.ts";
import { search } from "./search.ts";
import { type Asked, argumentsIn, type View } from "./view.ts";

/** Every view, by name. */
const VIEWS = { cite, city, explorer, search } as const satisfies Readonly<Record<string, View>>;

export type ViewName = keyof typeof VIEWS;

export const views: readonly View[] = Object.values(VIEWS);

/**
 * What the build puts into a page. `values` are those in the path of the view's page. Further ones are arguments that a page of
 * its own fixes, such as the industry of a city: its filters and its links lead to the view's page.
 */
export function viewOfPage(
  name: ViewName,
  context: ReadContext,
  values: Readonly<Record<string, string>>,
): SafeHtml {
  const view: View = VIEWS[name];
  const isInPath = (value: string) => view.path.includes(`{${value}}`);
  const path = pick(values, isInPath);
  const query = pick(values, (value) => !isInPath(value));
  if (Object.keys(query).length > 0) return content(view, context, { path, query });
  return placed(view, region(view, context, { path, query }));
}

function pick(values: Readonly<Record<string, string>>, isWanted: (name: string) => boolean): PathValues {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isWanted(name)));
}

const patterns = views.map((view) => ({
  view,
  pattern: new RegExp(`^${view.path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`),
}));

/** The view in the page at a path (percent-encoded), and the values in the path; undefined where there is none. */
export function viewAt(pathname: string): { view: View; path: PathValues } | undefined {
  for (const { view, pattern } of patterns) {
    const match = pattern.exec(pathname);
    if (match !== null) return { view, path: { ...match.groups } };
  }
  return undefined;
}

/** The view that answers the address of a citation, in the page of all of them: old citations have no file of their own. */
export function citationView(pathname: string): { view: View; asked: Asked } | undefined {
  const id = citedIn(pathname);
  return id === undefined ? undefined : { view: cite, asked: { path: {}, query: { [CITED_ID]: id } } };
}

/** The view that an address asks something of. `query` is without its question mark. */
export function askedView(pathname: string, query: string): { view: View; asked: Asked } | undefined {
  const found = query === "" ? undefined : viewAt(pathname);
  const given = found && argumentsIn(found.view, query);
  return found && given && { view: found.view, asked: { path: found.path, query: given } };
}
