import { FormatError } from "../tlog/bytes.ts";
import { isObject, type JsonObject } from "../tlog/leaf.ts";
import { Stop } from "./outcome.ts";

export type Fetch = (
  address: string,
  options: { readonly cache: "no-cache"; readonly signal: AbortSignal },
) => Promise<Response>;

const TIMEOUT_MS = 20_000;
const MISSING = [404, 410];

/** Reads published files of one site, each once, and keeps the list of those that were needed since it was last taken. */
export class SiteReader {
  readonly #fetch: Fetch;
  readonly #read = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly #addresses = new Set<string>();

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  takeAddresses(): string[] {
    const taken = [...this.#addresses];
    this.#addresses.clear();
    return taken;
  }

  /** Undefined when the site has no such file. Throws Stop, `could not check`, when it cannot be known. */
  async read(address: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const known = this.#read.get(address);
    if (known !== undefined) {
      this.#addresses.add(address);
      return known;
    }
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const answer = await this.#fetch(address, { cache: "no-cache", signal });
      if (MISSING.includes(answer.status) || isPage(answer)) return undefined;
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      this.#addresses.add(address);
      this.#read.set(address, bytes);
      return bytes;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Stop("could not check", `${address} could not be read: ${reason}.`);
    }
  }

  async readText(address: string): Promise<string> {
    return utf8(address, (await this.read(address)) ?? missing(address));
  }
}

/** Some hosts answer a missing file with a page and status 200; no file of the ledger is HTML. */
function isPage(answer: Response): boolean {
  return answer.headers.get("content-type")?.startsWith("text/html") ?? false;
}

/** Throws Stop: a missing file says nothing about the row. */
export function missing(address: string): never {
  throw new Stop("could not check", `${address} does not exist.`);
}

/** Throws FormatError. */
export function utf8(what: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new FormatError(`${what}: not UTF-8 text`);
  }
}

/** Throws FormatError unless the text is one JSON object; `what` names it. */
export function parseObject(what: string, text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Reported below.
  }
  throw new FormatError(`${what} is not a JSON object`);
}

/** A value as people read it: a text as it is, anything else as JSON. */
export function shown(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "missing");
}
