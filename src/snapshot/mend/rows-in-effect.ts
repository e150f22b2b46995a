import type { LedgerRow, RowKind } from "../../ledger/rows/rows.ts";

const REPLACED: ReadonlySet<RowKind> = new Set(["review", "naming"]);

/**
 * Decides which rows of a tree a release takes in. Every release takes in the sealed rows, and all seals. A patch release
 * discloses later rows as well; of these it takes in erasures, and the reviews and namings that an erasure put in the place of
 * erased ones, which follow it directly. The others take effect at night.
 */
export class RowsInEffect {
  readonly #sealed: number;
  readonly #isPatch: boolean;
  #next = 0; // the row after an erasure and its replacements

  constructor(sealed: number, isPatch: boolean) {
    this.#sealed = sealed;
    this.#isPatch = isPatch;
  }

  /** Rows must come in order. */
  has({ id, kind }: Pick<LedgerRow, "id" | "kind">): boolean {
    if (id <= this.#sealed || kind === "seal") return true;
    if (!this.#isPatch) return false;
    const isErasure = kind === "redaction";
    const isReplacement = REPLACED.has(kind) && id === this.#next;
    if (isErasure || isReplacement) this.#next = id + 1;
    return isErasure || isReplacement;
  }
}
