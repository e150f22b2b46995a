import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/** The key of a client's rate limits: its address, IPv6 by its /64. */
export function clientKey(request: IncomingMessage, trustedProxies: number): string {
  return networkOf(clientAddress(request, trustedProxies));
}

/**
 * The address of the connection, or, behind `trustedProxies` proxies of ours, the one that many places from the right of
 * X-Forwarded-For: what stands further left may be forged.
 */
export function clientAddress(request: IncomingMessage, trustedProxies: number): string {
  const direct = request.socket.remoteAddress ?? "unknown";
  const header = request.headers["x-forwarded-for"];
  if (trustedProxies === 0 || typeof header !== "string") return direct;
  const claimed = withoutPort(header.split(",").at(-trustedProxies)?.trim() ?? "");
  return isIP(claimed) === 0 ? direct : claimed;
}

/** IPv4 as it is, also when mapped into IPv6; IPv6 as its /64, which one household or host has to itself. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const groups = ipv6Groups(address);
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join(".");
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}

/** The network of a client's key: its IPv4 /24 or IPv6 /48, which one customer of a provider can have to himself. */
export function widerNetworkOf(key: string): string {
  const [v4] = /^\d+\.\d+\.\d+\./.exec(key) ?? [];
  if (v4 !== undefined) return `${v4}0/24`;
  return key.endsWith("::/64") ? `${key.split(":").slice(0, 3).join(":")}::/48` : key;
}

/** Some proxies write `1.2.3.4:567` and `[::1]:567`. */
function withoutPort(address: string): string {
  return /^\[(.+)\](?::\d+)?$/.exec(address)?.[1] ?? /^([\d.]+):\d+$/.exec(address)?.[1] ?? address;
}

function ipv6Groups(address: string): number[] {
  const plain = (address.split("%")[0] ?? "").replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [left = [], right = []] = plain
    .split("::")
    .map((side) => (side === "" ? [] : side.split(":").map((group) => Number.parseInt(group, 16))));
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}
