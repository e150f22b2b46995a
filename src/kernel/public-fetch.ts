import { lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import registry from "../../data/special-purpose-addresses.json" with { type: "json" };

/**
 * Decides whether an IP address is one of the public internet. The blocks of `data/special-purpose-addresses.json` are
 * refused, and so is all of IPv6 outside the global unicast space: loopback, IPv4-compatible (`::7f00:1`), IPv4-mapped,
 * NAT64, unique local (with the metadata of AWS, `fd00:ec2::254`), link local and multicast.
 */

const SPECIAL = blockList(
  [...registry.ipv4, ...registry.ipv6, ...registry.clouds].map(([block = ""]) => block),
);
const GLOBAL_UNICAST = blockList([registry.ipv6_global_unicast]);

/** False for every address that is not public, and for every text that is no address. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !SPECIAL.check(address, "ipv4");
  return family === 6 && GLOBAL_UNICAST.check(address, "ipv6") && !SPECIAL.check(address, "ipv6");
}

/** `blocks`: in CIDR notation. */
function blockList(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [network = "", bits] = block.split("/");
    list.addSubnet(network, Number(bits), isIP(network) === 6 ? "ipv6" : "ipv4");
  }
  return list;
}

/** Keeps requests to addresses chosen by others away from this machine and its network. */

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
