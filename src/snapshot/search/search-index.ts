import type { Database } from "better-sqlite3";
import { cellToParent, gridDisk } from "h3-js";
import { industryPath } from "../../contract/cities/industry.ts";
import type { OnlinePresence } from "../../contract/enums.ts";
import { NEAR } from "../../contract/limits.ts";
import { BoundedCache } from "../../kernel/bounded-cache.ts";
import { foldName } from "./fold-name.ts";
import { NameSets } from "./name-sets.ts";
import { cityTerm, industryTerm, nearTerm, onlineTerm } from "./search-terms.ts";
import { TermTree } from "./term-tree.ts";

/** What search needs of a record. */
export interface SearchSource {
  readonly position: number; // display order, 1 first
  readonly name: string;
  readonly city: string; // slug
  readonly industry: string | null;
  readonly onlinePresence: OnlinePresence;
  readonly website: string | null; // as published
  /** Published cells in which a fixed asset was observed, rejected observations left out. */
  readonly fixedCells: readonly string[];
}

const TABLES = `
  CREATE TABLE search_names (position INTEGER PRIMARY KEY, folded TEXT NOT NULL) STRICT;
  CREATE TABLE search_terms (term TEXT PRIMARY KEY, id INTEGER NOT NULL, records INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE search_blocks (key INTEGER PRIMARY KEY, offsets BLOB NOT NULL) STRICT;
  CREATE TABLE search_keys (key TEXT, block INTEGER, offsets BLOB NOT NULL, PRIMARY KEY (key, block)) STRICT, WITHOUT ROWID;
`;

/** Every column of the search tables; all hold only what the public record shows. */
export const SEARCH_COLUMNS = [
  { table: "search_names", column: "position" },
  { table: "search_names", column: "folded" },
  { table: "search_terms", column: "term" },
  { table: "search_terms", column: "id" },
  { table: "search_terms", column: "records" },
  { table: "search_blocks", column: "key" },
  { table: "search_blocks", column: "offsets" },
  { table: "search_keys", column: "key" },
  { table: "search_keys", column: "block" },
  { table: "search_keys", column: "offsets" },
] as const;

/**
 * Creates and fills the `search_*` tables: for each term and block of 65,536 positions, the set of records that have it, and
 * likewise for each `nameKey` and website (`NameSets`).
 * One pass in ascending position; memory is that of one block. The same rows give the same bytes.
 * Throws RangeError when positions do not ascend.
 */
export function buildSearchIndex(db: Database, rows: Iterable<SearchSource>): void {
  db.transaction(() => {
    db.exec(TABLES);
    const addName = db.prepare<[number, string]>("INSERT INTO search_names VALUES (?, ?)");
    const addBlock = db.prepare<[number, Uint8Array]>("INSERT INTO search_blocks VALUES (?, ?)");
    const addTerm = db.prepare<[string, number, number]>("INSERT INTO search_terms VALUES (?, ?, ?)");
    const names = new NameSets(db);
    const facetsOf = facetFinder();
    const terms = new TermTree((key, block) => addBlock.run(key, block));
    for (const row of rows) {
      const folded = foldName(row.name);
      terms.add(row.position, [...folded], facetsOf(row));
      names.add(row.position, row.name, row.website);
      addName.run(row.position, folded);
    }
    terms.flush();
    names.file();
    for (const [id, { text, records }] of terms.all()) addTerm.run(text, id, records);
  })();
}

/** A city's fixed assets lie in few cells; the surroundings of each are computed once. */
const CACHED_CELLS = 50_000;

function facetFinder(): (row: SearchSource) => string[] {
  const around = new BoundedCache<string, readonly string[]>(CACHED_CELLS);
  const nearTerms = (cell: string) =>
    around.take(cell, () => gridDisk(cellToParent(cell, NEAR.resolution), NEAR.rings).map(nearTerm));
  return (row) => [
    cityTerm(row.city),
    onlineTerm(row.onlinePresence),
    ...(row.industry === null ? [] : industryPath(row.industry).map(industryTerm)),
    ...new Set(row.fixedCells.flatMap(nearTerms)),
  ];
}
