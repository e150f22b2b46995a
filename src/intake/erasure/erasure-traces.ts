import type { Scope } from "./erasure-scope.ts";

/** Records and assets that stay without their first observation, from which their private values came. */
export function outlivingFirst(scope: Scope, erased: ReadonlySet<number>): number[] {
  const first = new Map<number, number>();
  for (const { id, body } of scope.sightings)
    for (const row of [body.record, body.asset]) if (!first.has(row)) first.set(row, id);
  return (
    [...first]
      .filter(([row, sighting]) => erased.has(sighting) && !erased.has(row))
      .map(([row]) => row)
      // All sightings of a vehicle with a reference came with that reference.
      .filter((row) => scope.assets.get(row)?.is_mobile !== true)
      .sort((a, b) => a - b)
  );
}

/** The rows that lose their private values with that observation: such an asset's own, and the namings of such a record. */
export function strippedRows(outliving: readonly number[], { records, decisions }: Scope): number[] {
  return outliving
    .flatMap((row) =>
      records.has(row)
        ? decisions.filter(({ kind, about }) => kind === "naming" && about.includes(row)).map(({ id }) => id)
        : [row],
    )
    .sort((a, b) => a - b);
}
