import { concat, FormatError, fromBase64url } from "./bytes.ts";

const LENGTH_BYTES = 2;

/** The entries of a bundle (C2SP tlog-tiles): leaves of a tile of level 0, each behind its length as a big-endian uint16. */
export function splitEntries(bundle: Uint8Array): Uint8Array[] {
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bundle.length; ) {
    const length = (bundle[at] ?? 0) * 256 + (bundle[at + 1] ?? 0);
    const end = at + LENGTH_BYTES + length;
    if (end > bundle.length) throw new FormatError("the entry bundle is cut short");
    entries.push(bundle.subarray(at + LENGTH_BYTES, end));
    at = end;
  }
  return entries;
}

export function joinEntries(entries: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return concat(...entries.flatMap((entry) => [Uint8Array.of(entry.length >> 8, entry.length & 255), entry]));
}

/** A leaf of the ledger: what kind of row it is, and salted digests of all that the row says (RFC 9901, SD-JWT). */
export interface Leaf {
  readonly row: number; // from 1: the leaf's index is one less
  readonly kind: string;
  readonly digests: readonly string[]; // base64url
}

/** What a digest stands for: base64url(SHA-256(disclosure)) is in the leaf. */
export interface Disclosed {
  readonly salt: string;
  readonly name: string;
  readonly json: string; // the value's exact text
  readonly value: unknown;
}

const DIGEST = '"[A-Za-z0-9_-]{43}"';
const LEAF = new RegExp(
  `^\\{"_sd":\\[(${DIGEST}(?:,${DIGEST}){4})\\],"_sd_alg":"sha-256","i":([1-9][0-9]{0,15}),"k":"([a-z_]{1,20})","v":1\\}$`,
);
const HEAD = /^\["([A-Za-z0-9_-]{22,})","([a-z0-9_]+)",/;

/** Reads the one canonical form of a leaf (RFC 8785). Throws FormatError for anything else. */
export function parseLeaf(text: string): Leaf {
  const [, list, row, kind] = LEAF.exec(text) ?? [];
  if (list === undefined || row === undefined || kind === undefined)
    throw new FormatError("not a leaf in canonical form");
  const digests = list.slice(1, -1).split('","');
  return { row: Number(row), kind, digests };
}

/** Reads a disclosure [salt, name, value]. Throws FormatError. */
export function parseDisclosure(disclosure: string): Disclosed {
  const bytes = fromBase64url(disclosure);
  const text = bytes && new TextDecoder("utf-8").decode(bytes);
  const [head, salt, name] = HEAD.exec(text ?? "") ?? [];
  if (text === undefined || head === undefined || salt === undefined || name === undefined)
    throw new FormatError("not a disclosure: expected base64url of [salt, name, value]");
  const json = text.slice(head.length, -1);
  return { salt, name, json, value: parsedValue(text) };
}

function parsedValue(text: string): unknown {
  try {
    const parts: unknown = JSON.parse(text);
    if (Array.isArray(parts) && parts.length === 3) return parts[2];
  } catch {
    // Reported below.
  }
  throw new FormatError("not a disclosure: expected base64url of [salt, name, value]");
}
