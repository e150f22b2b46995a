import { BUILT_IN } from "../../contract/source-id.ts";
import type { TagChanges } from "../../ledger/decisions/observer-tags.ts";
import type { LiveObserver } from "../../ledger/rows/live-rows.ts";
import type { SourceStore } from "../../ledger/sources/source-store.ts";
import type { IntakeHashes } from "../lines/sighting.ts";
import { principalTag } from "./principal-tag.ts";
import { collectivePrincipal, Principals } from "./principals.ts";

/** An observer of a record; the keyed hash is null where it was erased. */
export type TaggedObserver = LiveObserver;

/** The tags that an observer's observations have at a record. */
export class PrincipalTags {
  readonly #hashes: IntakeHashes;
  readonly #principals: Principals;
  readonly #collective: ReadonlySet<string>;

  constructor(store: Pick<SourceStore, "observers" | "sources">, hashes: IntakeHashes) {
    this.#hashes = hashes;
    this.#principals = new Principals(store);
    this.#collective = new Set(
      store.sources().flatMap(({ id, vetting }) => (vetting === "collective" ? [id] : [])),
    );
  }

  /** One whose hash was erased is still told apart from the others of the record. */
  tagAt(seen: TaggedObserver, record: number): string {
    if (seen.tag === BUILT_IN) return BUILT_IN;
    return principalTag(this.#principalOf(seen), record, this.#hashes);
  }

  #principalOf({ source, observer, tag }: TaggedObserver): string {
    if (source !== null && this.#collective.has(source)) return collectivePrincipal({ id: source });
    return this.#principals.observer(observer ?? `tag ${tag}`).principal;
  }
}

/** The changes of tags that rows have brought into effect. */
export function addTagChanges(
  changes: TagChanges,
  rows: Iterable<{
    readonly body: { readonly target: number; readonly tags: Readonly<Record<string, string>> | null };
  }>,
): TagChanges {
  for (const { body } of rows) if (body.tags !== null) changes.add(body.target, body.tags);
  return changes;
}
