import type { IncomingMessage } from "node:http";
import { PublicError } from "../../kernel/errors.ts";

/** Throws PublicError 403 for a write that a page of another site made a browser send. */
export function refuseOtherSites(request: IncomingMessage, hosts: ReadonlySet<string>): void {
  if (isSameOrigin(request, hosts)) return;
  throw new PublicError(
    403,
    "this was sent from another site: use the form on this site, or send it from a program",
  );
}

/**
 * Whether a write was sent from a page of ours, by what browsers say of it: `Sec-Fetch-Site`, else `Origin`. Whoever sends neither is no browser
 * that another site could misuse. `hosts` are the names the service is reached by.
 */
export function isSameOrigin({ headers }: IncomingMessage, hosts: ReadonlySet<string>): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  const { origin } = headers;
  if (origin === undefined) return true;
  return hosts.has(URL.parse(origin)?.hostname ?? "");
}
