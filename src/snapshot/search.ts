import type { Database, Statement } from "better-sqlite3";
import type { NameMatch, OnlinePresence } from "../contract/enums.ts";
import { nameKey } from "../kernel/name-key.ts";
import { foldName } from "./fold-name.ts";
import { BLOCK_SIZE, decodeBlock, intersectBlock } from "./offset-block.ts";
import { cityTerm, exactName, industryTerm, needleGrams, onlineTerm } from "./search-terms.ts";
import { BLOCK_KEY_SPAN } from "./term-tree.ts";

export interface SearchFilters {
  readonly name?: string | undefined;
  /** `contains` (default): anywhere in the name, without case and accents, blank = no filter; `same`: equal `nameKey`s. */
  readonly nameMatch?: NameMatch | undefined;
  readonly city?: string | undefined; // slug
  readonly industry?: string | undefined; // ISIC code of any level; matches everything below it
  readonly onlinePresence?: OnlinePresence | undefined;
  readonly limit: number; // at least 1
}

/** Positions of the matching records, `limit` at most: with `same` the exact name first, and all in display order. */
export type Search = (filters: SearchFilters) => number[];

interface TermRow {
  readonly id: number;
  readonly records: number;
}

interface KeyRow {
  readonly block: number;
  readonly offsets: Uint8Array;
}

interface Statements {
  readonly term: Statement<[string], TermRow>;
  readonly block: Statement<[number], Uint8Array>;
  readonly key: Statement<[string], KeyRow>;
  readonly folded: Statement<[number], string>;
  readonly first: Statement<[number], number>;
  readonly last: Statement<[], number | null>;
}

/**
 * A search over the tables of `buildSearchIndex`. Block after block of display order, it intersects the sets of the
 * terms, the rarest first, so that a common needle stops early and a rare one touches little.
 */
export function openSearch(db: Database): Search {
  const statements = prepare(db);
  const blocks = Math.floor((statements.last.get() ?? 0) / BLOCK_SIZE) + 1;
  return (filters) =>
    filters.nameMatch === "same" && filters.name !== undefined
      ? sameNamed(statements, filters.name, filters)
      : containing(statements, filters, blocks);
}

function containing(statements: Statements, filters: SearchFilters, blocks: number): number[] {
  const needle = foldName(filters.name ?? "");
  const { grams, exact } = needleGrams(needle);
  const terms = findTerms(statements, [...grams, ...facetTerms(filters)]);
  if (terms === undefined) return [];
  if (terms.length === 0) return statements.first.all(filters.limit);
  const having = positionsHaving(statements, terms, blocks);
  const holds = (position: number) => exact || statements.folded.get(position)?.includes(needle) === true;
  return firstWhere(having, holds, filters.limit);
}

/** A name of which normalisation leaves nothing is the same as no other: only its exact spelling is found. */
function sameNamed(statements: Statements, name: string, filters: SearchFilters): number[] {
  const facets = findTerms(statements, facetTerms(filters));
  if (facets === undefined) return [];
  const exact = firstWhere(positionsUnder(statements, exactName(name), facets), () => true, filters.limit);
  const key = nameKey(name);
  const left = filters.limit - exact.length;
  if (key === "" || left === 0) return exact;
  const known = new Set(exact);
  const others = positionsUnder(statements, key, facets);
  return [...exact, ...firstWhere(others, (position) => !known.has(position), left)];
}

function firstWhere(
  positions: Iterable<number>,
  holds: (position: number) => boolean,
  limit: number,
): number[] {
  const found: number[] = [];
  for (const position of positions) {
    if (holds(position)) found.push(position);
    if (found.length === limit) break; // before the generator looks for one more
  }
  return found;
}

function prepare(db: Database): Statements {
  return {
    term: db.prepare<[string], TermRow>("SELECT id, records FROM search_terms WHERE term = ?"),
    block: db.prepare<[number], Uint8Array>("SELECT offsets FROM search_blocks WHERE key = ?").pluck(),
    key: db.prepare<[string], KeyRow>("SELECT block, offsets FROM search_keys WHERE key = ? ORDER BY block"),
    folded: db.prepare<[number], string>("SELECT folded FROM search_names WHERE position = ?").pluck(),
    first: db
      .prepare<[number], number>("SELECT position FROM search_names ORDER BY position LIMIT ?")
      .pluck(),
    last: db.prepare<[], number | null>("SELECT max(position) FROM search_names").pluck(),
  };
}

function facetTerms({ city, industry, onlinePresence }: SearchFilters): string[] {
  return [
    ...(city === undefined ? [] : [cityTerm(city)]),
    ...(industry === undefined ? [] : [industryTerm(industry)]),
    ...(onlinePresence === undefined ? [] : [onlineTerm(onlinePresence)]),
  ];
}

/** The terms, rarest first; undefined when no record has one of them. */
function findTerms(statements: Statements, texts: readonly string[]): TermRow[] | undefined {
  const terms: TermRow[] = [];
  for (const text of texts) {
    const term = statements.term.get(text);
    if (term === undefined) return undefined;
    terms.push(term);
  }
  return terms.sort((a, b) => a.records - b.records);
}

/** Positions of the records that have all terms, in display order; a block is read when the one before is used up. */
function* positionsHaving(
  statements: Statements,
  terms: readonly TermRow[],
  blocks: number,
): Generator<number> {
  for (let block = 0; block < blocks; block += 1)
    for (const offset of candidates(statements, block, terms)) yield block * BLOCK_SIZE + offset;
}

/** Positions of the records under a key that have all terms, in display order. */
function* positionsUnder(statements: Statements, key: string, terms: readonly TermRow[]): Generator<number> {
  for (const { block, offsets } of statements.key.all(key))
    for (const offset of candidates(statements, block, terms, decodeBlock(offsets)))
      yield block * BLOCK_SIZE + offset;
}

/** Offsets of the records of a block, or of those `among`, that have all terms. */
function candidates(
  statements: Statements,
  block: number,
  terms: readonly TermRow[],
  among?: readonly number[],
): readonly number[] {
  let offsets = among;
  for (const term of terms) {
    const bytes = statements.block.get(block * BLOCK_KEY_SPAN + term.id);
    if (bytes === undefined) return [];
    offsets = offsets === undefined ? decodeBlock(bytes) : intersectBlock(offsets, bytes);
    if (offsets.length === 0) return [];
  }
  return offsets ?? [];
}
