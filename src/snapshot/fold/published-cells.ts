import { cellToParent, getResolution } from "h3-js";
import { MOBILE_RESOLUTION } from "../../contract/records/public-precision.ts";
import type { ObservationBody } from "../../ledger/rows/rows.ts";

/** Cells of observations as releases publish them: those of mobile assets are never finer than a city. */
export class PublishedCells {
  readonly #coarse = new Map<string, string>();

  /** Rows of earlier versions hold a smaller cell of a mobile asset; its parent is published. */
  of({ h3_cell, presence_kind }: Pick<ObservationBody, "h3_cell" | "presence_kind">): string {
    if (presence_kind !== "mobile_presence") return h3_cell;
    const known = this.#coarse.get(h3_cell);
    if (known !== undefined) return known;
    const coarse =
      getResolution(h3_cell) > MOBILE_RESOLUTION ? cellToParent(h3_cell, MOBILE_RESOLUTION) : h3_cell;
    this.#coarse.set(h3_cell, coarse);
    return coarse;
  }
}
