import { citySlug } from "../contract/cities/city-slug.ts";
import type { SafeHtml } from "../render/html.ts";
import type { PathValues, QueryValues, ReadContext } from "../resources/define.ts";

/** What is asked of a view: the values in the path of its page, and those of its arguments that were given, as they came. */
export interface Asked {
  readonly path: PathValues;
  readonly query: QueryValues;
}

/**
 * A part of a page that takes arguments. The build renders it without any into the page's file; the server renders it again for
 * an address with arguments and puts it into that file, so that everything works without JavaScript.
 */
export interface View {
  readonly name: string; // of its place in the page
  readonly operation: string; // under which requests for it are counted
  readonly path: `/${string}/`; // of its page; holds one {name} at most
  readonly parameters: readonly string[]; // others are ignored
  readonly isSlow: boolean; // one answer may take tens of milliseconds
  /** What to ask with, filled in with what was asked, whatever that is. */
  form(context: ReadContext, asked: Asked): SafeHtml;
  /** The answer. Throws PublicError 400, 404 or 410. */
  results(context: ReadContext, asked: Asked): SafeHtml;
  /** Of a search for records: whether an answer (HTML) has none. */
  readonly foundNothing?: (region: string) => boolean;
}

/** The value of a parameter; one that was given several times has none. */
export function given({ query }: Asked, name: string): string | undefined {
  const value = query[name];
  return typeof value === "string" ? value : undefined;
}

/** The path of the page in which a view stands. */
export function pagePath({ path }: Pick<View, "path">, values: PathValues): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
}

/** An address with those arguments that are given. */
export function address(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`;
}

/** The arguments of a view out of a query: what was left empty in a form was not given. Undefined when it names none. */
export function argumentsIn({ parameters }: View, query: string): QueryValues | undefined {
  const asked = new URLSearchParams(query);
  const named = parameters.filter((name) => asked.has(name));
  if (named.length === 0) return undefined;
  return Object.fromEntries(
    named.flatMap((name): [string, string | string[]][] => {
      const written = asked.getAll(name).filter((value) => value.trim() !== "");
      const values = name === "city" ? written.map(citySlug) : written; // so that the form shows the city as chosen
      const [only, ...more] = values;
      return only === undefined ? [] : [[name, more.length > 0 ? values : only]];
    }),
  );
}

/** The same arguments with changes; `undefined` takes one away. */
export function changed(
  { parameters }: Pick<View, "parameters">,
  asked: Asked,
  changes: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  const before = Object.fromEntries(parameters.map((name) => [name, given(asked, name)]));
  return { ...before, ...changes };
}
