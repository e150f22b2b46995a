import {
  beginningOf,
  type Fetch,
  fetchFailure,
  guardedFetch,
  hostProblem,
  isLoopback,
} from "../kernel/public-fetch.ts";
import { HostTurns } from "./host-turns.ts";

export interface WebReaderOptions {
  readonly userAgent: string;
  readonly timeoutMs: number; // of a request with its body
  readonly pause: () => Promise<void>; // between two requests to a host
  /** For tests: requests to this machine, on any port. */
  readonly allowLoopback: boolean;
}

export type WebAnswer =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly location: string | null;
      readonly body: string; // as far as it was read
    }
  /** `no_such_host`: the name does not exist; `refused`: the address may not be asked; else `unreachable`. */
  | { readonly kind: "no_such_host" | "refused" | "unreachable"; readonly reason: string };

/** Reads pages of strangers: by the guard that webhooks have, one request to a host at a time, with caps, and without following redirects. */
export class WebReader {
  readonly #options: WebReaderOptions;
  readonly #turns: HostTurns;
  readonly #guarded: Fetch;

  constructor(options: WebReaderOptions) {
    this.#options = options;
    this.#turns = new HostTurns(options.pause);
    this.#guarded = guardedFetch((origin) => addressProblem(origin, false));
  }

  /** Never throws: every behavior of a server is an answer. */
  async get(url: URL, maxBytes: number): Promise<WebAnswer> {
    const problem = addressProblem(url, this.#options.allowLoopback);
    if (problem !== undefined) return { kind: "refused", reason: `the address ${problem}` };
    return this.#turns.take(url.host, () => this.#get(url, maxBytes));
  }

  async #get(url: URL, maxBytes: number): Promise<WebAnswer> {
    const send = isLoopback(url) ? fetch : this.#guarded;
    try {
      const response = await send(url.href, {
        redirect: "manual",
        signal: AbortSignal.timeout(this.#options.timeoutMs),
        headers: { "user-agent": this.#options.userAgent, accept: "text/html, text/plain;q=0.9, */*;q=0.1" },
      });
      const body = await beginningOf(response, maxBytes);
      const { status, headers } = response;
      return { kind: "answered", status, location: headers.get("location"), body: body.toString("utf8") };
    } catch (error) {
      const reason = fetchFailure(error);
      return { kind: reason === "ENOTFOUND" ? "no_such_host" : "unreachable", reason };
    }
  }
}

function addressProblem(url: URL, allowLoopback: boolean): string | undefined {
  if (allowLoopback && isLoopback(url)) return undefined;
  if (!/^https?:$/.test(url.protocol)) return "must be an http:// or https:// address";
  if (url.username !== "" || url.password !== "") return "must not hold a user name or password";
  return hostProblem(url.hostname) ?? (url.port === "" ? undefined : "must not name a port");
}
