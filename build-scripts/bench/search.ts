import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { MAX_SIMILAR } from "../../src/contract/limits.ts";
import { seededRandom } from "../../src/kernel/seeded.ts";
import { openIndex, openSearch, type SearchPage } from "../../src/snapshot/search/search.ts";
import { buildSearchIndex } from "../../src/snapshot/search/search-index.ts";
import { findSimilar } from "../../src/snapshot/search/similar-names.ts";
import {
  type MadeUpQuery,
  madeUpNames,
  madeUpQueries,
  madeUpSameNames,
} from "../../tests/support/towns/made-up-names.ts";
import { type BenchLine, boundLine } from "./table.ts";

const NAMES = 1_000_000;
const QUERIES = 20_000;
const LIMIT = 25;
const MAX_SECONDS = 30;
const MAX_MB = 200;
const MAX_P50_MS = 1;
const MAX_P99_MS = 15;
const MAX_SAME_P99_MS = 2;
const MISSPELT_EVERY = 40; // of the queries
const MAX_SIMILAR_P50_MS = 50;
const MAX_SIMILAR_P99_MS = 150;

/** Build time and size of the index over a million made-up names, and the latency of 20,000 varied queries by class. */
export function benchSearch(names = NAMES, queries = QUERIES): BenchLine[] {
  const folder = mkdtempSync(join(tmpdir(), "bench-search-"));
  try {
    const path = join(folder, "search.db");
    const { lines, madeUp, sameNames } = build(path, names, queries);
    const misspelt = sameNames.filter((_, at) => at % MISSPELT_EVERY === 0);
    return [
      ...lines,
      ...timeQueries(path, madeUp),
      ...timeSameNames(path, sameNames),
      ...timeMisspelt(path, misspelt),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The names live in here only: a million of them on the heap would slow the collector while queries are timed. */
function build(
  path: string,
  names: number,
  queries: number,
): { lines: BenchLine[]; madeUp: readonly MadeUpQuery[]; sameNames: readonly SearchPage[] } {
  const random = seededRandom(1);
  const rows = madeUpNames(names, random);
  const db = new Database(path);
  const started = performance.now();
  buildSearchIndex(db, rows);
  const seconds = (performance.now() - started) / 1000;
  db.close();
  return {
    lines: [
      boundLine(
        `search index of ${rows.length.toLocaleString("en-US")} names: time`,
        "s",
        seconds,
        MAX_SECONDS,
      ),
      boundLine("search index: size", "MB", statSync(path).size / 1e6, MAX_MB),
    ],
    madeUp: madeUpQueries(rows, queries, LIMIT, random),
    sameNames: madeUpSameNames(rows, queries, LIMIT, random),
  };
}

function timeQueries(path: string, queries: readonly MadeUpQuery[]): BenchLine[] {
  const db = new Database(path, { readonly: true });
  const { find } = openSearch(db);
  const timings = queries.map(({ filter, filters }) => {
    const started = performance.now();
    const found = find(filters).length;
    return {
      filter,
      length: needleClass([...(filters.name ?? "")].length),
      found,
      ms: performance.now() - started,
    };
  });
  db.close();
  const group = (label: string, key: (timing: (typeof timings)[number]) => string) =>
    [...Map.groupBy(timings, key)].sort().flatMap(([name, all]) =>
      percentiles(
        `search, ${label} ${name}`,
        all.map(({ ms }) => ms),
      ),
    );
  return [
    ...percentiles(
      "search",
      timings.map(({ ms }) => ms),
    ),
    ...group("filter", ({ filter }) => filter),
    ...group("needle of", ({ length }) => length),
    ...group("found", ({ found }) => (found === 0 ? "nothing" : found < LIMIT ? "some" : "a full page")),
  ];
}

function timeSameNames(path: string, queries: readonly SearchPage[]): BenchLine[] {
  const db = new Database(path, { readonly: true });
  const { find } = openSearch(db);
  const timings = queries.map((filters) => {
    const started = performance.now();
    find(filters);
    return performance.now() - started;
  });
  db.close();
  return percentiles("search, the same name", timings, { p50: MAX_P50_MS, p99: MAX_SAME_P99_MS });
}

/** Names with two letters exchanged in the middle, which match nothing: what similar names cost on top of the search. */
function timeMisspelt(path: string, queries: readonly SearchPage[]): BenchLine[] {
  const db = new Database(path, { readonly: true });
  const index = openIndex(db);
  const timings = queries.map(({ name = "", city }) => {
    const middle = name.length >> 1;
    const misspelt = `${name.slice(0, middle)}${name[middle + 1] ?? ""}${name[middle] ?? ""}${name.slice(middle + 2)}`;
    const started = performance.now();
    findSimilar(index, new Map(), { name: misspelt, city }, MAX_SIMILAR);
    return performance.now() - started;
  });
  db.close();
  return percentiles("similar names", timings, { p50: MAX_SIMILAR_P50_MS, p99: MAX_SIMILAR_P99_MS });
}

function needleClass(length: number): string {
  return length < 3 ? `${length}` : length < 6 ? "3-5" : "6-12";
}

function percentiles(
  label: string,
  timings: readonly number[],
  most = { p50: MAX_P50_MS, p99: MAX_P99_MS },
): BenchLine[] {
  const sorted = timings.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const name = `${label}, ${sorted.length.toLocaleString("en-US")} queries`;
  return [
    boundLine(`${name}: p50`, "ms", at(0.5), most.p50),
    boundLine(`${name}: p99`, "ms", at(0.99), most.p99),
  ];
}
