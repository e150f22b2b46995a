import type Database from "better-sqlite3";
import { z } from "zod";
import { AssetType, SourceType } from "../../contract/enums.ts";
import { AMONG } from "../../kernel/sql.ts";
import { checkedJson, selection } from "../../kernel/table.ts";
import { utcDayStart } from "../../kernel/time.ts";
import { setAside } from "../database/tables.ts";
import { type Reassigned, reassignedIn } from "../decisions/merges.ts";
import type { ObservationBody } from "../rows/rows.ts";
import { seals } from "../tree/seal.ts";
import type { SetAsideRow } from "./source-store.ts";

/** Private values of an observation; undefined where they were erased. */
export interface HiddenValues {
  /** The keyed hash of the observer, and the principal that it belonged to when the row entered. */
  readonly observer: { readonly hash: string; readonly principal: string };
  readonly exact: {
    readonly lat: number;
    readonly lng: number;
    readonly observed_at: string;
    readonly bare_date?: true;
    readonly media_sha256?: string;
    readonly media_phash?: string;
  };
  readonly source_ref: string | { readonly source: string; readonly ref: string };
  readonly seen: Seen;
}

/** What a line said of the business, as it came. */
export const Seen = z.object({
  name: z.string(),
  website: z.string().optional(),
  phone: z.string().optional(),
  address: z.string().optional(),
  industry: z.string().optional(),
});
export type Seen = Readonly<z.infer<typeof Seen>>;

/** A live observation as it counts after moves (see `Reassigned`), with its private values. */
export interface StoredObservation {
  readonly row: number;
  readonly acceptedDay: number; // UTC, ms
  readonly body: ObservationBody;
  readonly hidden: HiddenValues;
}

interface Stored {
  readonly row: number;
  readonly acceptedAt: number;
  readonly body: string;
  readonly hidden: string;
}

const CHUNK = 5000;

/** Which observations: those that are of some records by now, or some rows. */
export type Among = { readonly records: ReadonlySet<number> } | { readonly rows: Iterable<number> };

/** Live observations that still have their private values, in order. Without `among`, reads the ledger through. */
export function* storedObservations(
  database: Database.Database,
  among?: Among,
): Generator<StoredObservation> {
  const moved = reassignedIn(database);
  const { condition, ids } = conditionOf(among, moved);
  const chunk = database.prepare<(number | string)[], Stored>(
    `SELECT id AS row, accepted_at AS acceptedAt, body, private AS hidden FROM rows JOIN openings ON row = id
     WHERE id > ? AND kind = 'observation' AND private IS NOT NULL AND ${condition} ORDER BY id LIMIT ${CHUNK}`,
  );
  for (let after = 0; ; ) {
    const rows = chunk.all(after, ...ids);
    for (const row of rows) {
      const stored = opened(row, moved);
      if (among === undefined || !("records" in among) || among.records.has(stored.body.record)) yield stored;
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.row;
  }
}

function conditionOf(among: Among | undefined, moved: Reassigned): { condition: string; ids: string[] } {
  if (among === undefined) return { condition: "TRUE", ids: [] };
  if ("rows" in among) return { condition: `id ${AMONG}`, ids: [JSON.stringify([...among.rows])] };
  const here = [...moved.places()].filter(([, { record }]) => among.records.has(record)).map(([row]) => row);
  const entered = `SELECT row FROM openings WHERE private IS NOT NULL AND body ->> '$.record' ${AMONG}`;
  return {
    condition: `id IN (${entered} UNION SELECT value FROM json_each(?))`,
    ids: [JSON.stringify([...among.records]), JSON.stringify(here)],
  };
}

/** Intake validated both texts when it wrote them. */
function opened({ row, acceptedAt, body: text, hidden }: Stored, moved: Reassigned): StoredObservation {
  const written: ObservationBody = JSON.parse(text);
  const body = moved.placed(row, written);
  return { row, acceptedDay: utcDayStart(acceptedAt), body, hidden: JSON.parse(hidden) };
}

/** The source that an observation's line named. */
export function namedSourceOf({ source_ref }: HiddenValues): string | null {
  return typeof source_ref === "object" ? source_ref.source : null;
}

const Facts = z.object({
  record: z.int(),
  asset: z.int(),
  observer_tag: z.string(),
  asset_type: AssetType,
  city: z.string(),
  observed_at: z.string(),
  source_type: SourceType,
});

/** An observation that a check set aside, with its public facts. */
export interface SetAsideObservation extends SetAsideRow {
  /** `manifest_sha256` of the seal that covers the row; undefined before one does. */
  readonly seed: string | undefined;
  readonly facts: z.infer<typeof Facts>;
}

const SET_ASIDE = selection(
  { ...setAside.columns, body: checkedJson(Facts).as("openings.body") },
  "wasEstablished",
);

/** Those that are live, in order. */
export function setAsideObservations(database: Database.Database): SetAsideObservation[] {
  const seedOf = seedFinder(database);
  const moved = reassignedIn(database);
  return SET_ASIDE.prepare(
    database,
    "FROM set_aside JOIN openings ON openings.row = set_aside.row ORDER BY set_aside.row",
  )
    .all()
    .map(({ body, ...known }) => ({
      ...known,
      seed: seedOf(known.row),
      facts: moved.placed(known.row, body),
    }));
}

/** For rows in order. */
function seedFinder(database: Database.Database): (row: number) => string | undefined {
  const all = seals(database, Number.MAX_SAFE_INTEGER);
  let at = 0;
  return (row) => {
    while ((all[at]?.body.last_observation_id ?? row) < row) at += 1;
    const body = all[at]?.body;
    return body !== undefined && body.first_observation_id <= row ? body.manifest_sha256 : undefined;
  };
}
