import { concat, FormatError } from "../tlog/bytes.ts";
import { isObject, type JsonObject } from "../tlog/leaf.ts";
import type { NoteKey, NoteSignature } from "../tlog/note.ts";
import type { NodeHash } from "../tlog/proof.ts";
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

/** WebCrypto's part that browsers and Node share. */
export type Subtle = typeof crypto.subtle;

const LEAF_PREFIX = Uint8Array.of(0);
const NODE_PREFIX = Uint8Array.of(1);
// Any valid point will do to ask: the public key of RFC 8032, 7.1, test 1.
const SOME_KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

export async function sha256(subtle: Subtle, bytes: Uint8Array<ArrayBuffer>) {
  return new Uint8Array(await subtle.digest("SHA-256", bytes));
}

/** RFC 6962, 2.1. */
export function leafHash(subtle: Subtle, entry: Uint8Array) {
  return sha256(subtle, concat(LEAF_PREFIX, entry));
}

export function nodeHash(subtle: Subtle): NodeHash {
  return (left, right) => sha256(subtle, concat(NODE_PREFIX, left, right));
}

/** The browser's WebCrypto, once it is known to be there and to know Ed25519. Throws Stop, `could not check`. */
export async function usableCrypto(subtle: Subtle | undefined): Promise<Subtle> {
  if (subtle === undefined)
    throw new Stop(
      "could not check",
      "Browsers allow cryptography only on pages served over https or from localhost. Open this page over https.",
    );
  try {
    await importKey(
      subtle,
      Uint8Array.from(SOME_KEY.match(/../g) ?? [], (hex) => Number.parseInt(hex, 16)),
    );
  } catch {
    throw new Stop(
      "could not check",
      "This browser does not support Ed25519 signatures. Use Firefox 129, Safari 17, Chrome 137 or later.",
    );
  }
  return subtle;
}

export async function isRightSignature(
  subtle: Subtle,
  { key }: NoteKey,
  { signature }: NoteSignature,
  text: string,
): Promise<boolean> {
  const imported = await importKey(subtle, key);
  return subtle.verify("Ed25519", imported, signature, new TextEncoder().encode(text));
}

/** Throws a DOMException for bytes that are no Ed25519 public key. */
function importKey(subtle: Subtle, key: Uint8Array<ArrayBuffer>) {
  return subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
}
