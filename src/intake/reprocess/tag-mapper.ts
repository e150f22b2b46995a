import type { NewIds } from "../../ledger/append-again.ts";
import { relatedRecords } from "../../ledger/decisions/merges.ts";
import type { LiveMerge, LiveObserver, LiveRows } from "../../ledger/rows/live-rows.ts";
import type { PrincipalTags } from "../sources/principal-tags.ts";

/** Makes the observer tags of records that get new ids: a tag is a keyed hash of the observer or principal and the record. */
export class TagMapper {
  readonly #tags: PrincipalTags;
  readonly #live: LiveRows;
  readonly #merges: readonly LiveMerge[];

  constructor(live: LiveRows, tags: PrincipalTags) {
    this.#tags = tags;
    this.#live = live;
    this.#merges = live.merges();
  }

  /** The tag of an observer at a record. */
  tag(seen: LiveObserver, record: number): string {
    return this.#tags.tagAt(seen, record);
  }

  /** The map of tags of a merge, for the new ids; tags of observers that are gone drop out. */
  merged(
    tags: Readonly<Record<string, string>>,
    { target, into }: { readonly target: number; readonly into: number },
    ids: NewIds,
  ): Record<string, string> {
    const observers = [...relatedRecords([target], this.#merges)].flatMap((record) =>
      this.#live.observersOf(record),
    );
    const byTag = new Map(observers.map((seen) => [this.tag(seen, target), seen]));
    return Object.fromEntries(
      Object.keys(tags).flatMap((tag) => {
        const seen = byTag.get(tag);
        return seen === undefined ? [] : [[this.#newTag(seen, target, ids), this.#newTag(seen, into, ids)]];
      }),
    );
  }

  /** Tags of a record from new to new: what later rows changed of them. */
  changed(tags: Readonly<Record<string, string>>, record: number, ids: NewIds): Record<string, string> {
    const observers = [...relatedRecords([record], this.#merges)].flatMap((each) =>
      this.#live.observersOf(each),
    );
    const byTag = new Map(observers.map((seen) => [this.tag(seen, record), seen]));
    const at = ids.get(record) ?? record;
    return Object.fromEntries(
      Object.keys(tags).flatMap((tag) => {
        const seen = byTag.get(tag);
        return seen === undefined ? [] : [[this.tag(seen, at), this.#tags.principalTagAt(seen, at)]];
      }),
    );
  }

  #newTag(seen: LiveObserver, record: number, ids: NewIds): string {
    return this.tag(seen, ids.get(record) ?? record);
  }
}
