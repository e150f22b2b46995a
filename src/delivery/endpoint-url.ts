import { isIP } from "node:net";

/** Where webhooks may be sent. Checked when an endpoint is named and again at each delivery; what a name resolves to is checked when connecting. */
export interface EndpointRules {
  /** `http` and `https` to this machine itself, on any port: for tests and development. */
  readonly allowLoopback: boolean;
  /** Ports beside 443. */
  readonly ports: readonly number[];
}

const MAX_URL_LENGTH = 2048;
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);
/** Names that no public server has (RFC 2606, 6761, 6762, 7686, 8375, ICANN's `internal`). */
const PRIVATE_NAME =
  /(^|\.)(localhost|local|test|example|invalid|internal|onion|alt|home\.arpa|lan|intranet|corp|home)\.?$/;

/** Why an endpoint may not have this address, as the end of a sentence about it; undefined when it may. */
export function endpointProblem(text: string, rules: EndpointRules): string | undefined {
  const url = URL.parse(text);
  if (url === null || text.length > MAX_URL_LENGTH)
    return "must be an https:// address of at most 2,048 characters";
  if (url.username !== "" || url.password !== "") return "must not hold a user name or password";
  if (rules.allowLoopback && isLoopback(url)) return undefined;
  if (url.protocol !== "https:") return "must be an https:// address";
  return hostProblem(url.hostname) ?? portProblem(url.port, rules.ports);
}

export function isLoopback({ protocol, hostname }: URL): boolean {
  return /^https?:$/.test(protocol) && LOOPBACK.has(hostname);
}

/** The URL parser has brought odd forms such as `0x7f.1` and `2130706433` to the plain one. */
function hostProblem(hostname: string): string | undefined {
  if (hostname.startsWith("[") || isIP(hostname) !== 0) return "must name its host, not an IP address";
  if (!hostname.replace(/\.$/, "").includes(".") || PRIVATE_NAME.test(hostname))
    return "must name a host that is public";
  return undefined;
}

function portProblem(port: string, allowed: readonly number[]): string | undefined {
  return port === "" || allowed.includes(Number(port)) ? undefined : "must not name a port";
}
