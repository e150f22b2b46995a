/**
 * Decides whether an IP address is one of the public internet. The blocks of `data/special-purpose-addresses.json` are
 * refused, and so is all of IPv6 outside the global unicast space: loopback, IPv4-compatible (`::7f00:1`), IPv4-mapped,
 * NAT64, unique local (with the metadata of AWS, `fd00:ec2::254`), link local and multicast.
 */

import { BlockList, isIP } from "node:net";
import registry from "../../data/special-purpose-addresses.json" with { type: "json" };

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
