import type { Merges } from "./merges.ts";

/** An observation's tag as its row has it. */
export interface RowTag {
  readonly record: number;
  readonly tag: string;
}

/** Changes of observer tags, by record. The last change of a tag counts, and carries along what was changed to that tag before. */
export class TagChanges {
  readonly #byRecord = new Map<number, Map<string, string>>();

  add(record: number, tags: Readonly<Record<string, string>>): void {
    const known = this.#byRecord.get(record) ?? new Map<string, string>();
    for (const [from, to] of Object.entries(tags)) {
      for (const [first, current] of known) if (current === from) known.set(first, to);
      known.set(from, to);
    }
    this.#byRecord.set(record, known);
  }

  /** The records with changes. */
  records(): number[] {
    return [...this.#byRecord.keys()];
  }

  /** The tag that a principal has at the record at the end of the merges. */
  rootTag({ record, tag }: RowTag, merges: Merges): string {
    // So it is for nearly all of millions of rows.
    if (!this.#byRecord.has(record) && merges.get(record) === undefined) return tag;
    let current = tag;
    for (const each of merges.chain(record)) {
      current = this.#byRecord.get(each)?.get(current) ?? current;
      current = merges.get(each)?.tags[current] ?? current;
    }
    return current;
  }
}
