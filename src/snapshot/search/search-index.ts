import type { Database } from "better-sqlite3";
import { cellToParent, gridDisk } from "h3-js";
import { industryPath } from "../../contract/cities/industry.ts";
import type { OnlinePresence } from "../../contract/enums.ts";
import { NEAR } from "../../contract/limits.ts";
import { BoundedCache } from "../../kernel/bounded-cache.ts";
import { inserter } from "../tables/table.ts";
import { foldName } from "./fold-name.ts";
import { NameSets } from "./name-sets.ts";
import { SEARCH_TABLES, searchBlocks, searchNames, searchTerms } from "./search-tables.ts";
import { cityTerm, industryTerm, nearTerm, onlineTerm } from "./search-terms.ts";
import { TermTree } from "./term-tree.ts";

/** Search input for one record. */
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

/**
 * Creates and fills the `search_*` tables: for each term and block of 65,536 positions, the set of records that have it, and
 * likewise for each `nameKey` and website (`NameSets`).
 * One pass in ascending position; memory is that of one block. The same rows give the same bytes.
 * Throws RangeError when positions do not ascend.
 */
export function buildSearchIndex(db: Database, rows: Iterable<SearchSource>): void {
  db.transaction(() => {
    for (const { create } of SEARCH_TABLES) db.exec(create);
    const addName = inserter(db, searchNames);
    const addBlock = inserter(db, searchBlocks);
    const addTerm = inserter(db, searchTerms);
    const names = new NameSets(db);
    const facetsOf = facetFinder();
    const terms = new TermTree((key, block) => addBlock({ key, offsets: block }));
    for (const row of rows) {
      const folded = foldName(row.name);
      terms.add(row.position, folded, facetsOf(row));
      names.add(row.position, row.name, row.website);
      addName({ position: row.position, folded });
    }
    terms.flush();
    names.file();
    for (const [id, { text, records }] of terms.all()) addTerm({ term: text, id, records });
  })();
}

/** A city's fixed assets are in few cells, so the neighbors of each cell are computed once. */
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
