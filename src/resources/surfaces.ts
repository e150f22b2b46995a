/** All machine-readable addresses, listed in reports, link headers, `/llms.txt` and pages. */

export interface Surface {
  readonly id: string;
  readonly path: string; // starts with a slash; `{city}` stands for a city slug
  readonly mediaType: string;
  readonly title: string;
  readonly purpose: string; // one or two sentences
}

export const SURFACES: readonly Surface[] = [
  {
    id: "rest",
    path: "/api/v1",
    mediaType: "application/json",
    title: "REST API",
    purpose:
      "Base URL of all read operations; no key needed. The OpenAPI description documents each operation and its parameters.",
  },
  {
    id: "openapi",
    path: "/openapi.json",
    mediaType: "application/json",
    title: "OpenAPI description",
    purpose: "Operations, parameters and responses of the REST API, as OpenAPI 3.1.",
  },
  {
    id: "examples",
    path: "/api-examples.json",
    mediaType: "application/json",
    title: "API examples",
    purpose: "One fictional request and response for each operation.",
  },
  {
    id: "mcp",
    path: "/mcp",
    mediaType: "application/json",
    title: "MCP server",
    purpose:
      "Read-only tools for AI assistants: Model Context Protocol over Streamable HTTP (POST), no key needed.",
  },
  {
    id: "mcp_contract",
    path: "/mcp/contract.json",
    mediaType: "application/json",
    title: "MCP contract",
    purpose: "Tools of the MCP server with their input and output schemas, and its limits.",
  },
  {
    id: "server_card",
    path: "/mcp/server-card",
    mediaType: "application/mcp-server-card+json",
    title: "MCP server card",
    purpose: "Name, version and URL of the MCP server, for registries and clients.",
  },
  {
    id: "ai_catalog",
    path: "/.well-known/ai-catalog.json",
    mediaType: "application/ai-catalog+json",
    title: "AI catalog",
    purpose: "Entry point for clients that know only the host name; links to the MCP server card.",
  },
  {
    id: "llms",
    path: "/llms.txt",
    mediaType: "text/plain",
    title: "llms.txt",
    purpose: "Overview of the service and its addresses, for language models.",
  },
  {
    id: "agents",
    path: "/agents/",
    mediaType: "text/html",
    title: "For agents",
    purpose: "Guide for search engines and AI assistants: how to read, quote and cite the service.",
  },
  {
    id: "sitemap",
    path: "/sitemap.xml",
    mediaType: "application/xml",
    title: "Sitemap",
    purpose: "URLs of all pages, for crawlers.",
  },
  {
    id: "data",
    path: "/data/",
    mediaType: "text/html",
    title: "Data to download",
    purpose: "All bulk files with rows, columns, keys, license and the sentence to cite.",
  },
  {
    id: "exports_index",
    path: "/exports/index.json",
    mediaType: "application/json",
    title: "Index of exports",
    purpose:
      "The same for programs: every file with its size, SHA-256 and license. `release_path` is its address by release.",
  },
  {
    id: "explorer_csv",
    path: "/exports/explorer.csv",
    mediaType: "text/csv",
    title: "Aggregates as CSV",
    purpose: "Counts by city, industry, asset type and claim state, in one file.",
  },
  {
    id: "cells_geojson",
    path: "/exports/cells/{city}.geojson",
    mediaType: "application/geo+json",
    title: "Cells of a city as GeoJSON",
    purpose:
      "Eligible and observed map cells of one city, with counts for the last 90 days and for all time.",
  },
  {
    id: "datapackage",
    path: "/exports/datapackage.json",
    mediaType: "application/json",
    title: "Data package",
    purpose:
      "Columns, keys, foreign keys, license and hashes of the exports, as a Frictionless Data Package.",
  },
  {
    id: "rss",
    path: "/pulse/{city}/rss.xml",
    mediaType: "application/rss+xml",
    title: "Changes of a city as RSS",
    purpose: "New records and assets, stale assets and digital gaps of one city, for feed readers.",
  },
  {
    id: "atom",
    path: "/pulse/{city}/atom.xml",
    mediaType: "application/atom+xml",
    title: "Changes of a city as Atom",
    purpose: "The same as the RSS of the city, as Atom.",
  },
  {
    id: "json_feed",
    path: "/pulse/{city}/feed.json",
    mediaType: "application/feed+json",
    title: "Changes of a city as JSON Feed",
    purpose: "The city's RSS feed, as JSON Feed 1.1.",
  },
  {
    id: "service_rss",
    path: "/pulse/rss.xml",
    mediaType: "application/rss+xml",
    title: "Changes in all cities as RSS",
    purpose: "The newest changes of all cities in one feed.",
  },
  {
    id: "service_atom",
    path: "/pulse/atom.xml",
    mediaType: "application/atom+xml",
    title: "Changes in all cities as Atom",
    purpose: "The same, as Atom.",
  },
  {
    id: "service_json_feed",
    path: "/pulse/feed.json",
    mediaType: "application/feed+json",
    title: "Changes in all cities as JSON Feed",
    purpose: "The RSS feed of all cities, as JSON Feed 1.1.",
  },
  {
    id: "status_rss",
    path: "/status/rss.xml",
    mediaType: "application/rss+xml",
    title: "Incidents as RSS",
    purpose: "Incidents of the service, with their updates and their end.",
  },
  {
    id: "status_atom",
    path: "/status/atom.xml",
    mediaType: "application/atom+xml",
    title: "Incidents as Atom",
    purpose: "The same, as Atom.",
  },
  {
    id: "status_json_feed",
    path: "/status/feed.json",
    mediaType: "application/feed+json",
    title: "Incidents as JSON Feed",
    purpose: "The RSS feed of incidents, as JSON Feed 1.1.",
  },
  {
    id: "tree_head",
    path: "/ledger/checkpoint",
    mediaType: "text/plain",
    title: "Signed tree head",
    purpose: "The newest signed tree head of the ledger, which proves every published observation.",
  },
  {
    id: "manifest",
    path: "/manifest.json",
    mediaType: "application/json",
    title: "Manifest of the release",
    purpose: "All published files with their SHA-256.",
  },
];

/** Absolute URL, or URL template for surfaces with a city. `baseUrl` has no trailing slash. */
export function surfaceUrl(baseUrl: string, { path }: Surface): string {
  return `${baseUrl}${path}`;
}
