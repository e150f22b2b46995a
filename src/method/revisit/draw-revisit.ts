import { drawSmallest } from "../review-sample.ts";

/** What may be drawn in a city: ledger rows of assets, and looked-at cells of resolution 8. */
export interface RevisitFrame {
  readonly assets: readonly number[];
  readonly cells: readonly string[];
}

export interface RevisitSizes {
  readonly assets: number;
  readonly cells: number;
}

/**
 * Draws the assets and cells to revisit by the hash of a seal that was signed before: nobody can choose them, and anyone can draw
 * them again. Both lists are sorted by themselves, so their order says nothing.
 */
export function drawRevisit(frame: RevisitFrame, manifestSha256: string, sizes: RevisitSizes): RevisitFrame {
  return {
    assets: drawn(frame.assets, (row) => assetText(manifestSha256, row), sizes.assets).sort((a, b) => a - b),
    cells: drawn(frame.cells, (cell) => cellText(manifestSha256, cell), sizes.cells).sort(),
  };
}

/**
 * Whether a plan is what the seal draws from the frame. What the frame has lost since by an erasure is passed over; every other
 * difference, an asset left out or put in, is found.
 */
export function isDrawOf(plan: RevisitFrame, manifestSha256: string, frame: RevisitFrame): boolean {
  const redrawn = drawRevisit(frame, manifestSha256, {
    assets: kept(plan.assets, frame.assets).length,
    cells: kept(plan.cells, frame.cells).length,
  });
  return (
    isEqual(redrawn.assets, kept(plan.assets, frame.assets)) &&
    isEqual(redrawn.cells, kept(plan.cells, frame.cells))
  );
}

function assetText(manifestSha256: string, row: number): string {
  return `${manifestSha256}:revisit:asset:${row}`;
}

function cellText(manifestSha256: string, cell: string): string {
  return `${manifestSha256}:revisit:cell:${cell}`;
}

function drawn<K>(keys: readonly K[], text: (key: K) => string, size: number): K[] {
  return drawSmallest(
    keys.map((key) => [key, text(key)] as const),
    size,
  ).map(({ key }) => key);
}

function kept<K>(planned: readonly K[], frame: readonly K[]): K[] {
  const known = new Set(frame);
  return planned.filter((key) => known.has(key));
}

function isEqual<K>(a: readonly K[], b: readonly K[]): boolean {
  return a.length === b.length && a.every((key, at) => key === b[at]);
}
