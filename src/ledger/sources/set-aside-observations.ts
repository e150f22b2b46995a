import type Database from "better-sqlite3";
import { z } from "zod";
import { AssetType, SourceType } from "../../contract/enums.ts";
import { checkedJson, selection } from "../../kernel/table.ts";
import { setAside } from "../database/tables.ts";
import { reassignedIn } from "../rows/reassigned-rows.ts";
import { seals } from "../tree/seals.ts";
import type { SetAsideRow } from "./source-store.ts";

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
