/** What bounds a table of a database, and how long its rows stay. The words are those of the manual (docs/operations/databases.md). */
export interface TableLimit {
  readonly limit: string;
  readonly kept: string;
}
