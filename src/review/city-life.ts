import { type CityStep, stepCity } from "../intake/places/register-city.ts";
import { DeskRows } from "../ledger/rows/desk-rows.ts";
import type { LedgerWriter } from "../ledger/writer.ts";
import { CITY_STEPS, DeskState } from "./desk-state.ts";
import { assertMove } from "./moves.ts";

/** Appends one step of a city's life. Throws OperatorError for a city that is not there, and for a step that is not open to it. */
export function moveCity(ledger: LedgerWriter, slug: string, step: CityStep): number {
  const city = new DeskState(new DeskRows(ledger.index).rows()).cities.get(slug);
  const [subject] = CITY_STEPS[step];
  if (city !== undefined) assertMove(subject, step, city.states[subject], `city ${slug}`);
  return stepCity(ledger, slug, step);
}
