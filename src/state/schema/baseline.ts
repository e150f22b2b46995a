/**
 * The tables of a new state; ../tables.ts has their types and marks. A change of this folder is another format: raise `BASELINE` in ../format.ts,
 * or leave the folder as it is and append a migration there.
 */

import { deliveryTables, partnerTables, subscriptionTables, webhookTables } from "./account-tables.ts";
import type { ColumnTypes, Tables } from "./column-types.ts";
import { removalTables, reportTables, usageTables } from "./service-tables.ts";

/** The statements that make every table. */
export function baseline(types: ColumnTypes): string[] {
  return [
    storeTable,
    subscriptionTables,
    deliveryTables,
    partnerTables,
    webhookTables,
    usageTables,
    reportTables,
    removalTables,
  ].flatMap((tables) => tables(types));
}

/** One row: the version of these tables, and the key file that they belong to. */
const storeTable: Tables = ({ int, end }) => [
  `CREATE TABLE store (
    id ${int} PRIMARY KEY CHECK (id = 1),
    version ${int} NOT NULL,
    key_check TEXT NOT NULL,
    created_at ${int} NOT NULL
  ) ${end}`,
];
