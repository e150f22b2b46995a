import type { Database } from "better-sqlite3";
import { type Merge, Merges } from "../../ledger/decisions/merges.ts";
import { merges, reassigns, recounts, writtenObservations } from "../tables/decisions.ts";
import type { StoredObservation } from "../tables/observation-page.ts";
import { selection } from "../tables/selection.ts";

const MERGE = selection(merges.columns);
const TAGS = selection({ row: recounts.columns.row, tags: recounts.columns.tags });
const { row: changed, target } = recounts.columns;
const DECISION = selection({ row: changed, target });
const { row, record, observerTag } = writtenObservations.columns;
const WRITTEN = selection({ row, record, observerTag });
const { row: moved, target: observation, record: movedTo, observerTag: movedTag } = reassigns.columns;
const MOVED = selection({ moved, observation, movedTo, movedTag });

/** Reads all merges, in effect or not, that ever connected a record with others, in row order. */
export function mergesAround(db: Database): (record: number) => Merge[] {
  const around = MERGE.prepare<[number]>(
    db,
    `FROM merges WHERE record IN (
       WITH RECURSIVE linked(id) AS (
         SELECT ? UNION
         SELECT m.stays FROM merges m JOIN linked ON m.record = linked.id UNION
         SELECT m.record FROM merges m JOIN linked ON m.stays = linked.id
       ) SELECT id FROM linked
     ) ORDER BY row`,
  );
  return (id) => around.all(id);
}

/**
 * Reads by observation the ledger rows that changed it since it was written: reviews that verified or rejected it, later decisions
 * whether it counts, and what gave it another record, asset or observer tag. In row order; nothing for one that nothing changed.
 */
export function changeQueries(db: Database) {
  const decisions = DECISION.prepare<[rows: string, rows: string]>(
    db,
    `FROM (
       SELECT v.row, v.target FROM json_each(?) own CROSS JOIN verdicts v ON v.target = own.value UNION ALL
       SELECT c.row, c.target FROM json_each(?) own CROSS JOIN recounts c ON c.target = own.value
     ) recounts`,
  );
  const written = WRITTEN.prepare<[rows: string]>(
    db,
    "FROM json_each(?) own CROSS JOIN written_observations ON row = own.value",
  );
  const reassigned = MOVED.prepare<[rows: string]>(
    db,
    "FROM json_each(?) own CROSS JOIN reassigns ON target = own.value ORDER BY reassigns.row",
  );
  const tagChanges = TAGS.prepare<[record: number]>(
    db,
    "FROM recounts WHERE target = ? AND tags IS NOT NULL ORDER BY row",
  );
  const around = mergesAround(db);
  return (shown: readonly StoredObservation[]): Map<number, number[]> => {
    const rows = JSON.stringify(shown.map(({ id }) => id));
    const changes = Map.groupBy(decisions.all(rows, rows), ({ target }) => target);
    const byRow = new Map([...changes].map(([id, all]) => [id, all.map(({ row }) => row)]));
    const note = (row: number, changes: readonly number[]) =>
      byRow.set(row, [...(byRow.get(row) ?? []), ...changes]);
    const places = new Map(
      written.all(rows).map(({ row, record, observerTag }) => [row, { record, tag: observerTag }]),
    );
    for (const { moved, observation, movedTo, movedTag } of reassigned.all(rows)) {
      note(observation, [moved]);
      places.set(observation, { record: movedTo, tag: movedTag });
    }
    for (const [row, place] of places)
      note(
        row,
        movedBy(place, new Merges(around(place.record)), (id) => tagChanges.all(id)),
      );
    for (const all of byRow.values()) all.sort((a, b) => a - b);
    return byRow;
  };
}

interface TagChange {
  readonly row: number;
  readonly tags: Readonly<Record<string, string>> | null;
}

/** The merges that lead on from a record, and the changes of the tag on the way. */
function movedBy(
  { record, tag }: { readonly record: number; readonly tag: string },
  merges: Merges,
  changesOf: (record: number) => readonly TagChange[],
): number[] {
  const rows: number[] = [];
  let current = tag;
  for (const each of merges.chain(record)) {
    const atFirst = current;
    for (const { row, tags } of changesOf(each)) {
      if (tags?.[atFirst] === undefined && tags?.[current] === undefined) continue;
      current = tags[atFirst] ?? tags[current] ?? current;
      rows.push(row);
    }
    const merge = merges.get(each);
    if (merge === undefined) continue;
    current = merge.tags[current] ?? current;
    rows.push(merge.row);
  }
  return rows;
}
