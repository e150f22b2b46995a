import { stepCity } from "../intake/places/register-city.ts";
import type { CityState, CityStep } from "../ledger/decisions/ledger-state.ts";
import type { LedgerWriter } from "../ledger/writer.ts";
import { DeskState } from "./desk-state.ts";
import { assertMove, type Subject } from "./moves.ts";

/** Appends one step of a city's life. Throws OperatorError for an unknown city, and for a step that its state does not allow. */
export function moveCity(ledger: LedgerWriter, slug: string, step: CityStep): number {
  const city = new DeskState(ledger.deskRows.rows()).cities.get(slug);
  if (city !== undefined) {
    const [subject, state] = STATES[step](city);
    assertMove(subject, step, state, `city ${slug}`);
  }
  return stepCity(ledger, slug, step);
}

const publication = (city: CityState) => ["city publication", city.publicationStatus] as const;
const collection = (city: CityState) => ["city collection", city.collectionStatus] as const;

/** What each step changes, and its present state. */
const STATES: Readonly<Record<CityStep, (city: CityState) => readonly [Subject, string]>> = {
  review: (city) => ["city denominator", city.denominatorReviewed ? "reviewed" : "unreviewed"],
  publish: publication,
  unpublish: publication,
  pause: collection,
  resume: collection,
  launch: (city) => ["city launch", city.launched ? "launched" : "preview"],
};
