import type { IncomingMessage } from "node:http";

/**
 * Whether a form was sent from a page of ours, by what browsers say of it: `Sec-Fetch-Site`, else `Origin`. Whoever sends neither is no browser
 * that another site could misuse. `hosts` are the names the service is reached by.
 */
export function isSameOrigin({ headers }: IncomingMessage, hosts: ReadonlySet<string>): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  const { origin } = headers;
  if (origin === undefined) return true;
  return hosts.has(URL.parse(origin)?.hostname ?? "");
}
