/** URL path -> file below `site/` (design 8), and nothing outside it. */

const SEGMENT = /^[A-Za-z0-9_~-][A-Za-z0-9._~-]*$/;
/** The one folder whose name begins with a dot (RFC 8615); files lie in it, and no folder. */
const WELL_KNOWN = ".well-known";
const MAX_LENGTH = 512;

/** `/api/v1/x` and `/api/v1/x.json` -> `api/v1/x.json`; `/p/` -> `p/index.html`; others unchanged. Undefined for paths that no published file can have. */
export function sitePath(pathname: string): string | undefined {
  if (!pathname.startsWith("/") || pathname.length > MAX_LENGTH) return undefined;
  if (pathname === "/") return "index.html";
  const isFolder = pathname.endsWith("/");
  const segments = pathname.slice(1, isFolder ? -1 : undefined).split("/");
  const isWellKnown = segments.length === 2 && segments[0] === WELL_KNOWN && !isFolder;
  if (!segments.slice(isWellKnown ? 1 : 0).every((segment) => SEGMENT.test(segment))) return undefined;
  const path = segments.join("/");
  if (path.startsWith("api/")) return isFolder ? undefined : apiFile(path);
  return isFolder ? `${path}/index.html` : path;
}

/** Whether the address belongs to the API, where every error is JSON and never a page. */
export function isApiPath(pathname: string): boolean {
  return /^\/(api|mcp)(\/|$)/.test(pathname);
}

function apiFile(path: string): string {
  return /\.(csv|json)$/.test(path) ? path : `${path}.json`;
}
