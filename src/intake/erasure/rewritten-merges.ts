import type { NewRow } from "../../ledger/rows/rows.ts";
import {
  chainOf,
  type MergeReview,
  type Merges,
  mergesInEffect,
  relatedRecords,
} from "../matching/merge-chains.ts";
import type { Scope } from "./erasure-scope.ts";

/**
 * A merge that stays says which observer tags became which, and must not name one that only erased observations had. And to
 * take merges away can bring others, undone long ago, back into effect. In both cases the merges of the records concerned
 * are erased, and those that are in effect written anew. `start` are the rows that the operator named, `erased` all that go.
 */
export function rewrittenMerges(
  scope: Scope,
  start: ReadonlySet<number>,
  erased: ReadonlySet<number>,
): { readonly rows: number[]; readonly replacements: NewRow[] } {
  const isLive = (record: number) => scope.records.has(record);
  const left = scope.reviews.filter(({ id }) => !erased.has(id));
  const before = mergesInEffect(
    scope.reviews.filter(({ id }) => !start.has(id)),
    isLive,
  );
  const kept = new Map([...before].filter(([, { id }]) => !erased.has(id)));
  const tags = arrivingTags(scope, kept, erased);
  const stale = left.filter((review) => hasStaleTag(review, tags));
  const clean = left.filter((review) => !stale.includes(review));
  const after = mergesInEffect(clean, (record) => isLive(record) && !erased.has(record));
  const changed = left
    .map(({ body }) => body.target)
    .filter((record) => after.get(record)?.body.into !== kept.get(record)?.body.into);
  const related = relatedRecords(changed, left);
  const inEffect = [...kept.values()].filter(({ body }) => related.has(body.target));
  const gone = left.filter((review) => stale.includes(review) || related.has(review.body.target));
  return {
    rows: gone.map(({ id }) => id),
    replacements: inEffect.sort((a, b) => a.id - b.id).map((review) => withTags(review, tags)),
  };
}

/** Record -> the observer tags under which its live observations, and those of records merged into it, are counted. */
function arrivingTags(scope: Scope, merges: Merges, erased: ReadonlySet<number>): Map<number, Set<string>> {
  const tags = new Map<number, Set<string>>();
  for (const { id, body } of scope.sightings) {
    if (erased.has(id)) continue;
    let tag = body.observer_tag;
    for (const record of chainOf(body.record, merges)) {
      const known = tags.get(record) ?? new Set();
      tags.set(record, known.add(tag));
      tag = merges.get(record)?.body.tags?.[tag] ?? tag;
    }
  }
  return tags;
}

type Tags = ReadonlyMap<number, ReadonlySet<string>>;

function hasStaleTag({ body }: MergeReview, tags: Tags): boolean {
  return Object.keys(body.tags ?? {}).some((tag) => tags.get(body.target)?.has(tag) !== true);
}

function withTags({ body }: MergeReview, arriving: Tags): NewRow {
  const used = Object.entries(body.tags ?? {}).filter(([tag]) => arriving.get(body.target)?.has(tag));
  return { kind: "review", body: { ...body, tags: Object.fromEntries(used) } };
}
