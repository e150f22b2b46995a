import { type PathNames, pathNames } from "../../kernel/text/markup.ts";

/** Something that answers requests at an address. */
export interface Endpoint {
  readonly path: `/${string}`; // with {names}, each at most one segment
  /** Absent: every method that no other endpoint of the same path names. HEAD counts as GET. */
  readonly method?: string;
}

/** Decoded values by the names of the template. */
type Values = Readonly<Record<string, string>>;

export interface Match<E extends Endpoint> {
  /** Every endpoint of the matched path, whatever its method. */
  readonly endpoints: readonly E[];
  readonly values: Values;
}

interface Pattern<E extends Endpoint> {
  readonly endpoints: readonly E[];
  readonly expression: RegExp;
}

/**
 * Templates compiled once. Paths without names are looked up whole; the others by the folder above their first name, so that the
 * cost of a match does not grow with the number of endpoints.
 */
export class Matcher<E extends Endpoint> {
  readonly #fixed = new Map<string, Match<E>>();
  readonly #patterns = new Map<string, Pattern<E>[]>();
  #maxFolders = 0;

  constructor(endpoints: readonly E[]) {
    for (const [path, here] of Map.groupBy(endpoints, ({ path }) => path)) {
      if (pathNames(path).length === 0) this.#fixed.set(path, { endpoints: here, values: {} });
      else this.#addPattern(path, here);
    }
  }

  /** `pathname` is percent-encoded and without its query; any text is allowed. Paths without names come first. */
  match(pathname: string): Match<E> | undefined {
    const fixed = this.#fixed.get(pathname);
    if (fixed !== undefined) return fixed;
    let end = pathname.indexOf("/");
    for (let folders = 0; end >= 0 && folders < this.#maxFolders; folders += 1) {
      const match = matchOne(this.#patterns.get(pathname.slice(0, end + 1)) ?? [], pathname);
      if (match !== undefined) return match;
      end = pathname.indexOf("/", end + 1);
    }
    return undefined;
  }

  #addPattern(path: string, endpoints: readonly E[]): void {
    const folder = path.slice(0, path.lastIndexOf("/", path.indexOf("{")) + 1);
    const source = path.replaceAll(".", "\\.").replace(/\{(\w+)\}/g, "(?<$1>[^/]+)");
    const pattern = { endpoints, expression: new RegExp(`^${source}$`) };
    this.#patterns.set(folder, [...(this.#patterns.get(folder) ?? []), pattern]);
    this.#maxFolders = Math.max(this.#maxFolders, folder.split("/").length - 1);
  }
}

function matchOne<E extends Endpoint>(
  patterns: readonly Pattern<E>[],
  pathname: string,
): Match<E> | undefined {
  for (const { endpoints, expression } of patterns) {
    const groups = expression.exec(pathname)?.groups;
    const values = groups && decodedValues(groups);
    if (values !== undefined) return { endpoints, values };
  }
  return undefined;
}

/** Undefined when one is a dot folder or not valid percent-encoding. */
function decodedValues(groups: Values): Values | undefined {
  try {
    const values = Object.entries(groups).map(([name, text]) => [name, decodeURIComponent(text)] as const);
    return values.some(([, value]) => /^\.{1,2}$/.test(value)) ? undefined : Object.fromEntries(values);
  } catch {
    return undefined;
  }
}

/** The endpoint of a match for a method; undefined when the path does not take it. */
export function endpointFor<E extends Endpoint>({ endpoints }: Match<E>, method: string): E | undefined {
  const wanted = method === "HEAD" ? "GET" : method;
  return (
    endpoints.find((endpoint) => endpoint.method === wanted) ??
    endpoints.find((endpoint) => endpoint.method === undefined)
  );
}

/** A value of a match by a name that its template has. */
export function pathValue<Path extends `/${string}`>(
  _template: Path,
  { values }: { readonly values: Values },
  name: PathNames<Path>,
): string {
  return values[name] ?? "";
}
