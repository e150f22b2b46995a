import type { Database } from "better-sqlite3";
import { readWebsite } from "../../kernel/text/contacts.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import { BatchInserter } from "../tables/release.ts";
import { blockOf, decodeList, encodeBlock, MAX_LISTED, offsetOf } from "./offset-block.ts";
import { exactName, websiteKey } from "./search-terms.ts";

const GATHER = `
  CREATE TEMP TABLE named (key TEXT, block INTEGER, offset INTEGER, exact TEXT) STRICT;
  CREATE TEMP TABLE keyed (key TEXT, block INTEGER, offset INTEGER) STRICT;
`;

// The indexes have the rows in the order of the groups, and the offsets of a group in theirs.
const LIST = "unhex(group_concat(format('%02x%02x', offset & 255, offset >> 8), ''))";
const OFFSETS = `iif(count(*) <= ${MAX_LISTED}, ${LIST}, list_as_bitmap(${LIST}))`;

const FILE = `
  CREATE INDEX temp.named_alike ON named (key, block, offset, exact);
  INSERT INTO search_keys SELECT key, block, ${OFFSETS} FROM named WHERE key <> '' GROUP BY 1, 2;
  INSERT INTO keyed SELECT exact, block, offset FROM named
    WHERE key = '' OR key IN (SELECT key FROM named GROUP BY key HAVING min(exact) <> max(exact));
  DROP TABLE named;
  CREATE INDEX temp.keyed_alike ON keyed (key, block, offset);
  INSERT INTO search_keys SELECT key, block, ${OFFSETS} FROM keyed GROUP BY 1, 2;
  DROP TABLE keyed;
`;

/**
 * Fills `search_keys` with the records of each `nameKey` and of each website: by host and, where many businesses share the host,
 * also by host and path. There are about as many keys as records, so they are not terms. An exact name gets an entry of its own
 * only if names with its key differ in spelling, or if it has no key.
 */
export class NameSets {
  readonly #db: Database;
  readonly #named: BatchInserter;
  readonly #keyed: BatchInserter;

  constructor(db: Database) {
    this.#db = db;
    db.exec(GATHER);
    this.#named = new BatchInserter(db, { name: "named", names: ["key", "block", "offset", "exact"] });
    this.#keyed = new BatchInserter(db, { name: "keyed", names: ["key", "block", "offset"] });
    db.function("list_as_bitmap", (list: Uint8Array) => encodeBlock(decodeList(list)));
  }

  add(position: number, name: string, website: string | null): void {
    const block = blockOf(position);
    const offset = offsetOf(position);
    this.#named.add(nameKey(name), block, offset, exactName(name));
    const read = website === null ? undefined : readWebsite(website);
    if (read === undefined) return;
    this.#keyed.add(websiteKey(read.host), block, offset);
    if (read.lookUpKey !== read.host) this.#keyed.add(websiteKey(read.lookUpKey), block, offset);
  }

  /** Writes all that was added. */
  file(): void {
    this.#named.flush();
    this.#keyed.flush();
    this.#db.exec(FILE);
  }
}

/** Code points of the letters, digits and signs that nearly all names consist of. */
const COMMON = 128;

/** Code points are below this. */
const CODE_POINTS = 2 ** 21;

/** A tree of texts, one code point a level, in flat memory. Nodes are integers, 0 is the root. */
export class GramTree {
  #size = 1;
  #rows = new Uint32Array(1024); // by node: the row of its common children, 0 = it has none
  #rowCount = 1;
  #children = new Uint32Array(64 * COMMON); // by row and code point, 0 = none
  readonly #others = new Map<number, number>(); // by node and code point

  /** The child of a node, 0 if it has none. */
  child(node: number, codePoint: number): number {
    return codePoint < COMMON
      ? (this.#children[(this.#rows[node] ?? 0) * COMMON + codePoint] ?? 0)
      : (this.#others.get(node * CODE_POINTS + codePoint) ?? 0);
  }

  /** Adds a child to a node that has none for the code point. Nodes are numbered in the order in which they are added. */
  addChild(node: number, codePoint: number): number {
    const child = this.#size;
    this.#size += 1;
    if (this.#rows.length === child) this.#rows = grown(this.#rows, child + 1);
    if (codePoint < COMMON) this.#setCommon(node, codePoint, child);
    else this.#others.set(node * CODE_POINTS + codePoint, child);
    return child;
  }

  #setCommon(node: number, codePoint: number, child: number): void {
    const row = this.#rows[node] || this.#rowCount++;
    this.#rows[node] = row;
    const length = this.#rowCount * COMMON;
    if (length > this.#children.length) this.#children = grown(this.#children, length);
    this.#children[row * COMMON + codePoint] = child;
  }
}

/** A copy with room for at least `length` numbers, and for twice as many as before. */
export function grown(numbers: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(length, 2 * numbers.length));
  larger.set(numbers);
  return larger;
}
