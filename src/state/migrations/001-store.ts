import type { ColumnTypes } from "./column-types.ts";

/** One row that ties the database to its key file. */
export const storeTables = ({ int, end }: ColumnTypes): readonly string[] => [
  `CREATE TABLE store (
    id ${int} PRIMARY KEY CHECK (id = 1),
    key_check TEXT NOT NULL,
    created_at ${int} NOT NULL
  ) ${end}`,
];
