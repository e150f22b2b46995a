import { ObservationTableRow } from "../../contract/service/city-tables.ts";
import { PublicError } from "../../kernel/errors.ts";
import { fillPath } from "../../kernel/text/markup.ts";
import { DAY_MS, isoTime } from "../../kernel/time.ts";
import { cityGeoJson } from "../../render/formats/city-geojson.ts";
import { cityCoverageCsv, dataPackage, describedFiles, exportLicence } from "../../render/formats/exports.ts";
import {
  atom,
  cityFeed,
  type EventFeed,
  FEED_TYPE,
  JSON_FEED_TYPE,
  jsonFeed,
  rss,
  serviceFeed,
  statusFeed,
} from "../../render/formats/feeds.ts";
import {
  CSV_TYPE,
  GEOJSON_TYPE,
  JSON_TYPE,
  jsonText,
  TEXT_TYPE,
  XML_TYPE,
} from "../../render/formats/media-types.ts";
import { sitemapIndex, sitemapPart, sitemapParts } from "../../render/formats/sitemap.ts";
import { stacCollection } from "../../render/formats/stac.ts";
import { csvText, tableCsv } from "../../render/formats/tables.ts";
import { llmsTxt } from "../../render/guides/agent-guide.ts";
import { apiExamples } from "../../render/reference/api-examples.ts";
import { inNameOf, toolExamples } from "../../render/reference/examples.ts";
import {
  AI_CATALOG_TYPE,
  aiCatalog,
  mcpContract,
  registryEntry,
  SERVER_CARD_PATH,
  SERVER_CARD_TYPE,
  serverCard,
} from "../../render/reference/mcp.ts";
import { openApiDocument } from "../../render/reference/openapi.ts";
import { cityPaths } from "../../resources/cities/cities.ts";
import { CityTablesSource } from "../../resources/cities/city-tables.ts";
import { explorerCsv, explorerTable } from "../../resources/cities/tables.ts";
import type { PathValues, QueryValues, ReadContext, Resource } from "../../resources/define.ts";
import { resources } from "../../resources/index.ts";
import { observationTable } from "../../resources/records/observation-table.ts";
import { filledForms, queryPages } from "../query/index.ts";
import type { QueryPage } from "../query/query-page.ts";
import type { Endpoint } from "./matcher.ts";
import { recordTableRoutes } from "./record-tables.ts";

interface Format {
  readonly name: string; // in operation ids
  readonly file: string;
  readonly contentType: string;
  text(feed: EventFeed): string;
}

const FORMATS: readonly Format[] = [
  { name: "Rss", file: "rss.xml", contentType: FEED_TYPE, text: rss },
  { name: "Atom", file: "atom.xml", contentType: FEED_TYPE, text: atom },
  {
    name: "JsonFeed",
    file: "feed.json",
    contentType: JSON_FEED_TYPE,
    text: (feed) => jsonText(jsonFeed(feed)),
  },
];

/** Change feeds of each city and of all of them together, and the feed of incidents, in every format. */
export const feedRoutes: readonly Route[] = [
  ...FORMATS.map(cityFeedRoute),
  ...FORMATS.map(({ name, file, contentType, text }) =>
    fileRoute(`getService${name}`, `/pulse/${file}`, contentType, (snapshot) =>
      text(serviceFeed({ snapshot })),
    ),
  ),
  ...FORMATS.map(statusFeedRoute),
];

function statusFeedRoute({ name, file, contentType, text }: Format): Route {
  return {
    operationId: `getStatus${name}`,
    path: `/status/${file}`,
    contentType,
    ignoresUnknownQuery: true,
    filePath: () => `status/${file}`,
    enumerate: () => [{}],
    answer: (context) => text(statusFeed(context)),
  };
}

function cityFeedRoute({ name, file, contentType, text }: Format): Route {
  const path = `/pulse/{city}/${file}` as const;
  return {
    operationId: `getPulse${name}`,
    path,
    contentType,
    ignoresUnknownQuery: true,
    filePath: (values) => fillPath(path, values).slice(1),
    enumerate: cityPaths,
    answer: (context, values) => text(cityFeed(context, values)),
  };
}

/** Files that help programs find and understand the service. None contains a number of the methodology. */
export const machineRoutes: readonly Route[] = [
  fileRoute("getMcpContract", "/mcp/contract.json", JSON_TYPE, (snapshot) => {
    const release = snapshot.release();
    return inNameOf(release, jsonText(mcpContract({ ...release, examples: toolExamples() })));
  }),
  fileRoute("getServerCard", SERVER_CARD_PATH, SERVER_CARD_TYPE, (snapshot) =>
    jsonText(serverCard(snapshot.release())),
  ),
  fileRoute("getAiCatalog", "/.well-known/ai-catalog.json", AI_CATALOG_TYPE, (snapshot) =>
    jsonText(aiCatalog(snapshot.release())),
  ),
  fileRoute("getRegistryEntry", "/server.json", JSON_TYPE, (snapshot) =>
    jsonText(registryEntry(snapshot.release())),
  ),
  fileRoute("getLlmsTxt", "/llms.txt", TEXT_TYPE, (snapshot) => llmsTxt(snapshot.release())),
  fileRoute("getRobotsTxt", "/robots.txt", TEXT_TYPE, (snapshot) => robotsTxt(snapshot.release().baseUrl)),
  {
    ...fileRoute("getSecurityTxt", "/.well-known/security.txt", TEXT_TYPE, (snapshot) => {
      const release = snapshot.release();
      return securityTxt(found(release.securityContact ?? undefined), release);
    }),
    enumerate: (snapshot) => (snapshot.release().securityContact === null ? [] : [{}]),
  },
  fileRoute("getDataPackage", "/exports/datapackage.json", JSON_TYPE, (snapshot) =>
    jsonText(
      dataPackage({
        ...snapshot.release(),
        files: describedFiles(snapshot),
        cities: snapshot
          .cities()
          .filter((city) => city.carriedOverAt === null || !new CityTablesSource(snapshot, city).isWithheld())
          .map(({ slug }) => slug),
      }),
    ),
  ),
  fileRoute("getStacCollection", "/exports/stac.json", JSON_TYPE, (snapshot) =>
    jsonText(stacCollection(snapshot)),
  ),
  fileRoute("getExportLicence", "/exports/LICENSE.txt", TEXT_TYPE, (snapshot) =>
    exportLicence(snapshot.release()),
  ),
  fileRoute("getSitemap", "/sitemap.xml", XML_TYPE, sitemapIndex),
  {
    operationId: "getSitemapPart",
    path: "/sitemap-{part}.xml",
    contentType: XML_TYPE,
    ignoresUnknownQuery: true,
    filePath: ({ part }) => `sitemap-${part}.xml`,
    enumerate: sitemapParts,
    answer: ({ snapshot }, { part = "" }) => found(sitemapPart(snapshot, part)),
  },
];

/** Throws PublicError 404 for files that this release does not have. */
function found(text: string | undefined): string {
  if (text === undefined) throw new PublicError(404, "not found");
  return text;
}

/** A page, or a family of pages, that requests are counted for by a name of its own. */
export interface PageEndpoint extends Endpoint {
  readonly kind: "page";
  readonly operationId: string;
  /** Answers the arguments of the page; without it the page is a file, whatever the query. */
  readonly page?: QueryPage;
}

/** The pages that take arguments, then the files of records, cities and citations. Every other page is counted as `page`. */
export const pageEndpoints: readonly PageEndpoint[] = [
  ...[...queryPages, ...filledForms].map(
    (page) => ({ kind: "page", operationId: page.operation, path: page.path, page }) as const,
  ),
  page("city_page", "/city/{city}/cells/"),
  page("city_page", "/city/{city}/industry/{code}/"),
  page("citation_page", "/cite/{id}/"),
];

function page(operationId: string, path: Endpoint["path"]): PageEndpoint {
  return { kind: "page", operationId, path };
}

function jsonRoute(resource: Resource): Route {
  return {
    operationId: resource.operationId,
    path: resource.path,
    contentType: JSON_TYPE,
    ignoresUnknownQuery: false,
    ...(resource.dependsOnTime && { dependsOnTime: true }),
    filePath: (values) => `${fillPath(resource.path, values).slice(1)}.json`,
    enumerate: resource.enumerate,
    answer: (context, path, query) => jsonText(resource.read(context, path, query)),
  };
}

const CELLS_PATH = "/exports/cells/{city}.geojson";

/** Routes whose path equals their file's path. */
const fileRoutes: readonly Route[] = [
  {
    operationId: explorerCsv.operationId,
    path: explorerCsv.path,
    contentType: CSV_TYPE,
    ignoresUnknownQuery: false,
    filePath: (values) => fillPath(explorerCsv.path, values).slice(1),
    enumerate: explorerCsv.enumerate,
    answer: (context, path, query) => csvText(explorerCsv.read(context, path, query)),
  },
  {
    operationId: observationTable.operationId,
    path: observationTable.path,
    contentType: CSV_TYPE,
    ignoresUnknownQuery: false,
    filePath: (values) => fillPath(observationTable.path, values).slice(1),
    enumerate: observationTable.enumerate,
    answer: (context, path, query) =>
      tableCsv(ObservationTableRow.keyof().options, observationTable.read(context, path, query)),
  },
  fileRoute("exportExplorerTable", "/exports/explorer.csv", CSV_TYPE, (snapshot) =>
    csvText(explorerTable(snapshot)),
  ),
  fileRoute("exportCityCoverage", "/exports/city-coverage.csv", CSV_TYPE, cityCoverageCsv),
  {
    operationId: "exportCityCells",
    path: CELLS_PATH,
    contentType: GEOJSON_TYPE,
    ignoresUnknownQuery: true,
    filePath: (values) => fillPath(CELLS_PATH, values).slice(1),
    enumerate: cityPaths,
    answer: ({ snapshot }, { city = "" }) => cityGeoJson(snapshot, city),
  },
  fileRoute("getOpenApi", "/openapi.json", JSON_TYPE, (snapshot) => {
    const release = snapshot.release();
    return inNameOf(release, jsonText(openApiDocument(release.baseUrl, release.sourceRevision)));
  }),
  fileRoute("getApiExamples", "/api-examples.json", JSON_TYPE, (snapshot) =>
    inNameOf(snapshot.release(), jsonText(apiExamples(snapshot.release().sourceRevision))),
  ),
];

/** All public paths of the read interface, in the order of the interface. */
export const routes: readonly Route[] = [
  ...resources.filter((resource) => resource.operationId !== explorerCsv.operationId).map(jsonRoute),
  ...fileRoutes,
  ...recordTableRoutes,
  ...feedRoutes,
  ...machineRoutes,
];

/** A public path. The emitter writes instances without arguments as files; the server answers all others. */
export interface Route {
  readonly operationId: string;
  readonly path: `/${string}`; // contains at most one {name}
  readonly contentType: string;
  /** Whether unknown parameters are ignored (feeds, bulk files) or a 400 (/api). */
  readonly ignoresUnknownQuery: boolean;
  /** True when the server computes the response even without arguments. */
  readonly dependsOnTime?: true;
  /** Path of the instance below `site/`. */
  filePath(values: PathValues): string;
  enumerate(snapshot: ReadContext["snapshot"]): Iterable<PathValues>;
  /** Returns the body, identical for file and server. Throws PublicError 400, 404 or 410. */
  answer(context: ReadContext, path: PathValues, query: QueryValues): string;
}

/** A path without arguments that equals its file's path. */
export function fileRoute(
  operationId: string,
  path: Route["path"],
  contentType: string,
  text: (snapshot: ReadContext["snapshot"]) => string,
): Route {
  return {
    operationId,
    path,
    contentType,
    ignoresUnknownQuery: true,
    filePath: () => path.slice(1),
    enumerate: () => [{}],
    answer: ({ snapshot }) => text(snapshot),
  };
}

/**
 * `/robots.txt` (RFC 9309): all files may be crawled, computed responses may not. Links to verify a row open a single
 * static page. `baseUrl` has no trailing slash.
 */
export function robotsTxt(baseUrl: string): string {
  return `# Search engines, assistants and their user agents are welcome: read, quote and cite.
# Start with ${baseUrl}/llms.txt; how to read the data: ${baseUrl}/agents/
User-agent: *
Allow: /
Allow: /verify/?
Disallow: /*?
Disallow: /search/
Disallow: /mcp$

Sitemap: ${baseUrl}/sitemap.xml
`;
}

// RFC 9116 recommends less than a year. A service without a nightly build for this long is unmaintained.
const VALID_MS = 180 * DAY_MS;

interface SecurityFacts {
  readonly baseUrl: string; // no trailing slash
  readonly asOf: number;
}

/** `/.well-known/security.txt` (RFC 9116); `contact` is a mailto: or https: address. */
export function securityTxt(contact: string, { baseUrl, asOf }: SecurityFacts): string {
  const lines = [`Contact: ${contact}`, `Expires: ${isoTime(asOf + VALID_MS)}`, "Preferred-Languages: en"];
  // The RFC allows only https here.
  if (baseUrl.startsWith("https://")) lines.push(`Canonical: ${baseUrl}/.well-known/security.txt`);
  return `${lines.join("\n")}\n`;
}
