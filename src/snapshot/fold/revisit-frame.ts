import { solarDayNumber } from "../../kernel/time.ts";
import type { CityState } from "../../ledger/decisions/ledger-state.ts";
import type { SealBody } from "../../ledger/rows/rows.ts";
import { type AsOf, asOfAt, PARAMETERS, withinDays } from "../../method/numbers.ts";
import { isRevisited, type RevisitFrame } from "../../method/revisit/measurement.ts";
import { assetState } from "../../method/types.ts";
import type { LedgerFold } from "./ledger-fold.ts";

/**
 * What a seal could draw in a city: the fixed assets that were active when it was made and of which something counted, and the cells
 * that were looked at in the days before. It rests on the rows that the seal and those before it cover, whatever came later, so that a draw can always be made again.
 */
export function revisitFrame(
  fold: LedgerFold,
  { slug, details }: Pick<CityState, "slug" | "details">,
  seal: SealBody,
): RevisitFrame {
  const asOf = asOfAt(Date.parse(seal.created_at), details.lng);
  const lastDays = new Map<number, number>();
  const cells = new Set<string>();
  for (const { asset, day, cell } of fixedSightings(fold, slug, seal, asOf)) {
    lastDays.set(asset, Math.max(day, lastDays.get(asset) ?? day));
    if (withinDays(day, asOf, PARAMETERS.revisit.lookDays)) cells.add(cell);
  }
  for (const cell of lookedCells(fold, slug, seal, asOf)) cells.add(cell);
  return {
    assets: [...lastDays]
      .filter(([asset, day]) => isActive(fold, asset, day, seal.last_observation_id, asOf))
      .map(([asset]) => asset)
      .sort((a, b) => a - b),
    cells: [...cells].sort(),
  };
}

/** Sightings of fixed assets that counted when the seal was made: each is a look at its own cell. */
function* fixedSightings(fold: LedgerFold, slug: string, seal: SealBody, asOf: AsOf) {
  const { sightings } = fold;
  const rejected = rejectedBy(fold, seal.last_observation_id);
  const recounted = recountedBy(fold, seal.last_observation_id);
  for (const row of fold.observationsIn(slug)) {
    if (row > seal.last_observation_id) return;
    const asset = sightings.asset(row);
    const assetType = fold.assets.get(asset)?.body.asset_type;
    if (assetType === undefined || !isRevisited(assetType) || rejected.has(row)) continue;
    if (!sightings.isObservedBy(row, asOf.ms)) continue;
    if (!(recounted.get(row) ?? sightings.countedAtEntry(row)) || !sightings.canBeSeen(row)) continue;
    const day = solarDayNumber(sightings.observedAt(row), asOf.offsetHours);
    const { cell } = sightings.sighting(row, { day, observer: "" });
    yield { asset, day, cell };
  }
}

/** The cells of the week rows that lie wholly in the days before. */
function lookedCells(fold: LedgerFold, slug: string, seal: SealBody, asOf: AsOf): string[] {
  const { lookDays } = PARAMETERS.revisit;
  return fold
    .lookRows(slug, seal.last_observation_id)
    .filter(
      ({ span, first, last }) =>
        span === "week" && withinDays(first, asOf, lookDays) && withinDays(last, asOf, lookDays),
    )
    .flatMap(({ cells }) => cells);
}

/** The observations whose last review up to a row rejected them. */
function rejectedBy({ history }: LedgerFold, lastRow: number): ReadonlySet<number> {
  const rejected = new Set<number>();
  for (const { row, target, decision } of history.verdicts) {
    if (row > lastRow) break;
    if (decision === "reject") rejected.add(target);
    else rejected.delete(target);
  }
  return rejected;
}

/** Whether observations counted, as the last row about each up to a row says. */
function recountedBy({ history }: LedgerFold, lastRow: number): ReadonlyMap<number, boolean> {
  const recounted = new Map<number, boolean>();
  for (const { row, target, counts } of history.recounts) {
    if (row > lastRow) break;
    if (counts !== null) recounted.set(target, counts);
  }
  return recounted;
}

function isActive(fold: LedgerFold, asset: number, lastDay: number, lastRow: number, asOf: AsOf): boolean {
  const known = fold.assets.get(asset);
  if (known === undefined) return false;
  const last = known.retirements.findLast(({ row }) => row <= lastRow);
  const day = (row: number) => solarDayNumber(fold.sightings.publishedAt(row), asOf.offsetHours);
  const review = last && { day: day(last.row), retired: last.retired };
  const facts = { assetType: known.body.asset_type, lastDay, review };
  return assetState(facts, asOf).status === "active";
}
