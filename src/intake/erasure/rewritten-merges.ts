import { type Merge, Merges, relatedRecords } from "../../ledger/decisions/merges.ts";
import type { LiveMerge } from "../../ledger/rows/live-rows.ts";
import type { NewRow } from "../../ledger/rows/rows.ts";
import type { Scope } from "./erasure-scope.ts";

/**
 * Merges that an erasure must rewrite. A merge that stays must not name an observer tag that only erased observations had, and
 * removing merges must not bring others, undone long ago, back into effect. In both cases the merges of the records concerned are
 * erased, and the ones in effect are written again. `start` are the rows that the operator named, `erased` all rows that go.
 */
export function rewrittenMerges(
  scope: Scope,
  start: ReadonlySet<number>,
  erased: ReadonlySet<number>,
): { readonly rows: number[]; readonly replacements: NewRow[] } {
  const live = scope.reviews.filter(({ record }) => scope.records.has(record));
  const left = scope.reviews.filter(({ row }) => !erased.has(row));
  const before = new Merges(live.filter(({ row }) => !start.has(row)));
  const kept = new Merges(before.all().filter(({ row }) => !erased.has(row)));
  const tags = arrivingTags(scope, kept, erased);
  const stale = left.filter((merge) => hasStaleTag(merge, tags));
  const after = new Merges(
    left.filter(
      (merge) => !stale.includes(merge) && scope.records.has(merge.record) && !erased.has(merge.record),
    ),
  );
  const changed = left
    .map(({ record }) => record)
    .filter((record) => after.get(record)?.into !== kept.get(record)?.into);
  const related = relatedRecords(changed, left);
  const inEffect = kept.all().filter(({ record }) => related.has(record));
  const gone = left.filter((merge) => stale.includes(merge) || related.has(merge.record));
  return {
    rows: gone.map(({ row }) => row),
    replacements: inEffect.sort((a, b) => a.row - b.row).map((merge) => withTags(merge, tags)),
  };
}

type Tags = ReadonlyMap<number, ReadonlySet<string>>;

/** Record -> the observer tags under which its live observations, and those of records merged into it, are counted. */
function arrivingTags(scope: Scope, merges: Merges, erased: ReadonlySet<number>): Tags {
  const tags = new Map<number, Set<string>>();
  for (const { id, body } of scope.sightings) {
    if (erased.has(id)) continue;
    let tag = body.observer_tag;
    for (const record of merges.chain(body.record)) {
      const known = tags.get(record) ?? new Set();
      tags.set(record, known.add(tag));
      tag = merges.get(record)?.tags[tag] ?? tag;
    }
  }
  return tags;
}

function hasStaleTag({ record, tags }: Merge, arriving: Tags): boolean {
  return Object.keys(tags).some((tag) => arriving.get(record)?.has(tag) !== true);
}

function withTags({ record, body, tags }: LiveMerge, arriving: Tags): NewRow {
  const used = Object.entries(tags).filter(([tag]) => arriving.get(record)?.has(tag));
  return { kind: "review", body: { ...body, tags: Object.fromEntries(used) } };
}
