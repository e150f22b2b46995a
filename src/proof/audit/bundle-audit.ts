import { setImmediate as turn } from "node:timers/promises";
import { OperatorError } from "../../kernel/errors.ts";
import { leafHash, sha256Base64url, sha256Hex } from "../../kernel/hash.ts";
import { isRowKind, ROW_BODIES } from "../../ledger/rows/rows.ts";
import { rootOfTile } from "../../ledger/tree/merkle.ts";
import { bodyOfRow, type Leaf, leafOfRow, parseDisclosureLine, splitEntries } from "../tlog/leaf.ts";
import { bundleOf, disclosuresPath, entriesPath, HASH_BYTES, TILE_WIDTH } from "../tlog/proof.ts";
import { Findings, type Found, problemOf } from "./findings.ts";
import { bodyOf, type PublicFiles, readPublished } from "./site-files.ts";

/** What the files of one bundle of rows say by themselves. Nothing in it depends on another bundle, so threads may do it. */

/** A bundle to check. */
export interface BundleTask extends BundlePlace {
  /** Numbers of its rows with which a tree was signed. */
  readonly signed: readonly number[];
  /** The hashes of its two files in the signed list, where the files are to be checked against it. */
  readonly listed?: { readonly entries?: string | undefined; readonly disclosures?: string | undefined };
  /** Whether the bodies of its rows are wanted, too. */
  readonly withBodies?: boolean;
}

/** Plain data. */
export interface AuditedBundle extends BundleRowsFound {
  readonly index: number;
  readonly leafHashes: Uint8Array; // of the leaves that are there, one behind the other
  readonly root: Uint8Array | undefined; // over them, if the bundle is full
  /** SHA-256 of the file of leaves as it must be with that many rows: for each signed number, and for a full bundle. */
  readonly entryHashes: ReadonlyMap<number, string>;
  readonly tree: Found;
  readonly files: Found; // against the signed list
}

export function auditBundle(task: BundleTask, files: BundleFiles): AuditedBundle {
  const findings = new Findings();
  const entries = entriesOf(task, files, findings);
  const rows = new BundleRows(disclosuresOf(task, files, findings), findings, task.withBodies === true);
  const leafHashes = Buffer.alloc(entries.length * HASH_BYTES);
  for (const [at, entry] of entries.entries()) {
    leafHash(entry).copy(leafHashes, at * HASH_BYTES);
    rows.add(task.index * TILE_WIDTH + at + 1, entry);
  }
  return {
    index: task.index,
    leafHashes,
    root: entries.length === TILE_WIDTH ? new Uint8Array(rootOfTile(leafHashes)) : undefined,
    entryHashes: entryHashes(task, files, entries),
    ...rows.found(),
    tree: findings.found(),
    files: auditAsFiles(task, files),
  };
}

/** A file of fewer leaves is the beginning of one of more. */
function entryHashes(
  { signed }: BundleTask,
  files: BundleFiles,
  entries: readonly Uint8Array[],
): Map<number, string> {
  const hashes = new Map<number, string>();
  for (const width of new Set([...signed, TILE_WIDTH])) {
    const last = entries[width - 1];
    if (last === undefined) continue;
    const bytes = files.entries();
    const end = last.byteOffset + last.length - bytes.byteOffset;
    hashes.set(width, sha256Hex(bytes.subarray(0, end)));
  }
  return hashes;
}

function auditAsFiles(task: BundleTask, files: BundleFiles): Found {
  const findings = new Findings();
  const paths = pathsOfBundle(task);
  for (const name of ["disclosures", "entries"] as const) {
    const sha256 = task.listed?.[name];
    if (sha256 === undefined) continue;
    findings.checked("files");
    findings.attemptNow(paths[name], () => bodyOf(files[name](), sha256));
  }
  return findings.found();
}

/** A row that says something about other rows. */
export interface Statement {
  readonly row: number;
  readonly kind: string;
  readonly body: unknown;
}

/** What the rows of a bundle say, each verified by itself. Plain data. */
interface BundleRowsFound {
  readonly statements: readonly Statement[];
  readonly undisclosed: readonly { readonly row: number; readonly kind: string }[];
  readonly unreadable: readonly number[]; // rows without a leaf of theirs
  readonly lastDisclosed: number; // of the rows that state nothing about others; 0: none
  /** JSON, if wanted: row, kind and opened disclosure of each row with a verified public body. */
  readonly bodies: string | undefined;
}

const STATEMENTS: ReadonlySet<string> = new Set(["seal", "clock", "redaction"]);

/** Holds the rows of a bundle against their disclosures. Rows come in order. */
class BundleRows {
  readonly #disclosures: ReadonlyMap<number, string>;
  readonly #findings: Findings;
  readonly #statements: Statement[] = [];
  readonly #undisclosed: { readonly row: number; readonly kind: string }[] = [];
  readonly #unreadable: number[] = [];
  readonly #bodies: string[] | undefined;
  #lastDisclosed = 0;

  constructor(disclosures: ReadonlyMap<number, string>, findings: Findings, withBodies: boolean) {
    this.#disclosures = disclosures;
    this.#findings = findings;
    this.#bodies = withBodies ? [] : undefined;
  }

  add(row: number, entry: Uint8Array): void {
    this.#findings.checked("leaves");
    const leaf = this.#leaf(row, entry);
    if (leaf === undefined) {
      this.#unreadable.push(row);
      return;
    }
    const disclosure = this.#disclosures.get(row);
    if (disclosure === undefined) this.#undisclosed.push({ row, kind: leaf.kind });
    else this.#disclosed(leaf, disclosure);
  }

  found(): BundleRowsFound {
    return {
      statements: this.#statements,
      undisclosed: this.#undisclosed,
      unreadable: this.#unreadable,
      lastDisclosed: this.#lastDisclosed,
      bodies: this.#bodies && `[${this.#bodies.join(",")}]`,
    };
  }

  #leaf(row: number, entry: Uint8Array): Leaf | undefined {
    try {
      return leafOfRow(row, latin1(entry));
    } catch (error) {
      this.#findings.fault(`row ${row}`, problemOf(error));
      return undefined;
    }
  }

  #disclosed(leaf: Leaf, disclosure: string): void {
    const { row, kind } = leaf;
    this.#findings.checked("disclosures");
    try {
      const { text, body } = publicBody(leaf, disclosure);
      if (STATEMENTS.has(kind)) this.#statements.push({ row, kind, body });
      else this.#lastDisclosed = row;
      this.#bodies?.push(`[${row},"${kind}",${text}]`);
    } catch (error) {
      this.#findings.fault(`row ${row}`, `its disclosure: ${problemOf(error)}`);
    }
  }
}

/** The public body that the leaf commits to, with the text of its disclosure. Throws for anything else. */
function publicBody(leaf: Leaf, disclosure: string): { text: string; body: unknown } {
  const text = Buffer.from(disclosure, "base64url").toString("utf8");
  const body = bodyOfRow(leaf, { digest: sha256Base64url(disclosure), text });
  if (!isRowKind(leaf.kind)) throw new Error(`the kind ${leaf.kind} is unknown`);
  ROW_BODIES[leaf.kind].parse(body);
  return { text, body };
}

function latin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString("latin1");
}

/** 256 rows, or fewer at the end of the tree. */
export interface BundlePlace {
  readonly index: number;
  readonly width: number; // rows that the newest tree has in it
}

/** The two files of 256 rows as they were read. Each use of a file that could not be read throws why. */
export interface BundleFiles {
  readonly entries: () => Buffer;
  readonly disclosures: () => Buffer;
}

export function pathsOfBundle({ index, width }: BundlePlace) {
  return { entries: `ledger/${entriesPath(index, width)}`, disclosures: `ledger/${disclosuresPath(index)}` };
}

/** `disclosureFiles` reads the disclosures: what `files` gave of the leaves must still be there then. */
export async function readBundle(
  files: PublicFiles,
  place: BundlePlace,
  disclosureFiles = files,
): Promise<BundleFiles> {
  const paths = pathsOfBundle(place);
  const [entries, disclosures] = await Promise.all([
    outcome(files, paths.entries),
    outcome(disclosureFiles, paths.disclosures),
  ]);
  return { entries, disclosures };
}

async function outcome(files: PublicFiles, path: string): Promise<() => Buffer> {
  try {
    const bytes = await readPublished(files, path);
    return () => bytes;
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    return () => {
      throw error;
    };
  }
}

const READ_AHEAD = 4;

/** The files of these bundles in order, some read ahead. */
export async function* readBundles<Place extends BundlePlace>(
  files: PublicFiles,
  places: Iterable<Place>,
): AsyncGenerator<readonly [Place, BundleFiles]> {
  const waiting = places[Symbol.iterator]();
  const ahead: { readonly place: Place; readonly read: Promise<BundleFiles> }[] = [];
  for (;;) {
    while (ahead.length < READ_AHEAD) {
      const next = waiting.next();
      if (next.done === true) break;
      const read = readBundle(files, next.value);
      read.catch(() => undefined); // said when its turn comes, if it does
      ahead.push({ place: next.value, read });
    }
    const first = ahead.shift();
    if (first === undefined) return;
    yield [first.place, await first.read];
    // Files of a folder are read synchronously, so the other tasks of the audit get a turn here.
    await turn();
  }
}

/** The leaves of a bundle: what is missing or malformed is a fault, and comes as what could be read. */
export function entriesOf(place: BundlePlace, { entries }: BundleFiles, findings: Findings): Uint8Array[] {
  const path = pathsOfBundle(place).entries;
  const split = findings.attemptNow(path, () => splitEntries(entries()));
  if (split !== undefined && split.length !== place.width)
    findings.fault(path, `holds ${split.length} leaves, not ${place.width}`);
  return split?.slice(0, place.width) ?? [];
}

const LINE_FEED = 10;

/** The disclosures that are out, by row id, in the same way. */
export function disclosuresOf(
  place: BundlePlace,
  { disclosures }: BundleFiles,
  findings: Findings,
): Map<number, string> {
  const path = pathsOfBundle(place).disclosures;
  const bytes = findings.attemptNow(path, disclosures);
  const byRow = new Map<number, string>();
  if (bytes !== undefined && bytes.length > 0 && bytes.at(-1) !== LINE_FEED)
    findings.fault(path, "its last line is cut short");
  for (const line of wholeLines(bytes ?? Buffer.alloc(0))) {
    const read = parseDisclosureLine(line);
    const isOwn = read !== undefined && bundleOf(read.row) === place.index;
    if (isOwn && !byRow.has(read.row)) byRow.set(read.row, read.disclosure);
    else findings.fault(path, `not a disclosure of its own rows: ${JSON.stringify(line.slice(0, 60))}`);
  }
  return byRow;
}

/** Line by line: a file as one text would be a large object, which V8 keeps until it looks at all its memory. */
function* wholeLines(bytes: Buffer): Generator<string> {
  for (let at = 0, end = bytes.indexOf(LINE_FEED); end >= 0; at = end + 1, end = bytes.indexOf(LINE_FEED, at))
    yield bytes.toString("latin1", at, end);
}
