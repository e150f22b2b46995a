import { hostProblem, isLoopback } from "../../kernel/public-fetch.ts";

/** Rules for webhook addresses, checked when an endpoint is created and at each delivery; resolved addresses are checked when connecting. */
export interface EndpointRules {
  /** Allows `http` and `https` to this machine on any port, for tests and development. */
  readonly allowLoopback: boolean;
  /** Ports allowed in addition to 443. */
  readonly ports: readonly number[];
}

const MAX_URL_LENGTH = 2048;

/** Returns why a URL is not allowed, as the end of a sentence, or undefined. */
export function endpointProblem(text: string, rules: EndpointRules): string | undefined {
  const url = text.length > MAX_URL_LENGTH ? null : URL.parse(text);
  if (url === null) return "must be an https:// address of at most 2,048 characters";
  if (url.username !== "" || url.password !== "") return "must not contain a user name or password";
  if (rules.allowLoopback && isLoopback(url)) return undefined;
  if (url.protocol !== "https:") return "must be an https:// address";
  return hostProblem(url.hostname) ?? portProblem(url.port, rules.ports);
}

function portProblem(port: string, allowed: readonly number[]): string | undefined {
  return port === "" || allowed.includes(Number(port)) ? undefined : "must not name a port";
}
