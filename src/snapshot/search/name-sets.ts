import type { Database, Statement } from "better-sqlite3";
import { nameKey } from "../../kernel/text/name-key.ts";
import { readWebsite } from "../../kernel/text/website.ts";
import { BLOCK_SIZE, encodeBlock, offsetOf } from "./offset-block.ts";
import { exactName, websiteKey } from "./search-terms.ts";

const GATHER = `
  CREATE TEMP TABLE named (position INTEGER PRIMARY KEY, exact TEXT NOT NULL, key TEXT NOT NULL) STRICT;
  CREATE TEMP TABLE pointed (key TEXT, position INTEGER, PRIMARY KEY (key, position)) STRICT, WITHOUT ROWID;
`;

const FILE = `
  CREATE INDEX temp.named_alike ON named (key, position, exact);
  INSERT INTO search_keys SELECT key, position / ${BLOCK_SIZE}, offset_block(position) FROM named
    WHERE key <> '' GROUP BY 1, 2 ORDER BY 1, 2;
  INSERT INTO search_keys SELECT exact, position / ${BLOCK_SIZE}, offset_block(position) FROM named
    WHERE key = '' OR key IN (SELECT key FROM named GROUP BY key HAVING min(exact) <> max(exact))
    GROUP BY 1, 2 ORDER BY 1, 2;
  INSERT INTO search_keys SELECT key, position / ${BLOCK_SIZE}, offset_block(position) FROM pointed
    GROUP BY 1, 2 ORDER BY 1, 2;
  DROP TABLE named;
  DROP TABLE pointed;
`;

/**
 * Fills `search_keys` with the records of each `nameKey` and of each website: by host and, where many businesses share the host,
 * also by host and path. There are about as many keys as records, so they are not terms. An exact name gets an entry of its own
 * only if names with its key differ in spelling, or if it has no key.
 */
export class NameSets {
  readonly #db: Database;
  readonly #gather: Statement<[number, string, string]>;
  readonly #point: Statement<[string, number]>;

  constructor(db: Database) {
    this.#db = db;
    db.exec(GATHER);
    this.#gather = db.prepare<[number, string, string]>("INSERT INTO named VALUES (?, ?, ?)");
    this.#point = db.prepare<[string, number]>("INSERT INTO pointed VALUES (?, ?)");
    db.aggregate("offset_block", {
      start: () => [] as number[],
      step: (offsets, position: number) => {
        offsets.push(offsetOf(position));
      },
      result: (offsets) => encodeBlock(offsets.sort((a, b) => a - b)),
    });
  }

  add(position: number, name: string, website: string | null): void {
    this.#gather.run(position, exactName(name), nameKey(name));
    const read = website === null ? undefined : readWebsite(website);
    if (read === undefined) return;
    for (const key of new Set([read.host, read.lookUpKey])) this.#point.run(websiteKey(key), position);
  }

  /** Writes all that was added. */
  file(): void {
    this.#db.exec(FILE);
  }
}
