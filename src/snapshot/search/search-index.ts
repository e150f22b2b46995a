import type { Database } from "better-sqlite3";
import { cellToParent, gridDisk } from "h3-js";
import { industryPath } from "../../contract/cities/industry.ts";
import type { OnlinePresence } from "../../contract/enums.ts";
import { NEAR } from "../../contract/limits.ts";
import { BoundedCache } from "../../kernel/bounded-cache.ts";
import { blob, inserter, integer, table, text } from "../../kernel/table.ts";
import { BatchInserter } from "../tables/release.ts";
import { NameSets } from "./name-sets.ts";
import { cityTerm, foldName, industryTerm, nearTerm, onlineTerm } from "./search-terms.ts";
import { TermSets } from "./term-sets.ts";

/** Tables of the search index; all hold only what the public record shows. */

export const searchNames = table("search_names", {
  public: { position: integer().primaryKey(), folded: text() },
});

export const searchTerms = table("search_terms", {
  public: { term: text().primaryKey(), id: integer(), records: integer() },
  withoutRowid: true,
});

export const searchBlocks = table("search_blocks", {
  public: { key: integer().primaryKey(), offsets: blob() },
});

export const searchKeys = table("search_keys", {
  public: { key: text(), block: integer(), offsets: blob() },
  primaryKey: ["key", "block"],
});

export const SEARCH_TABLES = [searchNames, searchTerms, searchBlocks, searchKeys];

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
    const folded = new BatchInserter(db, searchNames);
    const addBlock = inserter(db, searchBlocks);
    const addTerm = inserter(db, searchTerms);
    const names = new NameSets(db);
    const terms = new TermSets((key, block) => {
      folded.flush(); // the names of a block lie before its sets
      addBlock({ key, offsets: block });
    });
    const facetsOf = facetFinder((facet) => terms.facet(facet));
    for (const row of rows) {
      const name = foldName(row.name);
      terms.add(row.position, name, facetsOf(row));
      names.add(row.position, row.name, row.website);
      folded.add(row.position, name);
    }
    folded.flush();
    terms.flush();
    names.file();
    for (const term of terms.all()) addTerm(term);
  })();
}

/** The fixed assets of a city are in few cells. */
const CACHED_FACETS = 50_000;

/** Finds the terms of a record's facets. Their texts are made once for each value, not for each record. */
function facetFinder(termOf: (facet: string) => number): (row: SearchSource) => number[] {
  const ofCity = cached((slug: string) => termOf(cityTerm(slug)));
  const ofVerdict = cached((verdict: OnlinePresence) => termOf(onlineTerm(verdict)));
  const ofIndustry = cached((code: string) => industryPath(code).map((part) => termOf(industryTerm(part))));
  const ofCell = cached((cell: string) =>
    gridDisk(cellToParent(cell, NEAR.resolution), NEAR.rings).map((near) => termOf(nearTerm(near))),
  );
  return ({ city, onlinePresence, industry, fixedCells }) => [
    ofCity(city),
    ofVerdict(onlinePresence),
    ...(industry === null ? [] : ofIndustry(industry)),
    ...fixedCells.flatMap(ofCell),
  ];
}

function cached<K, V>(make: (key: K) => V): (key: K) => V {
  const cache = new BoundedCache<K, V>(CACHED_FACETS);
  return (key) => cache.take(key, () => make(key));
}
