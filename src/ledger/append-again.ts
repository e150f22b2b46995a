/**
 * Erases rows and appends them again under new ids, because what they disclosed was too precise. What is known about the dates of the
 * old rows goes into the new ones; the tables of intake and the online checks follow the new ids.
 */
import type Database from "better-sqlite3";
import { z } from "zod";
import { OperatorError } from "../kernel/errors.ts";
import { isoTime, utcDayStart } from "../kernel/time.ts";
import { eraseRows } from "./erase.ts";
import {
  AssetBody,
  Earlier,
  IdentityBody,
  type NewRow,
  ObservationBody,
  RecordBody,
  RecountBody,
  ReviewBody,
  StatusBody,
} from "./rows/rows.ts";
import { seals } from "./tree/seals.ts";

const common = {
  id: z.int(),
  private: z.record(z.string(), z.json()).optional(),
  /** What the new row says of this one. */
  earlier: Earlier,
};

/** A row with all its values: a record, an asset, an observation, or a decision about one. */
export const OpenRow = z.discriminatedUnion("kind", [
  z.object({ ...common, kind: z.literal("record"), body: RecordBody }),
  z.object({ ...common, kind: z.literal("asset"), body: AssetBody }),
  z.object({ ...common, kind: z.literal("observation"), body: ObservationBody }),
  z.object({ ...common, kind: z.literal("review"), body: ReviewBody }),
  z.object({ ...common, kind: z.literal("identity"), body: IdentityBody }),
  z.object({ ...common, kind: z.literal("status"), body: StatusBody }),
  z.object({ ...common, kind: z.literal("recount"), body: RecountBody }),
]);
export type OpenRow = z.infer<typeof OpenRow>;

/** Old row -> new row. */
export type NewIds = ReadonlyMap<number, number>;

interface AppendAgain {
  readonly database: Database.Database;
  /** The rows in the order in which they are to be appended. */
  readonly rows: readonly number[];
  /** The new row; `ids` has the new ids of all `rows`. */
  readonly again: (row: OpenRow, ids: NewIds) => NewRow;
  readonly nextId: number;
  readonly append: (row: NewRow) => number;
}

/** Within a transaction of the writer. Returns the ids of the rows that name the erased ones. */
export function appendAgain({ database, rows, again, nextId, append }: AppendAgain): number[] {
  const ids = new Map(rows.map((row, index) => [row, nextId + index]));
  const open = openRows(database);
  for (const row of rows) append(again(open(row), ids));
  renumber(database, ids);
  return eraseRows(database, { kind: "redaction", reason: "precision", rows }, append);
}

/** All live rows that can be appended again, in order. */
export function rowsToAppendAgain(database: Database.Database): { id: number; kind: OpenRow["kind"] }[] {
  return database
    .prepare<[string], { id: number; kind: OpenRow["kind"] }>(
      "SELECT id, kind FROM rows JOIN openings ON row = id WHERE kind IN (SELECT value FROM json_each(?)) ORDER BY id",
    )
    .all(JSON.stringify(OpenRow.options.map(({ shape }) => shape.kind.value)));
}

interface StoredRow {
  readonly id: number;
  readonly kind: string;
  readonly acceptedAt: number;
  readonly body: string;
  readonly private: string | null;
}

/** A function that reads one live row by its id. Throws OperatorError where there is none. */
export function openRows(database: Database.Database): (id: number) => OpenRow {
  const select = database.prepare<[number], StoredRow>(
    "SELECT id, kind, accepted_at AS acceptedAt, body, private FROM rows JOIN openings ON row = id WHERE id = ?",
  );
  const publishedAt = publicationTimes(database);
  return (id) => {
    const stored = select.get(id);
    if (stored === undefined) throw new OperatorError(`row ${id}: not there, or erased`);
    const body: unknown = JSON.parse(stored.body);
    const { earlier } = z.object({ earlier: Earlier.optional() }).parse(body);
    return OpenRow.parse({
      id,
      kind: stored.kind,
      body,
      private: JSON.parse(stored.private ?? "null") ?? undefined,
      earlier: earlier ?? {
        accepted_at: isoTime(utcDayStart(stored.acceptedAt)),
        published_at: publishedAt(id),
      },
    });
  };
}

/** `created_at` of the seal that covers a row; null while none does. */
function publicationTimes(database: Database.Database): (row: number) => string | null {
  const ranges = seals(database, Number.MAX_SAFE_INTEGER).map(({ body }) => body);
  return (row) => {
    let low = 0;
    let high = ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ranges[middle]?.last_observation_id ?? 0) < row) low = middle + 1;
      else high = middle;
    }
    return ranges[low]?.created_at ?? null;
  };
}

const REFERENCES = [
  ["source_refs", "row"],
  ["recent_refs", "row"],
  ["record_names", "record"],
  ["record_contacts", "record"],
  ["assets_index", "record"],
  ["assets_index", "asset"],
  ["online_checks", "record"],
  ["vehicle_sightings", "row"],
  ["vehicle_sightings", "asset"],
  ["seen_traces", "row"],
  ["batch_rows", "row"],
  ["set_aside", "row"],
  ["raised_items", "record"],
  ["delayed_changes", "target"],
] as const;

/** References within texts. */
const TEXTS = [
  `UPDATE affiliations SET subject = 'record ' || (SELECT new FROM temp.new_ids WHERE subject = 'record ' || old)
   WHERE subject IN (SELECT 'record ' || old FROM temp.new_ids)`,
  `UPDATE raised_items SET rows = (SELECT json_group_array(coalesce(new, value))
     FROM json_each(raised_items.rows) LEFT JOIN temp.new_ids ON old = value)`,
] as const;

function renumber(database: Database.Database, ids: NewIds): void {
  database.exec("CREATE TEMP TABLE new_ids (old INTEGER PRIMARY KEY, new INTEGER NOT NULL)");
  const insert = database.prepare<[number, number]>("INSERT INTO temp.new_ids VALUES (?, ?)");
  for (const [old, id] of ids) insert.run(old, id);
  for (const [table, column] of REFERENCES)
    database.exec(
      `UPDATE ${table} SET ${column} = (SELECT new FROM temp.new_ids WHERE old = ${column})
       WHERE ${column} IN (SELECT old FROM temp.new_ids)`,
    );
  for (const text of TEXTS) database.exec(text);
  database.exec("DROP TABLE temp.new_ids");
}
