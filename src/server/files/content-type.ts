import { extname } from "node:path";
import { FEED_TYPE, JSON_FEED_TYPE } from "../../render/formats/feeds.ts";
import { GEOJSON_TYPE } from "../../render/formats/media-types.ts";
import { routes } from "../../site/routes/routes.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".csv": "text/csv; charset=utf-8; header=present",
  ".geojson": GEOJSON_TYPE,
  ".gz": "application/gzip",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".ndjson": "application/x-ndjson; charset=utf-8",
  ".note": "text/plain; charset=utf-8",
  ".parquet": "application/vnd.apache.parquet",
  ".png": "image/png",
  ".sha256": "text/plain; charset=utf-8",
  ".svg": "image/svg+xml",
  ".tsr": "application/timestamp-reply", // RFC 3161
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
  ".xml": "application/xml; charset=utf-8",
};

/** Files whose media type does not follow from the name. */
const OF_ROUTES: ReadonlyMap<string, string> = new Map(
  routes.filter(({ path }) => !path.includes("{")).map((route) => [route.filePath({}), route.contentType]),
);

/** The media type of a published file, by its path below `site/`. */
export function contentTypeOf(path: string): string {
  // Paths of the transparency log have no endings (C2SP tlog-tiles).
  if (/^ledger\/(checkpoint|checkpoints\/\d+|vkey)$/.test(path)) return "text/plain; charset=utf-8";
  if (path === "exports/SHA256SUMS") return "text/plain; charset=utf-8";
  if (/\/(rss|atom)\.xml$/.test(path)) return FEED_TYPE;
  if (path.endsWith("/feed.json")) return JSON_FEED_TYPE;
  return OF_ROUTES.get(path) ?? TYPES[extname(path)] ?? "application/octet-stream";
}
