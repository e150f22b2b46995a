import type Database from "better-sqlite3";
import { utcDayStart } from "../../kernel/time.ts";
import type { Reassigned } from "../decisions/reassigned.ts";
import { reassignedIn } from "../rows/reassigned-rows.ts";
import type { ObservationBody } from "../rows/rows.ts";

/** Private values of an observation; undefined where they were erased. */
export interface HiddenValues {
  readonly observer: string;
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
export interface Seen {
  readonly name: string;
  readonly website?: string;
  readonly phone?: string;
  readonly address?: string;
  readonly industry?: string;
}

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

/** Live observations that still have their private values, in order. Reads the ledger through. */
export function* storedObservations(database: Database.Database): Generator<StoredObservation> {
  const chunk = database.prepare<[number, number], Stored>(
    `SELECT id AS row, accepted_at AS acceptedAt, body, private AS hidden FROM rows JOIN openings ON row = id
     WHERE id > ? AND kind = 'observation' AND private IS NOT NULL ORDER BY id LIMIT ?`,
  );
  const moved = reassignedIn(database);
  for (let after = 0; ; ) {
    const rows = chunk.all(after, CHUNK);
    for (const stored of rows) yield opened(stored, moved);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.row;
  }
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
