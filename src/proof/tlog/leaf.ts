/**
 * A row as it is published, and the check of one: its entry, its leaf, what it discloses. The browser and the program share these
 * rules, and each passes in the hashes that they compare: `node:crypto` has them at once, WebCrypto later.
 */
import { concat, FormatError, fromBase64url } from "./bytes.ts";
import { bundleOf, bundleWidth, TILE_WIDTH } from "./proof.ts";

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

/** The entry of a row in its bundle of a tree of `size` rows, or of a larger one. Throws FormatError. */
export function entryOfRow(row: number, bundle: Uint8Array, size: number): Uint8Array {
  const entries = splitEntries(bundle);
  const width = bundleWidth(bundleOf(row), size);
  const entry = entries[(row - 1) % TILE_WIDTH];
  if (entry === undefined || entries.length < width)
    throw new FormatError(`the bundle has ${entries.length} entries instead of ${width}`);
  return entry;
}

/** The leaf of a row. Throws FormatError for anything else. */
export function leafOfRow(row: number, entry: string): Leaf {
  const leaf = parseLeaf(entry);
  if (leaf.row !== row) throw new FormatError(`it is the leaf of row ${leaf.row}, not of row ${row}`);
  return leaf;
}

const DISCLOSURE_LINE = /^\{"i":([1-9][0-9]{0,15}),"d":"([A-Za-z0-9_-]+)"\}$/;

/** A line in a file of disclosures; undefined for one that is malformed. */
export function parseDisclosureLine(
  line: string,
): { readonly row: number; readonly disclosure: string } | undefined {
  const [, row, disclosure] = DISCLOSURE_LINE.exec(line) ?? [];
  return disclosure === undefined ? undefined : { row: Number(row), disclosure };
}

/** The disclosure of a row in its file; undefined when it was withdrawn or is not sealed yet. Throws FormatError. */
export function disclosureOfRow(row: number, file: string): string | undefined {
  const found: string[] = [];
  for (const line of file.split("\n").filter((each) => each !== "")) {
    const read = parseDisclosureLine(line);
    if (read === undefined) throw new FormatError(`not the disclosure of a row: ${line.slice(0, 60)}`);
    if (read.row === row) found.push(read.disclosure);
  }
  if (found.length > 1) throw new FormatError(`there are ${found.length} disclosures of row ${row}`);
  return found[0];
}

/** A disclosure as it was read. */
interface ReadDisclosure {
  readonly digest: string; // base64url(SHA-256(disclosure)): the caller's hash
  readonly text: string; // what the disclosure is base64url of
}

/** What a leaf commits to. Throws FormatError for a disclosure that is of another row, or none. */
export function committedBy({ digests }: Leaf, { digest, text }: ReadDisclosure): Disclosed {
  if (!digests.includes(digest)) throw new FormatError("the leaf does not commit to the disclosed text");
  return parseDisclosed(text);
}

/** The public body of a row, in the same way. */
export function bodyOfRow(leaf: Leaf, disclosure: ReadDisclosure): JsonObject {
  const { name, value } = committedBy(leaf, disclosure);
  if (name !== "body" || !isObject(value))
    throw new FormatError("the disclosed text is not the public body of a row");
  return value;
}

/** The text [salt, name, value] of a disclosure. Throws FormatError unless it is base64url. */
export function disclosureText(disclosure: string): string {
  const bytes = fromBase64url(disclosure);
  if (bytes === undefined) throw new FormatError(NOT_A_DISCLOSURE);
  return new TextDecoder("utf-8").decode(bytes);
}

/** Reads a disclosure [salt, name, value]. Throws FormatError. */
export function parseDisclosure(disclosure: string): Disclosed {
  return parseDisclosed(disclosureText(disclosure));
}

const NOT_A_DISCLOSURE = "not a disclosure: expected base64url of [salt, name, value]";

function parseDisclosed(text: string): Disclosed {
  const [head, salt, name] = HEAD.exec(text) ?? [];
  if (head === undefined || salt === undefined || name === undefined) throw new FormatError(NOT_A_DISCLOSURE);
  return { salt, name, json: text.slice(head.length, -1), value: parsedValue(text) };
}

function parsedValue(text: string): unknown {
  try {
    const parts: unknown = JSON.parse(text);
    if (Array.isArray(parts) && parts.length === 3) return parts[2];
  } catch {
    // Reported below.
  }
  throw new FormatError(NOT_A_DISCLOSURE);
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
