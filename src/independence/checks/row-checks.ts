import type { CheckCode, EnteringTrace, Registry } from "../trace.ts";
import { exactCopy, sameLook, sameMedia } from "./exact-copy.ts";
import { nearMedia } from "./near-media.ts";
import { affiliated, cannotSee, clock, type RowCheck, type RowTest, suspended } from "./rows.ts";

/** In the order in which they are tried. */
export const ROW_CHECKS: readonly RowCheck[] = [
  suspended,
  affiliated,
  cannotSee,
  clock,
  exactCopy,
  sameMedia,
  nearMedia,
  sameLook,
];

/** Facts of the registry, which a review of a row does not change. */
const REGISTERED: ReadonlySet<CheckCode> = new Set([suspended.code, affiliated.code]);

/** All checks that judge rows by the rows before them. Sees every row, in the order of entry. */
export class RowChecks {
  readonly #tests: readonly { readonly code: CheckCode; readonly test: RowTest }[];

  constructor(registry: Registry) {
    this.#tests = ROW_CHECKS.map(({ code, start }) => ({ code, test: start(registry) }));
  }

  /** The first check that sets the row aside. A restored row passes all but the facts of the registry. */
  take(trace: EnteringTrace, isRestored: boolean): CheckCode | undefined {
    let reason: CheckCode | undefined;
    for (const { code, test } of this.#tests) {
      const applies = test(trace, reason !== undefined) && (!isRestored || REGISTERED.has(code));
      if (applies) reason ??= code;
    }
    return reason;
  }
}
