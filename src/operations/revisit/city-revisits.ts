import { OperatorError } from "../../kernel/errors.ts";
import type { CityState } from "../../ledger/decisions/ledger-state.ts";
import type { LedgerReader } from "../../ledger/reader.ts";
import type { SealBody } from "../../ledger/rows/rows.ts";
import type { RevisitFrame } from "../../method/revisit/draw-revisit.ts";
import { LedgerFold } from "../../snapshot/fold/ledger-fold.ts";
import { revisitFrame } from "../../snapshot/fold/revisit-frame.ts";
import { type CountedPlan, countedPlans } from "../../snapshot/fold/revisits.ts";
import { RowsInEffect } from "../../snapshot/mend/rows-in-effect.ts";

/** The signed ledger as releases see it, with the plans and results that are not sealed yet. */
export function revisitedLedger(reader: LedgerReader): LedgerFold {
  const size = reader.latestCheckpoint()?.size ?? 0;
  const fold = new LedgerFold(size);
  const inEffect = new RowsInEffect(reader.lastSealedRow(size), false);
  for (const row of reader.verifiedRows(size)) {
    // The rest takes effect with its seal; of plans and results the newest must be known at once.
    if (inEffect.has(row) && row.kind !== "revisit") fold.apply(row);
  }
  for (const { id, body } of reader.live.revisits()) fold.revisits.add(id, body);
  return fold;
}

/** A city with its plans that count. Throws OperatorError for a city that releases do not show. */
export function revisitedCity(
  fold: LedgerFold,
  slug: string,
): { readonly city: CityState; readonly plans: readonly CountedPlan[] } {
  const city = fold.cities.get(slug);
  if (city === undefined) throw new OperatorError(`city ${slug}: there is no such city in the sealed ledger`);
  if (city.publicationStatus !== "published")
    throw new OperatorError(`city ${slug}: it is not published, so nothing of it is listed`);
  return { city, plans: countedPlans(fold, city) };
}

/** What the newest seal can draw in a city. Throws OperatorError where there is nothing to draw. */
export function newestFrame(
  fold: LedgerFold,
  city: CityState,
): { readonly seal: SealBody; readonly frame: RevisitFrame } {
  const seal = fold.seals.at(-1)?.body;
  if (seal === undefined) throw new OperatorError("nothing is sealed yet: run `presence seal` first");
  const frame = revisitFrame(fold, city, seal);
  if (frame.assets.length === 0)
    throw new OperatorError(`city ${city.slug}: it has no active fixed assets, so there is nothing to visit`);
  return { seal, frame };
}
