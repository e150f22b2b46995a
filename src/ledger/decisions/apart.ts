/** Pairs of records that reviewers keep apart. A pair has no effect while its records are joined. */
import type { ReviewBody } from "../rows/rows.ts";

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

  /** Whether two records that stand by themselves are kept apart, by their own rows or those of records that went into them. */
  has(record: number, other: number, rootOf: (record: number) => number): boolean {
    return this.all().some(([one, two]) => {
      const [a, b] = [rootOf(one), rootOf(two)];
      return (a === record && b === other) || (a === other && b === record);
    });
  }
}
