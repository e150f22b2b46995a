import type { LiveRow } from "../../ledger/rows/live-rows.ts";
import type { ReviewBody } from "../../ledger/rows/rows.ts";

/** Which record went into which, by the merges that are in effect. */

export type MergeReview = LiveRow<ReviewBody>;
/** Record -> the review that merged it. */
export type Merges = ReadonlyMap<number, MergeReview>;

/**
 * The merges in effect, `reviews` in order: of two about one record the later, and when a record goes into one that had itself
 * gone into it, the earlier merge is undone. Releases follow the same rule (src/snapshot/fold/ledger-fold.ts).
 */
export function mergesInEffect(
  reviews: Iterable<MergeReview>,
  isLive: (record: number) => boolean,
): Map<number, MergeReview> {
  const merges = new Map<number, MergeReview>();
  for (const review of reviews) {
    const { target, into } = review.body;
    if (into === null || into === target || !isLive(target)) continue;
    if (chainOf(into, merges).includes(target)) merges.delete(into);
    merges.set(target, review);
  }
  return merges;
}

/** The record, the one it went into, and so on. */
export function chainOf(record: number, merges: Merges): number[] {
  const chain = [record];
  for (let at = merges.get(record)?.body.into; typeof at === "number"; at = merges.get(at)?.body.into)
    chain.push(at);
  return chain;
}

export function rootOf(record: number, merges: Merges): number {
  return chainOf(record, merges).at(-1) ?? record;
}

/** A record and all that went into it, but for `except` and what went through that. */
export function goneInto(record: number, merges: Merges, except: number): number[] {
  const gone = [...merges.keys()].filter((from) => {
    const chain = chainOf(from, merges);
    return (
      from !== record && chain.includes(record) && !chain.slice(0, chain.indexOf(record)).includes(except)
    );
  });
  return [record, ...gone];
}

/** All records that merges, in effect or not, ever brought together with the given ones. */
export function relatedRecords(records: Iterable<number>, reviews: Iterable<MergeReview>): Set<number> {
  const neighbours = new Map<number, number[]>();
  const link = (from: number, to: number) => neighbours.set(from, [...(neighbours.get(from) ?? []), to]);
  for (const { body } of reviews) {
    if (body.into === null) continue;
    link(body.target, body.into);
    link(body.into, body.target);
  }
  const related = new Set(records);
  for (const record of related) for (const other of neighbours.get(record) ?? []) related.add(other);
  return related;
}
