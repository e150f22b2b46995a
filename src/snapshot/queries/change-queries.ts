import type { Database } from "better-sqlite3";
import { selection, values } from "../../kernel/table.ts";
import { type Merge, Merges } from "../../ledger/decisions/merges.ts";
import { merges, reassigns, recounts, writtenObservations } from "../tables/decisions.ts";
import type { StoredObservation } from "../tables/packed.ts";

const MERGE = selection(merges.columns);
const { row: changed, target } = recounts.columns;
const DECISION = selection({ row: changed, target });
const { row, record } = writtenObservations.columns;
const WRITTEN = selection({ row, record });
const { row: moved, target: observation, record: movedTo } = reassigns.columns;
const MOVED = selection({ moved, observation, movedTo });

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
  const around = mergesAround(db);
  const changesOf = (shown: readonly Pick<StoredObservation, "id">[]): Map<number, number[]> => {
    const rows = JSON.stringify(shown.map(({ id }) => id));
    const changes = Map.groupBy(decisions.all(rows, rows), ({ target }) => target);
    const byRow = new Map([...changes].map(([id, all]) => [id, all.map(({ row }) => row)]));
    const note = (row: number, changes: readonly number[]) =>
      byRow.set(row, [...(byRow.get(row) ?? []), ...changes]);
    const places = new Map(written.all(rows).map(({ row, record }) => [row, record]));
    for (const { moved, observation, movedTo } of reassigned.all(rows)) {
      note(observation, [moved]);
      places.set(observation, movedTo);
    }
    for (const [row, record] of places) note(row, movedBy(record, new Merges(around(record))));
    for (const all of byRow.values()) all.sort((a, b) => a - b);
    return byRow;
  };
  let changedRows: ReadonlySet<number> | undefined;
  return {
    changesOf,
    /** The same for very many rows, of which few were changed: they are looked for in memory, and only those that were in the database. */
    changesOfMany(shown: readonly Pick<StoredObservation, "id">[]): Map<number, number[]> {
      changedRows ??= new Set(CHANGED_ROWS.flatMap((select) => values<[], number>(db, select).all()));
      const changed = changedRows;
      return changesOf(shown.filter(({ id }) => changed.has(id)));
    },
  };
}

const CHANGED_ROWS = [
  "SELECT target FROM verdicts",
  "SELECT target FROM recounts",
  "SELECT target FROM reassigns",
  "SELECT row FROM written_observations",
];

/** The merges that lead on from a record. */
function movedBy(record: number, merges: Merges): number[] {
  return merges.chain(record).flatMap((each) => merges.get(each)?.row ?? []);
}
