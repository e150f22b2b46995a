import type { LiveSighting } from "../../ledger/rows/live-rows.ts";
import { type Scope, supportedBy } from "./erasure-scope.ts";

/**
 * The given rows and everything that existed only because of them: the observations of an erased record or asset, assets and
 * records without any other live observation, and what was decided about an erased row. Pure.
 */
export function withDependents(start: Iterable<number>, scope: Scope): Set<number> {
  const erased = new Set(start);
  const add = (rows: Iterable<number>) => {
    for (const row of rows) erased.add(row);
  };
  add(assetsOf(erased, scope));
  add(
    scope.sightings
      .filter(({ body }) => erased.has(body.record) || erased.has(body.asset))
      .map(({ id }) => id),
  );
  const gone = scope.sightings.filter(({ id }) => erased.has(id));
  const left = scope.sightings.filter(({ id }) => !erased.has(id));
  add(unsupported(gone, left, ({ body }) => [body.asset]));
  add(unsupported(gone, left, (sighting) => supportedBy(sighting, scope)));
  add(assetsOf(erased, scope));
  add(scope.decisions.filter(({ about }) => about.some((row) => erased.has(row))).map(({ id }) => id));
  return erased;
}

function assetsOf(records: ReadonlySet<number>, { assets }: Scope): number[] {
  return [...assets].filter(([, { record }]) => records.has(record)).map(([asset]) => asset);
}

/** What the observations that are gone were about, and none that is left is. */
function unsupported(
  gone: readonly LiveSighting[],
  left: readonly LiveSighting[],
  subjects: (sighting: LiveSighting) => readonly number[],
): number[] {
  const kept = new Set(left.flatMap(subjects));
  return gone.flatMap(subjects).filter((row) => !kept.has(row));
}
