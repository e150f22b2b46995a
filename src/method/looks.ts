import type { LookRow } from "./types.ts";

/** A month in which two or more principals looked at a cell. */
export interface LookedMonth {
  readonly first: number; // solar day number
  readonly publishedAt: number; // ms
}

/** The months in which the cells of a city were looked at, by cell. */
export class LookedMonths {
  readonly #months = new Map<string, LookedMonth[]>();

  constructor(looks: readonly LookRow[]) {
    for (const { span, first, publishedAt, cells } of looks) {
      if (span !== "month") continue;
      for (const cell of cells) {
        const months = this.#months.get(cell);
        if (months === undefined) this.#months.set(cell, [{ first, publishedAt }]);
        else months.push({ first, publishedAt });
      }
    }
  }

  /** The months that began after a solar day. */
  after(day: number, cell: string): LookedMonth[] {
    return (this.#months.get(cell) ?? []).filter(({ first }) => first > day);
  }
}
