/**
 * Merges of records: which record stands for which. The later decision wins. Of two merges of one record the later is in effect,
 * and a record that is merged into one which had itself gone into it undoes that earlier merge, so merges never form a circle.
 */
import type { ReviewBody } from "../rows/rows.ts";

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
