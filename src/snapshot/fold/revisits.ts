import { solarDayNumber } from "../../kernel/time.ts";
import type { CityState } from "../../ledger/decisions/ledger-state.ts";
import type { RevisitPlan, RevisitResult, SealBody } from "../../ledger/rows/rows.ts";
import type { Seal } from "../../ledger/tree/seal.ts";
import { type AsOf, ageInDays, asOfAt, dateOfDay, PARAMETERS } from "../../method/numbers.ts";
import {
  allowsHigh,
  isDrawOf,
  isRevisited,
  type Measurement,
  measure,
  type VisitedAsset,
  type VisitedCell,
} from "../../method/revisit/measurement.ts";
import type { CityAccuracy } from "./city-accuracy.ts";
import type { LedgerFold, RevisitRows } from "./ledger-fold.ts";
import { revisitFrame } from "./revisit-frame.ts";

/** A plan that counts, with the seal that drew it and the result, if it has one. */
export interface CountedPlan {
  readonly row: number;
  readonly body: RevisitPlan;
  readonly seal: SealBody;
  readonly day: number; // solar day of the seal, from which visits are counted
  readonly result: { readonly row: number; readonly body: RevisitResult } | undefined;
}

/**
 * The plans of a city that count, in order. A plan counts when its seal was the newest one above it, and when no earlier plan was
 * still open: otherwise an operator could plan every night and keep the draw that suits. The first result of a plan counts.
 */
export function countedPlans(
  { seals, revisits }: Pick<LedgerFold, "seals" | "revisits">,
  { slug, details }: Pick<CityState, "slug" | "details">,
): CountedPlan[] {
  const counted: CountedPlan[] = [];
  for (const { row, body } of revisits.plans) {
    if (body.city !== slug) continue;
    const seal = newestSeal(seals, row);
    if (seal?.manifest_sha256 !== body.manifest_sha256) continue;
    const { day } = asOfAt(Date.parse(seal.created_at), details.lng);
    const before = counted.at(-1);
    if (before !== undefined && isOpen(before, row, day)) continue;
    counted.push({ row, body, seal, day, result: resultOf(revisits, body, row) });
  }
  return counted;
}

/** Whether a plan still waits for its result at another row and solar day. */
export function isOpen({ day, result }: CountedPlan, row: number, today: number): boolean {
  const isAnswered = result !== undefined && result.row < row;
  return !isAnswered && today <= day + PARAMETERS.revisit.visitDays;
}

/** Of plans with a result, the newest that anyone can draw again from its seal is the measurement. */
export function cityAccuracy(fold: LedgerFold, city: CityState, asOf: AsOf): CityAccuracy {
  const plans = countedPlans(fold, city);
  return {
    plans: plans.length,
    plansWithoutResult: plans.filter(({ result }) => result === undefined).length,
    measured: newestMeasured(fold, city, plans, asOf),
  };
}

function newestMeasured(
  fold: LedgerFold,
  city: CityState,
  plans: readonly CountedPlan[],
  asOf: AsOf,
): CityAccuracy["measured"] {
  for (const plan of plans.toReversed()) {
    const { row, body, seal, result } = plan;
    if (result === undefined || dayOf(result.body.visited_until) > asOf.day) continue;
    if (!isDrawOf(body, seal.manifest_sha256, revisitFrame(fold, city, seal))) continue;
    const measurement = measurementOf(fold, body, result.body);
    return {
      planRow: row,
      resultRow: result.row,
      manifestSha256: seal.manifest_sha256,
      measurement,
      age: {
        from: dateOfDay(measurement.firstDay),
        until: dateOfDay(measurement.lastDay),
        days: ageInDays(measurement.firstDay, asOf),
        supportsHigh: allowsHigh(measurement, asOf),
      },
    };
  }
  return null;
}

/** What the result says of what was planned. An asset that was erased since counts no longer; what it does not name was not reached. */
export function measurementOf(
  fold: Pick<LedgerFold, "assets">,
  plan: RevisitPlan,
  result: RevisitResult,
): Measurement {
  const found = new Map(result.assets.map(({ asset, found }) => [asset, found]));
  const searched = new Map(result.cells.map((cell) => [cell.cell, cell]));
  return measure({
    firstDay: dayOf(result.visited_from),
    lastDay: dayOf(result.visited_until),
    assets: plan.assets.flatMap((row): VisitedAsset[] => {
      const assetType = fold.assets.get(row)?.body.asset_type;
      if (assetType === undefined || !isRevisited(assetType)) return [];
      const seen = found.get(row);
      return [{ assetType, found: typeof seen === "boolean" ? seen : null }];
    }),
    cells: plan.cells.map((cell): VisitedCell => {
      const { reached = false, signs = [] } = searched.get(cell) ?? {};
      return {
        reached,
        signs: signs.flatMap(({ asset_type, found, matched }) =>
          isRevisited(asset_type)
            ? [{ assetType: asset_type, found, matched: Math.min(found, matched) }]
            : [],
        ),
      };
    }),
  });
}

function newestSeal(seals: readonly Seal[], row: number): SealBody | undefined {
  return seals.findLast((seal) => seal.row < row)?.body;
}

function resultOf({ results }: RevisitRows, plan: RevisitPlan, row: number): CountedPlan["result"] {
  return results.find(
    ({ row: at, body }) =>
      at > row && body.city === plan.city && body.manifest_sha256 === plan.manifest_sha256,
  );
}

/** The results hold solar days of the city already. */
function dayOf(date: string): number {
  return solarDayNumber(Date.parse(date), 0);
}
