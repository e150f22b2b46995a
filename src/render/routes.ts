import { cityPaths } from "../resources/cities.ts";
import type { PathValues, QueryValues, ReadContext, Resource } from "../resources/define.ts";
import { explorerCsv, explorerTable } from "../resources/explorer.ts";
import { resources } from "../resources/index.ts";
import { pulse } from "../resources/pulse.ts";
import { apiExamples } from "./api-examples.ts";
import { csvText } from "./csv.ts";
import { openApiDocument } from "./openapi.ts";
import { pulseRss } from "./rss.ts";

/** A public address: the emitter writes its argument-less instances as files, the server answers everything else. */
export interface Route {
  readonly operationId: string;
  readonly path: `/${string}`; // holds one {name} at most
  readonly contentType: string;
  /** Feeds and bulk files ignore unknown parameters; under /api they are a 400. */
  readonly ignoresUnknownQuery: boolean;
  /** Where the instance lies under `site/`. */
  filePath(values: PathValues): string;
  enumerate(snapshot: ReadContext["snapshot"]): Iterable<PathValues>;
  /** The whole body: the file and the server send the same bytes. Throws PublicError 400, 404 or 410. */
  answer(context: ReadContext, path: PathValues, query: QueryValues): string;
}

const JSON_TYPE = "application/json; charset=utf-8";
const CSV_TYPE = "text/csv; charset=utf-8; header=present";

function jsonRoute(resource: Resource): Route {
  return {
    operationId: resource.operationId,
    path: resource.path,
    contentType: JSON_TYPE,
    ignoresUnknownQuery: false,
    filePath: (values) => `${fill(resource.path, values).slice(1)}.json`,
    enumerate: resource.enumerate,
    answer: (context, path, query) => jsonText(resource.read(context, path, query)),
  };
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** The routes whose address already ends as their file does. */
const fileRoutes: readonly Route[] = [
  {
    operationId: explorerCsv.operationId,
    path: explorerCsv.path,
    contentType: CSV_TYPE,
    ignoresUnknownQuery: false,
    filePath: (values) => fill(explorerCsv.path, values).slice(1),
    enumerate: explorerCsv.enumerate,
    answer: (context, path, query) => csvText(explorerCsv.read(context, path, query)),
  },
  {
    operationId: "exportExplorerTable",
    path: "/exports/explorer.csv",
    contentType: CSV_TYPE,
    ignoresUnknownQuery: true,
    filePath: () => "exports/explorer.csv",
    enumerate: () => [{}],
    answer: (context) => csvText(explorerTable(context.snapshot)),
  },
  {
    operationId: "getOpenApi",
    path: "/openapi.json",
    contentType: JSON_TYPE,
    ignoresUnknownQuery: true,
    filePath: () => "openapi.json",
    enumerate: () => [{}],
    answer({ snapshot }) {
      const { baseUrl, sourceRevision } = snapshot.release();
      return jsonText(openApiDocument(baseUrl, sourceRevision));
    },
  },
  {
    operationId: "getApiExamples",
    path: "/api-examples.json",
    contentType: JSON_TYPE,
    ignoresUnknownQuery: true,
    filePath: () => "api-examples.json",
    enumerate: () => [{}],
    answer: ({ snapshot }) => jsonText(apiExamples(snapshot.release().sourceRevision)),
  },
  {
    operationId: "getPulseRss",
    path: "/pulse/{city}/rss.xml",
    contentType: "application/rss+xml; charset=utf-8",
    ignoresUnknownQuery: true,
    filePath: (values) => fill("/pulse/{city}/rss.xml", values).slice(1),
    enumerate: cityPaths,
    answer: (context, path) => pulseRss(pulse.read(context, path, {}), context.snapshot.release().baseUrl),
  },
];

/** Every public address of the read interface, in the order of the interface. */
export const routes: readonly Route[] = [
  ...resources.filter((resource) => resource.operationId !== explorerCsv.operationId).map(jsonRoute),
  ...fileRoutes,
];

function fill(template: string, values: PathValues): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
}

interface Pattern {
  readonly route: Route;
  readonly prefix: string;
  readonly name: string;
  readonly suffix: string;
}

const fixed: ReadonlyMap<string, Route> = new Map(
  routes.filter((route) => !route.path.includes("{")).map((route) => [route.path, route]),
);
const patterns = routes.filter((route) => route.path.includes("{")).map(pattern);

function pattern(route: Route): Pattern {
  const [prefix = "", name = "", suffix = ""] = route.path.split(/[{}]/);
  return { route, prefix, name, suffix };
}

/** The route of a request's path (percent-encoded, without its query) and the values in it; undefined when there is none. */
export function matchRoute(pathname: string): { route: Route; values: PathValues } | undefined {
  const route = fixed.get(pathname);
  if (route !== undefined) return { route, values: {} };
  for (const { route, prefix, name, suffix } of patterns) {
    if (!pathname.startsWith(prefix) || !pathname.endsWith(suffix)) continue;
    const value = decoded(pathname.slice(prefix.length, pathname.length - suffix.length));
    if (value !== undefined) return { route, values: { [name]: value } };
  }
  return undefined;
}

/** One path segment; undefined when it is no name (empty, a slash, a dot folder) or not valid percent-encoding. */
function decoded(segment: string): string | undefined {
  if (segment === "" || segment.includes("/")) return undefined;
  try {
    const value = decodeURIComponent(segment);
    return /^\.{1,2}$/.test(value) ? undefined : value;
  } catch {
    return undefined;
  }
}
