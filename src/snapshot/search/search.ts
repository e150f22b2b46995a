import type { Database } from "better-sqlite3";
import type { NameMatch, OnlinePresence } from "../../contract/enums.ts";
import { values } from "../../kernel/table.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import { BLOCK_SIZE, blockOf, decodeBlock, hasOffset, intersectBlock, offsetOf } from "./offset-block.ts";
import {
  cityTerm,
  exactName,
  foldName,
  industryTerm,
  nearTerm,
  needleGrams,
  onlineTerm,
  websiteKey,
} from "./search-terms.ts";
import { BLOCK_KEY_SPAN } from "./term-blocks.ts";

export interface SearchFilters {
  readonly name?: string | undefined;
  /** `contains` (default): anywhere in the name, without case and accents, blank = no filter; `same`: equal `nameKey`s. */
  readonly nameMatch?: NameMatch | undefined;
  readonly city?: string | undefined; // slug
  readonly industry?: string | undefined; // ISIC code of any level; matches everything below it
  readonly onlinePresence?: OnlinePresence | undefined;
  readonly website?: string | undefined; // `lookUpKey` of `readWebsite`
  readonly near?: string | undefined; // map cell of resolution `NEAR.resolution`
}

export interface SearchPage extends SearchFilters {
  readonly limit: number; // at least 1
  /** Position of the last match of the page before; 0 for the first page. */
  readonly after?: number | undefined;
}

/** Matches are in display order; with `same`, exact names come first. */
export interface Search {
  /** Positions of at most `limit` matches after a position. Earlier positions are not read again. */
  find(page: SearchPage): number[];
  /** How many records match; counting stops at `max`. */
  count(filters: SearchFilters, max: number): number;
}

export interface TermRow {
  readonly id: number;
  readonly records: number;
}

interface KeyRow {
  readonly block: number;
  readonly offsets: Uint8Array;
}

/** The records of one key: offsets by block, without empty blocks. */
type KeySet = ReadonlyMap<number, Uint8Array>;

/** The sets that every match is in. */
interface Needs {
  readonly keys: readonly KeySet[];
  readonly terms: readonly TermRow[]; // the rarest first
}

export type Index = ReturnType<typeof openIndex>;

/**
 * A search over the tables of `buildSearchIndex`. Block after block of display order, it intersects the sets of the
 * terms, the rarest first, so that a common needle stops early and a rare one touches little.
 */
export function openSearch(db: Database, index = openIndex(db)): Search {
  const matches = (filters: SearchFilters, after = 0) =>
    filters.nameMatch === "same" && filters.name !== undefined
      ? sameNamed(index, filters.name, filters, after)
      : containing(index, filters, after);
  return {
    find: ({ limit, after, ...filters }) => firstOf(matches(filters, after), limit),
    count: (filters, max) => firstOf(matches(filters), max).length,
  };
}

function firstOf(positions: Iterable<number>, limit: number): number[] {
  const first: number[] = [];
  for (const position of positions) {
    first.push(position);
    if (first.length === limit) break; // before the generator searches for another one
  }
  return first;
}

export function openIndex(db: Database) {
  const last = values<[], number | null>(db, "SELECT max(position) FROM search_names");
  return {
    term: db.prepare<[term: string], TermRow>("SELECT id, records FROM search_terms WHERE term = ?"),
    block: values<[key: number], Uint8Array>(db, "SELECT offsets FROM search_blocks WHERE key = ?"),
    key: db.prepare<[key: string], KeyRow>(
      "SELECT block, offsets FROM search_keys WHERE key = ? ORDER BY block",
    ),
    folded: values<[position: number], string>(db, "SELECT folded FROM search_names WHERE position = ?"),
    following: values<[position: number], number>(
      db,
      "SELECT position FROM search_names WHERE position > ? ORDER BY position",
    ),
    names: last.get() ?? 0, // about, because some positions may be free
    blocks: blockOf(last.get() ?? 0) + 1,
  };
}

function* containing(index: Index, filters: SearchFilters, after: number): Generator<number> {
  const needle = foldName(filters.name ?? "");
  const { grams, exact } = needleGrams(needle);
  const needs = findNeeds(index, filters, grams);
  if (needs === undefined) return;
  if (needs.keys.length + needs.terms.length === 0) yield* index.following.iterate(after);
  else
    for (const position of positionsHaving(index, needs, after))
      if (exact || index.folded.get(position)?.includes(needle) === true) yield position;
}

/** A name that normalizes to nothing matches its exact spelling only. */
function* sameNamed(index: Index, name: string, filters: SearchFilters, after: number): Generator<number> {
  const needs = findNeeds(index, filters, []);
  if (needs === undefined) return;
  const among = (named: KeySet, from: number) =>
    positionsHaving(index, { ...needs, keys: [named, ...needs.keys] }, from);
  const exact = keySet(index, exactName(name));
  const isPastExact = after > 0 && !contains(exact, after);
  if (!isPastExact) yield* among(exact, after);
  const key = nameKey(name);
  if (key === "") return;
  for (const position of among(keySet(index, key), isPastExact ? after : 0))
    if (!contains(exact, position)) yield position;
}

function facetTerms({ city, industry, onlinePresence, near }: SearchFilters): string[] {
  return [
    ...(city === undefined ? [] : [cityTerm(city)]),
    ...(industry === undefined ? [] : [industryTerm(industry)]),
    ...(onlinePresence === undefined ? [] : [onlineTerm(onlinePresence)]),
    ...(near === undefined ? [] : [nearTerm(near)]),
  ];
}

/** The sets that a match must be in; undefined when a term has no records. */
export function findNeeds(index: Index, filters: SearchFilters, grams: readonly string[]): Needs | undefined {
  const terms: TermRow[] = [];
  for (const text of [...grams, ...facetTerms(filters)]) {
    const term = index.term.get(text);
    if (term === undefined) return undefined;
    terms.push(term);
  }
  const { website } = filters;
  return {
    keys: website === undefined ? [] : [keySet(index, websiteKey(website))],
    terms: terms.sort((a, b) => a.records - b.records),
  };
}

function keySet(index: Index, key: string): KeySet {
  return new Map(index.key.all(key).map(({ block, offsets }) => [block, offsets]));
}

function contains(set: KeySet, position: number): boolean {
  const block = set.get(blockOf(position));
  return block !== undefined && hasOffset(block, offsetOf(position));
}

/** Positions above `after` of the records in all sets, in display order; blocks are read on demand. */
function* positionsHaving(index: Index, needs: Needs, after: number): Generator<number> {
  for (let block = blockOf(after); block < index.blocks; block += 1)
    for (const offset of candidates(index, block, needs)) {
      const position = block * BLOCK_SIZE + offset;
      if (position > after) yield position;
    }
}

const NO_OFFSETS = new Uint16Array(0);

/** Offsets of the records of a block that are in all sets. */
export function candidates(index: Index, block: number, needs: Needs): Uint16Array {
  let offsets: Uint16Array | undefined;
  for (const bytes of setsIn(index, block, needs)) {
    if (bytes === undefined) return NO_OFFSETS;
    offsets = offsets === undefined ? decodeBlock(bytes) : intersectBlock(offsets, bytes);
    if (offsets.length === 0) return offsets;
  }
  return offsets ?? NO_OFFSETS;
}

function* setsIn(index: Index, block: number, { keys, terms }: Needs): Generator<Uint8Array | undefined> {
  for (const key of keys) yield key.get(block);
  for (const { id } of terms) yield index.block.get(block * BLOCK_KEY_SPAN + id);
}
