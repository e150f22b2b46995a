/** A decision that a record goes into another one; `tags` maps its observer tags to those of the record that stays. */
export interface Merge {
  readonly into: number; // ledger row of the record
  readonly tags: Readonly<Record<string, string>>;
}

/** Something that merges change: a record, or what is known of it. */
export interface Mergeable {
  merge: Merge | undefined;
}

/** Finds a record by its ledger row; undefined when it is gone. */
type Find<R> = (record: number) => R | undefined;

/** The record, the one it went into, and so on; `undefined` at the end when that one is gone. */
export function mergeChain<R extends Mergeable>(record: R, find: Find<R>): (R | undefined)[] {
  const chain: (R | undefined)[] = [record];
  for (let at: R | undefined = record; at?.merge !== undefined; ) {
    at = find(at.merge.into);
    chain.push(at);
  }
  return chain;
}

/** The later decision wins: a record that shall stay now, and had itself gone into this one, is no longer merged. */
export function applyMerge<R extends Mergeable>(record: R, merge: Merge, find: Find<R>): void {
  const stays = find(merge.into);
  if (stays !== undefined && mergeChain(stays, find).includes(record)) stays.merge = undefined;
  record.merge = merge;
}

/** An observer tag of a record as the one at the end of its merges counts it. */
export function mergedTag<R extends Mergeable>(tag: string, record: R | undefined, find: Find<R>): string {
  let mapped = tag;
  for (let at = record; at?.merge !== undefined; at = find(at.merge.into))
    mapped = at.merge.tags[mapped] ?? mapped;
  return mapped;
}
