import type { AssetType } from "../../contract/enums.ts";
import { type AsOf, ageInDays, PARAMETERS, share } from "../numbers.ts";
import { drawSmallest } from "../review-sample.ts";
import { clusteredInterval, exactInterval, type Interval } from "./interval.ts";

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

/** Assets that stay where they are: only of these can a visit find one gone. */
export const REVISITED_TYPES = ["storefront", "billboard", "site_sign"] as const satisfies AssetType[];
export type RevisitedType = (typeof REVISITED_TYPES)[number];

export function isRevisited(assetType: AssetType): assetType is RevisitedType {
  return REVISITED_TYPES.some((type) => type === assetType);
}

/** A drawn asset after its visit. `found` is null where nobody could look. */
export interface VisitedAsset {
  readonly assetType: RevisitedType;
  readonly found: boolean | null;
}

/** A drawn cell after its visit: how many signs of each type were found in it, and how many of them are listed assets. */
export interface VisitedCell {
  readonly reached: boolean;
  readonly signs: readonly SignCount[];
}

export interface SignCount {
  readonly assetType: RevisitedType;
  readonly found: number;
  readonly matched: number;
}

/** What scouts found of one plan; `firstDay` and `lastDay` are solar day numbers of the first and the last visit. */
export interface Visits {
  readonly firstDay: number;
  readonly lastDay: number;
  readonly assets: readonly VisitedAsset[];
  readonly cells: readonly VisitedCell[];
}

/** Why a share is not known. */
export type Unknown = "too_few_reached" | "too_few_signs" | "too_few_cells";

/** A share of signs with its 95 % interval; both are null while it is not known, and `unknown` says why. */
export interface SignShare {
  readonly hits: number;
  readonly signs: number;
  readonly value: number | null; // 0..1, four decimals
  readonly interval: Interval | null;
  readonly unknown: Unknown | null;
}

/** A share over all signs, and over those of each type. */
export interface SharesByType {
  readonly total: SignShare;
  readonly byType: Readonly<Record<RevisitedType, SignShare>>;
}

/** A city's listed assets, measured by visits. */
export interface Measurement {
  readonly firstDay: number;
  readonly lastDay: number;
  readonly assetsDrawn: number;
  readonly assetsVisited: number;
  readonly cellsDrawn: number;
  readonly cellsVisited: number;
  /** Of what is listed, how much is there. */
  readonly precision: SharesByType;
  /** Of what is there, how much is listed. */
  readonly detection: SharesByType;
}

/** Computes precision and detection rate from what scouts found. */
export function measure(visits: Visits): Measurement {
  const visited = visits.assets.filter(({ found }) => found !== null);
  const reached = visits.cells.filter((cell) => cell.reached);
  const { firstDay, lastDay, assets, cells } = visits;
  const precision = (types: ReadonlySet<RevisitedType>) =>
    precisionOf(
      visited.filter(({ assetType }) => types.has(assetType)),
      isEnough(visited.length, assets.length),
    );
  const detection = (types: ReadonlySet<RevisitedType>) =>
    detectionOf(reached, types, isEnough(reached.length, cells.length));
  return {
    firstDay,
    lastDay,
    assetsDrawn: assets.length,
    assetsVisited: visited.length,
    cellsDrawn: cells.length,
    cellsVisited: reached.length,
    precision: byType(precision),
    detection: byType(detection),
  };
}

/**
 * Whether a measurement supports the coverage confidence `high`: the detection rate is known, its lower bound is above
 * `coverage.highDetection`, and the first visit is at most `coverage.measuredDays` old.
 */
export function allowsHigh(measurement: Measurement | undefined, asOf: AsOf): boolean {
  const { highDetection, measuredDays } = PARAMETERS.coverage;
  const low = measurement?.detection.total.interval?.low;
  if (measurement === undefined || low === undefined) return false;
  return low > highDetection && ageInDays(measurement.firstDay, asOf) <= measuredDays;
}

/** Drawn and left out is a way to choose: too many of those, and the rest say nothing. */
function isEnough(visited: number, drawn: number): boolean {
  return visited >= PARAMETERS.revisit.minimumReached * drawn;
}

function byType(of: (types: ReadonlySet<RevisitedType>) => SignShare): SharesByType {
  const only = (type: RevisitedType) => of(new Set([type]));
  return {
    total: of(new Set(REVISITED_TYPES)),
    byType: { storefront: only("storefront"), billboard: only("billboard"), site_sign: only("site_sign") },
  };
}

/** Assets are drawn one by one, so each is a trial of its own. */
function precisionOf(visited: readonly VisitedAsset[], isReached: boolean): SignShare {
  const hits = visited.filter(({ found }) => found === true).length;
  const signs = visited.length;
  const unknown = !isReached ? "too_few_reached" : isTooFew(signs) ? "too_few_signs" : null;
  return signShare(hits, signs, unknown, () => exactInterval(hits, signs));
}

/** Cells are drawn and searched whole, so the signs of a cell come together. */
function detectionOf(
  cells: readonly VisitedCell[],
  types: ReadonlySet<RevisitedType>,
  isReached: boolean,
): SignShare {
  const clusters = cells
    .map(({ signs }) => signs.filter(({ assetType }) => types.has(assetType)))
    .map((signs) => ({ hits: total(signs, "matched"), trials: total(signs, "found") }))
    .filter(({ trials }) => trials > 0);
  const hits = clusters.reduce((sum, cluster) => sum + cluster.hits, 0);
  const signs = clusters.reduce((sum, cluster) => sum + cluster.trials, 0);
  const unknown = unknownDetection(clusters.length, signs, isReached);
  return signShare(hits, signs, unknown, () => clusteredInterval(clusters));
}

function unknownDetection(cells: number, signs: number, isReached: boolean): Unknown | null {
  if (!isReached) return "too_few_reached";
  if (isTooFew(signs)) return "too_few_signs";
  return cells < PARAMETERS.revisit.minimumCells ? "too_few_cells" : null;
}

function isTooFew(signs: number): boolean {
  return signs < PARAMETERS.revisit.minimumVisited;
}

function total(signs: readonly SignCount[], count: "found" | "matched"): number {
  return signs.reduce((sum, sign) => sum + sign[count], 0);
}

function signShare(
  hits: number,
  signs: number,
  unknown: Unknown | null,
  interval: () => Interval,
): SignShare {
  if (unknown !== null) return { hits, signs, value: null, interval: null, unknown };
  const { low, high } = interval();
  return {
    hits,
    signs,
    value: share(hits, signs),
    interval: { low: Math.floor(low * 1e4) / 1e4, high: Math.ceil(high * 1e4) / 1e4 }, // rounded outwards
    unknown,
  };
}
