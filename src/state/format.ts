/** The version of the state, and what leads to it. */

import type { Kysely } from "kysely";
import type { StoreFormat } from "../kernel/store-version.ts";
import type { ColumnTypes, EngineName } from "./schema/column-types.ts";
import type { StateTables } from "./tables.ts";

/** Makes a state of one version one of the next, in the transaction that it is given. */
export type Migration = (db: Kysely<StateTables>, types: ColumnTypes) => Promise<void>;

/** The version of the tables in schema/. Older states are refused. */
export const BASELINE = 1;
/** In order: the first one leads to the version after the baseline. What was published is never changed, and imports nothing that changes. */
export const MIGRATIONS: readonly Migration[] = [];

const EMPTY_PLACE: Readonly<Record<EngineName, string>> = {
  sqlite: "an empty PRESENCE_HOME",
  postgres: "an empty database in STATE_URL",
};

/** What this program reads; `migrations` only in tests. */
export function stateFormat(engine: EngineName, migrations = MIGRATIONS): StoreFormat {
  return {
    store: "state",
    version: BASELINE + migrations.length,
    oldest: BASELINE,
    remedy: `go on with the version that wrote it, or begin anew with ${EMPTY_PLACE[engine]}`,
  };
}
