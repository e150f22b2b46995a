/** Pairs of records that reviewers keep apart. A pair has no effect while its records are joined. */

import type { ReviewBody } from "../rows/rows.ts";
import type { Merges } from "./merges.ts";

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
