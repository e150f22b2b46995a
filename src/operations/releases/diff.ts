/** What differs between two releases and why, for the operator who decides about one of them. */
import { Between, type RecordPair } from "../../build/figures/between.ts";
import {
  type CityFigures,
  type RecordFigures,
  type ReleaseFigures,
  recordsOf,
} from "../../build/figures/figures.ts";
import { openFigures, readFigures } from "../../build/figures/signed-figures.ts";
import { type CityLosses, cityLosses } from "../../build/judge/losses.ts";
import { heldRelease } from "../../build/stages/held.ts";
import { currentRelease } from "../../build/stages/publish.ts";
import { RecordPart as Parts, type RecordPart } from "../../contract/service/exports.ts";
import { OperatorError } from "../../kernel/errors.ts";
import type { Home } from "../../kernel/home.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { FormatError } from "../../proof/tlog/bytes.ts";
import { findRelease } from "./known.ts";

/** What a release says of a record. */
export type Shown = Pick<
  RecordFigures,
  "name" | "industry" | "status" | "gate" | "rank" | "raw" | "accepted" | "counting"
>;

/** Rows of the ledger that explain a difference; none for what time or others did, and for what nothing explains. */
export interface Reason {
  readonly why: string;
  readonly rows: readonly number[];
}

export interface RecordDifference {
  readonly city: string; // slug
  readonly public_id: string | null; // null: erased since, and named nowhere
  readonly change: "added" | "changed" | "merged" | "gone";
  readonly changed: readonly RecordPart[];
  readonly merged_into: string | null;
  readonly before: Shown | null;
  readonly after: Shown | null;
  readonly why: readonly Reason[];
}

interface Compared {
  readonly release_id: string;
  readonly data_as_of: string;
  readonly records: number;
}

export interface ReleaseDiff {
  readonly before: Compared;
  readonly after: Compared;
  readonly records: readonly RecordDifference[]; // by city and public id
  readonly changed: Readonly<Record<RecordPart, number>>;
  /** What is lost without a reason, by city: what holds a release. */
  readonly losses: readonly CityLosses[];
}

export const UNEXPLAINED = "no row explains it";

/** The releases to compare: named by id, or the published one and the one that is held. Throws OperatorError for an unknown one. */
export function chosenReleases(
  home: Home,
  from: string | undefined,
  to: string | undefined,
): { readonly before: string; readonly after: string } {
  const before = from === undefined ? currentRelease(home) : findRelease(home, from);
  const after = to === undefined ? heldRelease(home)?.directory : findRelease(home, to);
  if (before === undefined) throw new OperatorError("no release is published yet: give two ids");
  if (after === undefined)
    throw new OperatorError(
      "no release is held: give two ids, the earlier one first (`presence release list` shows them)",
    );
  return { before, after };
}

/** Compares the signed figures of two folders, in one city or in all. Throws OperatorError where they cannot be believed. */
export function diffReleases(
  home: Home,
  { before, after }: { readonly before: string; readonly after: string },
  city?: string,
): ReleaseDiff {
  using reader = openLedgerReader(home.ledger);
  const [was, is] = [before, after].map((directory) => {
    try {
      return openFigures(readFigures(directory), (note) => reader.openManifestNote(note));
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      throw new OperatorError(`${directory}: ${error.message}: nothing can be compared with it`);
    }
  });
  if (was === undefined || is === undefined) throw new TypeError("two folders have two figures");
  return diffFigures(was, is, city);
}

export function diffFigures(was: ReleaseFigures, is: ReleaseFigures, city?: string): ReleaseDiff {
  const between = new Between(was, is);
  const known = [...was.cities, ...is.cities].map((each) => each.city);
  if (city !== undefined && !known.includes(city))
    throw new OperatorError(
      `--city ${city}: neither release has it (they have ${[...new Set(known)].join(", ")})`,
    );
  const isWanted = (each: { readonly city: string }) => city === undefined || each.city === city;
  const records = between
    .pairs()
    .filter(isWanted)
    .flatMap((pair) => difference(between, pair));
  const count = (part: RecordPart) => records.filter(({ changed }) => changed.includes(part)).length;
  return {
    before: { release_id: was.release_id, data_as_of: was.data_as_of, records: recordsOf(was).length },
    after: { release_id: is.release_id, data_as_of: is.data_as_of, records: recordsOf(is).length },
    records,
    changed: {
      evidence: count("evidence"),
      status: count("status"),
      identity: count("identity"),
      score: count("score"),
    },
    losses: cityLosses(between).filter(isWanted),
  };
}

function difference(between: Between, pair: RecordPair): RecordDifference[] {
  const { city, was, is } = pair;
  if (is === undefined) return was === undefined ? [] : [ended(between, pair, was)];
  const changed = was === undefined ? [] : (between.partsOf(was, is) ?? []);
  if (was !== undefined && changed.length === 0 && !isUnexplained(between, pair)) return [];
  return [
    {
      city,
      public_id: is.id,
      change: was === undefined ? "added" : "changed",
      changed,
      merged_into: null,
      before: was === undefined ? null : shown(was),
      after: shown(is),
      why: reasons(between, pair, changed),
    },
  ];
}

/** Whoever opted out is counted, and named nowhere. */
function ended(between: Between, pair: RecordPair, was: RecordFigures): RecordDifference {
  const merged = between.mergedInto(was.id);
  const isErased = merged === undefined && between.erasedOf(was).length > 0;
  return {
    city: pair.city,
    public_id: isErased ? null : was.id,
    change: merged === undefined ? "gone" : "merged",
    changed: [],
    merged_into: merged ?? null,
    before: isErased ? null : shown(was),
    after: null,
    why: reasons(between, pair, []),
  };
}

function shown(figures: RecordFigures): Shown {
  const { name, industry, status, gate, rank, raw, accepted, counting } = figures;
  return { name, industry, status, gate, rank, raw, accepted, counting };
}

/** What explains a part where no row does: of the name and the industry, rows alone decide. */
const OTHERWISE: Readonly<Record<RecordPart, string>> = {
  evidence: "time",
  status: "online check",
  identity: UNEXPLAINED,
  score: "time, or other records of the city",
};

function reasons(between: Between, pair: RecordPair, changed: readonly RecordPart[]): Reason[] {
  const [before, after] = [between.before.methods, between.after.methods];
  const found: Reason[] = [
    { why: "new observations", rows: between.newObservationsOf(pair.is) },
    ...byWhy([
      ...between.changesOf(pair),
      ...cityOf(between, pair).flatMap((city) => between.decisionsOf(city)),
    ]),
    { why: "erased", rows: between.erasedOf(pair.was) },
  ].filter(({ rows }) => rows.length > 0);
  if (before.score !== after.score && changed.includes("score"))
    found.push({ why: `methodology ${after.score}`, rows: [] });
  if (isUnexplained(between, pair)) return [...found, { why: UNEXPLAINED, rows: [] }];
  if (found.length > 0) return found;
  return Parts.options.flatMap((part) =>
    changed.includes(part) ? [{ why: OTHERWISE[part], rows: [] }] : [],
  );
}

function byWhy(changes: readonly { readonly row: number; readonly change: string }[]): Reason[] {
  return [...Map.groupBy(changes, ({ change }) => change)].map(([why, rows]) => ({
    why,
    rows: rows.map(({ row }) => row),
  }));
}

function cityOf({ before, after }: Between, { city }: RecordPair): CityFigures[] {
  const known = [...after.cities, ...before.cities].find((each) => each.city === city);
  return known === undefined ? [] : [known];
}

/** Whether a record lost what holds a release, and nobody meant it. */
function isUnexplained(between: Between, pair: RecordPair): boolean {
  const { was, is } = pair;
  if (was === undefined || between.isMeant(pair)) return false;
  if (cityOf(between, pair).some((city) => between.decisionsOf(city).length > 0)) return false;
  return is === undefined || between.lostObservationsOf(was).length > 0 || between.hasLostEligibility(pair);
}
