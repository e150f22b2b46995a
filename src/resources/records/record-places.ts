import { getResolution } from "h3-js";
import { FIXED_RESOLUTION } from "../../contract/records/public-precision.ts";
import { cityDate } from "../../kernel/time.ts";
import type { RecordCellRow } from "../../snapshot/rows.ts";
import type { ReadContext } from "../define.ts";

/** Accepted observations at one published place. `last_observed`: the last one's day, in the city's solar time. */
interface Seen {
  readonly observations: number;
  readonly last_observed: string;
}

export interface RecordPlaces {
  /** Cells of fixed assets and brand mentions, by cell. */
  readonly cells: readonly (Seen & { readonly h3_cell: string })[];
  /** Observations of mobile assets, whose only published place is the city; null without any. */
  readonly city: Seen | null;
}

/** Returns the places of a record's accepted observations; none for an unknown record. */
export function recordPlaces({ snapshot }: Pick<ReadContext, "snapshot">, publicId: string): RecordPlaces {
  const city = snapshot.city(snapshot.record(publicId)?.city ?? "");
  if (city === undefined) return { cells: [], city: null };
  const rows = snapshot.cellsOf(publicId);
  const wide = rows.filter((row) => !isFixed(row));
  return {
    cells: rows.filter(isFixed).map((row) => ({ h3_cell: row.cell, ...seen([row], city.lng) })),
    city: wide.length === 0 ? null : seen(wide, city.lng),
  };
}

function isFixed({ cell }: RecordCellRow): boolean {
  return getResolution(cell) === FIXED_RESOLUTION;
}

function seen(rows: readonly RecordCellRow[], lng: number): Seen {
  return {
    observations: rows.reduce((sum, { observations }) => sum + observations, 0),
    last_observed: cityDate(Math.max(...rows.map(({ lastObserved }) => lastObserved)), lng),
  };
}
