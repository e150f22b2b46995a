import { html, type SafeHtml } from "../../render/html.ts";
import { scaled } from "./hexagons.ts";
import type { Point } from "./local-projection.ts";
import { linePath } from "./paths.ts";

/** Class of a cell. Each has its own shape, because color alone is not accessible to everyone. */
export const CELL_CLASSES = ["unseen", "earlier", "looked", "few", "some", "many"] as const;
export type CellClass = (typeof CELL_CLASSES)[number];

/** Minimum observations in 90 days for each class. */
const STEPS = { some: 5, many: 20 } as const;

export const CELL_CLASS_WORDS: Readonly<Record<CellClass, string>> = {
  unseen: "neither looked at nor observed in 90 days",
  earlier: "observed, but not in the last 90 days",
  looked: "looked at in 90 days, nothing observed",
  few: `1 to ${STEPS.some - 1} observations in 90 days`,
  some: `${STEPS.some} to ${STEPS.many - 1} observations in 90 days`,
  many: `${STEPS.many} observations or more in 90 days`,
};

export const OUTSIDE_WORDS = "observed, but not an eligible cell";

export interface CellFacts {
  readonly h3_cell: string;
  readonly eligible: boolean;
  readonly observations_90d: number;
  readonly observations: number;
  readonly weeks_looked_90d: number;
}

export function cellClass({ observations_90d, observations, weeks_looked_90d }: CellFacts): CellClass {
  if (observations_90d === 0 && weeks_looked_90d > 0) return "looked";
  if (observations === 0) return "unseen";
  if (observations_90d === 0) return "earlier";
  if (observations_90d < STEPS.some) return "few";
  return observations_90d < STEPS.many ? "some" : "many";
}

const GAP = 0.92; // small gap between hexagons
const INNER: Readonly<Record<"few" | "some" | "many", number>> = { few: 0.56, some: 0.74, many: 0.92 };

/** Mark of a class around the origin. More observations mean a larger mark with more contrast. */
export function classMark(kind: CellClass, shape: readonly Point[]): SafeHtml {
  const ground = html`<path class="cell" d="${linePath(scaled(shape, GAP), true)}"/>`;
  if (kind === "unseen")
    return html`${ground}<path class="cell-dot" d="${linePath(scaled(shape, 0.14), true)}"/>`;
  if (kind === "earlier") return html`${ground}<path class="cell-earlier" d="${ring(shape, 0.5, 0.3)}"/>`;
  if (kind === "looked") return html`${ground}<path class="cell-looked" d="${ring(shape, 0.8, 0.68)}"/>`;
  return html`${ground}<path class="cell-${kind}" d="${linePath(scaled(shape, INNER[kind]), true)}"/>`;
}

/** Outline around the mark of a cell that is not eligible. */
export function outsideMark(shape: readonly Point[]): SafeHtml {
  return html`<path class="cell-outside" d="${ring(shape, 1.04, 0.84)}"/>`;
}

/** A filled ring, which scales with the map, unlike a stroke. */
function ring(shape: readonly Point[], outer: number, inner: number): string {
  return linePath(scaled(shape, outer), true) + linePath(scaled(shape, inner).reverse(), true);
}
