/** Keeps requests to addresses chosen by others away from this machine and its network. */

import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { isPublicAddress } from "./public-address.ts";

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);
/** Names that no public server has (RFC 2606, 6761, 6762, 7686, 8375, ICANN's `internal`). */
const PRIVATE_NAME =
  /(^|\.)(localhost|local|test|example|invalid|internal|onion|alt|home\.arpa|lan|intranet|corp|home)\.?$/;

/** Why a host must not be requested, as the end of a sentence about it. Expects a parsed URL's host, where forms such as `0x7f.1` are normalized. */
export function hostProblem(hostname: string): string | undefined {
  if (hostname.startsWith("[") || isIP(hostname) !== 0) return "must name its host, not an IP address";
  if (!hostname.replace(/\.$/, "").includes(".") || PRIVATE_NAME.test(hostname))
    return "must name a host that is public";
  return undefined;
}

export function isLoopback({ protocol, hostname }: URL): boolean {
  return /^https?:$/.test(protocol) && LOOPBACK.has(hostname);
}

/**
 * Checks addresses again when connecting, after name resolution, so that a name that changes to a private address is refused.
 * Loads its package here, not with this module: it brings three hundred more, and most commands ask nobody.
 */
export function guardedFetch(checkUrl: (origin: URL) => string | undefined): Fetch {
  const guarded = import("@atproto-labs/fetch-node").then(({ safeDispatchFetchWrap }) =>
    safeDispatchFetchWrap({ checkUrl, lookup: publicLookup }),
  );
  return async (url, init) => (await guarded)(url, init);
}

/** Resolves a name as `dns.lookup` does. Fails when one of its addresses is not public, so that no choice between them matters. */
const publicLookup: LookupFunction = (hostname, options, done) => {
  lookup(hostname, options, (error, found, family) => {
    if (error) return done(error, found, family);
    const addresses = typeof found === "string" ? [found] : found.map(({ address }) => address);
    if (addresses.length > 0 && addresses.every(isPublicAddress)) return done(null, found, family);
    done(new Error("the name leads to an address that is not public"), []);
  });
};

/** A short reason without text of the other side: a code such as ECONNREFUSED, or the guard's message. */
export function fetchFailure(error: unknown): string {
  if (!(error instanceof Error)) return "unknown failure";
  if (error.name === "TimeoutError") return "no answer in time";
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return "code" in cause ? String(cause.code) : cause.message;
}

/** The first `maxBytes` of the decoded body; closes the connection then. Throws the connection's error if it breaks before. */
export async function beginningOf(response: Response, maxBytes: number): Promise<Buffer> {
  if (response.body === null) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}
