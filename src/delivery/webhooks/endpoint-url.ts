import { hostProblem, isLoopback } from "../../kernel/public-fetch.ts";

/** Where webhooks may be sent. Checked when an endpoint is named and again at each delivery; what a name resolves to is checked when connecting. */
export interface EndpointRules {
  /** `http` and `https` to this machine itself, on any port: for tests and development. */
  readonly allowLoopback: boolean;
  /** Ports beside 443. */
  readonly ports: readonly number[];
}

const MAX_URL_LENGTH = 2048;

/** Why an endpoint may not have this address, as the end of a sentence about it; undefined when it may. */
export function endpointProblem(text: string, rules: EndpointRules): string | undefined {
  const url = URL.parse(text);
  if (url === null || text.length > MAX_URL_LENGTH)
    return "must be an https:// address of at most 2,048 characters";
  if (url.username !== "" || url.password !== "") return "must not contain a user name or password";
  if (rules.allowLoopback && isLoopback(url)) return undefined;
  if (url.protocol !== "https:") return "must be an https:// address";
  return hostProblem(url.hostname) ?? portProblem(url.port, rules.ports);
}

function portProblem(port: string, allowed: readonly number[]): string | undefined {
  return port === "" || allowed.includes(Number(port)) ? undefined : "must not name a port";
}
