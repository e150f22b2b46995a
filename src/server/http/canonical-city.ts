import { citySlug } from "../../contract/cities/city-slug.ts";
import type { RequestTarget } from "./request-target.ts";

/** Pages, feeds and maps of a city, followed by its slug. Reads below /api match slugs themselves. */
const CITY_PATH = /^\/(?:city|pulse|exports\/cells)\/([^/]+)/;

/** A look-up of published files by path. */
interface Files {
  load(pathname: string): Promise<unknown>;
}

/**
 * The lower-case address of a city path in another case; undefined for other addresses and without such a file.
 */
export async function canonicalCity(
  files: Files,
  { pathname, query }: RequestTarget,
): Promise<string | undefined> {
  const canonical = pathname.replace(CITY_PATH, citySlug);
  if (canonical === pathname) return undefined;
  const address = await fileAt(files, canonical);
  return address === undefined || query === "" ? address : `${address}?${query}`;
}

/** The file exists, so its address is a plain path of this site: a redirection to it cannot lead to another host. */
async function fileAt(files: Files, pathname: string): Promise<string | undefined> {
  const choices = pathname.endsWith("/") ? [pathname] : [pathname, `${pathname}/`];
  for (const choice of choices) if ((await files.load(choice)) !== undefined) return choice;
  return undefined;
}
