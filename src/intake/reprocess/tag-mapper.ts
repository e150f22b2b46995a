import type { NewIds } from "../../ledger/append-again.ts";
import { relatedRecords } from "../../ledger/decisions/merges.ts";
import type { LiveMerge, LiveObserver, LiveRows } from "../../ledger/rows/live-rows.ts";
import { observerTag } from "../append.ts";
import type { IntakeHashes } from "../lines/sighting.ts";

interface TaggedObserver {
  readonly sourceType: string;
  readonly observer: string | undefined; // private keyed hash; undefined where it was erased
  readonly tag: string;
}

/** Makes the observer tags of records that get new ids: a tag is a keyed hash of the observer and the record. */
export class TagMapper {
  readonly #hashes: IntakeHashes;
  readonly #live: LiveRows;
  readonly #merges: readonly LiveMerge[];

  constructor(live: LiveRows, hashes: IntakeHashes) {
    this.#hashes = hashes;
    this.#live = live;
    this.#merges = live.merges();
  }

  /** The tag of an observer at a record. One whose hash was erased is still told apart from the others of the record. */
  tag({ sourceType, observer, tag }: TaggedObserver, record: number): string {
    return observerTag(sourceType, observer ?? `tag ${tag}`, record, this.#hashes);
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
    const byTag = new Map(observers.map((seen) => [this.#tagAt(seen, target), seen]));
    return Object.fromEntries(
      Object.keys(tags).flatMap((tag) => {
        const seen = byTag.get(tag);
        return seen === undefined ? [] : [[this.#newTag(seen, target, ids), this.#newTag(seen, into, ids)]];
      }),
    );
  }

  #newTag(seen: LiveObserver, record: number, ids: NewIds): string {
    return this.#tagAt(seen, ids.get(record) ?? record);
  }

  #tagAt({ sourceType, observer }: LiveObserver, record: number): string {
    return observerTag(sourceType, observer, record, this.#hashes);
  }
}
