import type { IncomingMessage, ServerResponse } from "node:http";
import { citySlug } from "../contract/city-slug.ts";
import type { RequestTarget } from "./request-target.ts";
import type { SiteFiles } from "./site-files.ts";

/** Pages, feeds and maps of a city; in all of them the next segment is its slug. Reads below /api match a slug themselves. */
const CITY_PATH = /^\/(?:city|pulse|exports\/cells)\/([^/]+)/;

/**
 * An address with a slug in capitals is answered with 308 to the file that has it in lower case, as servers of plain files
 * have it. False for every other address, and when there is no such file.
 */
export async function sendCanonicalCity(
  files: Pick<SiteFiles, "load">,
  { pathname, query }: RequestTarget,
  { method }: Pick<IncomingMessage, "method">,
  response: ServerResponse,
): Promise<boolean> {
  const canonical = pathname.replace(CITY_PATH, citySlug);
  if (canonical === pathname || (method !== "GET" && method !== "HEAD")) return false;
  const found = await fileAt(files, canonical);
  if (found === undefined) return false;
  const location = query === "" ? found : `${found}?${query}`;
  response.writeHead(308, ["Location", location, "Content-Length", "0"]).end();
  return true;
}

/** The file exists, so its address is a plain path of ours: the redirection cannot lead to another host. */
async function fileAt(files: Pick<SiteFiles, "load">, pathname: string): Promise<string | undefined> {
  const choices = pathname.endsWith("/") ? [pathname] : [pathname, `${pathname}/`];
  for (const choice of choices) if ((await files.load(choice)) !== undefined) return choice;
  return undefined;
}
