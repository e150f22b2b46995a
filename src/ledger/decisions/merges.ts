import type Database from "better-sqlite3";
import { type AssetBody, type ObservationBody, ReassignBody, type ReviewBody } from "../rows/rows.ts";

/**
 * Merges of records: which record stands for which. The later decision wins. Of two merges of one record the later is in effect,
 * and a record that is merged into one which had itself gone into it undoes that earlier merge, so merges never form a circle.
 */

/** A review by which a record goes into another one, or, into itself, stands alone again. */
export interface Merge {
  readonly row: number; // of the review
  readonly record: number;
  readonly into: number; // the record that stays
  /** Observer tags of the record -> tags of the same observers at the record that stays. */
  readonly tags: Readonly<Record<string, string>>;
}

/** What a review says of a record's merge; undefined for every other decision. */
export function mergeOf(row: number, { decision, target, into, tags }: ReviewBody): Merge | undefined {
  if (decision === "unmerge") return { row, record: target, into: target, tags: {} };
  if (decision !== "merge" || into === null || into === target) return undefined;
  return { row, record: target, into, tags: tags ?? {} };
}

/** The merges in effect. A merge of a record that is erased must not be applied. */
export class Merges<M extends Merge = Merge> {
  readonly #byRecord = new Map<number, M>();

  /** `merges` in row order. */
  constructor(merges: Iterable<M> = []) {
    for (const merge of merges) this.apply(merge);
  }

  apply(merge: M): void {
    if (merge.into === merge.record) {
      this.#byRecord.delete(merge.record);
      return;
    }
    if (this.chain(merge.into).includes(merge.record)) this.#byRecord.delete(merge.into);
    this.#byRecord.set(merge.record, merge);
  }

  /** The merge by which the record went into another one. */
  get(record: number): M | undefined {
    return this.#byRecord.get(record);
  }

  all(): M[] {
    return [...this.#byRecord.values()];
  }

  /** The record, the one it went into, and so on. */
  chain(record: number): number[] {
    const chain = [record];
    for (let merge = this.get(record); merge !== undefined; merge = this.get(merge.into))
      chain.push(merge.into);
    return chain;
  }

  /** The record at the end of the chain. */
  root(record: number): number {
    let root = record;
    for (let merge = this.get(root); merge !== undefined; merge = this.get(root)) root = merge.into;
    return root;
  }

  /** The tag that the root of a record gives to the observer whom the record calls `tag`. */
  rootTag(record: number, tag: string): string {
    let rootTag = tag;
    for (let merge = this.get(record); merge !== undefined; merge = this.get(merge.into))
      rootTag = merge.tags[rootTag] ?? rootTag;
    return rootTag;
  }

  /** A record and all that went into it, except `except` and what went through that. */
  group(record: number, except: number): number[] {
    const gone = [...this.#byRecord.keys()].filter((from) => {
      const [, ...chain] = this.chain(from);
      const at = chain.indexOf(record);
      return at >= 0 && from !== except && !chain.slice(0, at).includes(except);
    });
    return [record, ...gone];
  }
}

/** All records that merges, in effect or not, ever connected with the given ones. */
export function relatedRecords(records: Iterable<number>, merges: Iterable<Merge>): Set<number> {
  const neighbors = new Map<number, number[]>();
  const link = (from: number, to: number) => neighbors.set(from, [...(neighbors.get(from) ?? []), to]);
  for (const { record, into } of merges) {
    link(record, into);
    link(into, record);
  }
  const related = new Set(records);
  for (const record of related) for (const other of neighbors.get(record) ?? []) related.add(other);
  return related;
}

/** Pairs of records that reviewers keep apart. A pair has no effect while its records are joined. */

export class Apart {
  readonly #pairs = new Map<string, readonly [number, number]>();

  /** Takes every other decision, too, and ignores it. Decisions about a record that is erased must not be applied. */
  apply({ decision, target, into }: Pick<ReviewBody, "decision" | "target" | "into">): void {
    if (into === null || into === target) return;
    const pair = target < into ? ([target, into] as const) : ([into, target] as const);
    if (decision === "apart") this.#pairs.set(pair.join(), pair);
    if (decision === "unapart") this.#pairs.delete(pair.join());
  }

  /** As decided: each pair once, the older record first. */
  all(): (readonly [number, number])[] {
    return [...this.#pairs.values()];
  }

  /** The pairs that keep two standing records apart: their own, or of records that went into them. */
  between(record: number, other: number, merges: Pick<Merges, "root">): (readonly [number, number])[] {
    const isOne = (a: number, b: number) => merges.root(a) === record && merges.root(b) === other;
    return this.all().filter(([one, two]) => isOne(one, two) || isOne(two, one));
  }
}

/**
 * Observations that reviewers moved: from then on one is of another record or asset, under its principal's tag there. The last row about
 * it counts. An asset is of the record that the last row which named it moved an observation to. Merges come after it.
 */

/** Whose an observation is. */
export type Place = Pick<ObservationBody, "record" | "asset" | "observer_tag">;

export class Reassigned {
  readonly #places = new Map<number, Place>();
  readonly #owners = new Map<number, number>();

  /** Rows must come in order. */
  apply({ target, record, asset, observer_tag }: ReassignBody): void {
    this.#places.set(target, { record, asset, observer_tag });
    this.#owners.set(asset, record);
  }

  /** Observation -> its place, of all that were moved. */
  places(): ReadonlyMap<number, Place> {
    return this.#places;
  }

  /** An observation as it counts. */
  placed<T extends Place>(observation: number, body: T): T {
    const place = this.#places.get(observation);
    return place === undefined ? body : { ...body, ...place };
  }

  /** The record that has an observation of `record`. */
  recordOf(observation: number, record: number | undefined): number | undefined {
    return this.#places.get(observation)?.record ?? record;
  }

  /** An asset with the record that has it. */
  owned<T extends Pick<AssetBody, "record">>(asset: number, body: T): T {
    const record = this.#owners.get(asset);
    return record === undefined ? body : { ...body, record };
  }
}

/** What reviewers moved. Reads the ledger through. */
export function reassignedIn(database: Database.Database): Reassigned {
  const moved = new Reassigned();
  const bodies = database
    .prepare<[], string>(
      "SELECT body FROM rows JOIN openings ON row = id WHERE kind = 'reassign' ORDER BY id",
    )
    .pluck();
  for (const body of bodies.all()) moved.apply(ReassignBody.parse(JSON.parse(body)));
  return moved;
}
