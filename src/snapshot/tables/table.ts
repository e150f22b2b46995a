/**
 * Tables: one definition makes the `CREATE TABLE`, the type of a row, its insert and its reads. A property is a column in camel
 * case; properties stand in the order of the columns.
 */
import type { Database } from "better-sqlite3";
import type { Column, SqlValue } from "./column.ts";

export type Columns = Readonly<Record<string, Column<unknown>>>;

export type RowOf<C extends Columns> = { readonly [P in keyof C]: C[P]["value"] };

export interface Table<C extends Columns = Columns> {
  readonly name: string;
  readonly columns: C;
  /** Names of the columns in SQL. */
  readonly names: readonly string[];
  readonly create: string;
  /** Statements for after the rows are in: an index is then sorted once, packed, and the same bytes each time. */
  readonly indexes: readonly string[];
}

interface Definition<C extends Columns> {
  /** The world may see every one of them: a release is public as a whole. */
  readonly public: C;
  /** Where the key is of several columns; the table then has no rowid. */
  readonly primaryKey?: readonly (keyof C & string)[];
  readonly withoutRowid?: true;
  readonly indexes?: readonly string[];
}

export function table<C extends Columns>(name: string, definition: Definition<C>): Table<C> {
  const { public: columns, primaryKey, withoutRowid = primaryKey !== undefined, indexes = [] } = definition;
  const entries = Object.entries(columns);
  for (const [property, column] of entries) column.sql = `${name}.${column.nameIn(property)}`;
  const declarations = entries.map(([property, column]) => column.declaration(property));
  if (primaryKey !== undefined) {
    const names = primaryKey.map((property) => columns[property]?.nameIn(property));
    declarations.push(`PRIMARY KEY (${names.join(", ")})`);
  }
  return {
    name,
    columns,
    names: entries.map(([property, column]) => column.nameIn(property)),
    create: `CREATE TABLE ${name} (\n  ${declarations.join(",\n  ")}\n) STRICT${withoutRowid ? ", WITHOUT ROWID" : ""};`,
    indexes,
  };
}

/** Turns a row into the values that are stored, in the order of `columns`. Throws TypeError for a column too few or too many. */
export function encoder<C extends Columns>(columns: C): (row: RowOf<C>) => SqlValue[] {
  const entries = Object.entries(columns).map(([property, { encode }]) => ({ property, encode }));
  return (row: Readonly<Record<string, unknown>>) => {
    const values = entries.map(({ property, encode }) => {
      if (row[property] === undefined) throw new TypeError(`${property} is missing in a row`);
      return encode(row[property]);
    });
    if (Object.keys(row).length > entries.length)
      throw new TypeError(`a row has the columns ${Object.keys(row)}, expected ${Object.keys(columns)}`);
    return values;
  };
}

/** Inserts rows and returns the stored values, in the order of the columns. */
export function inserter<C extends Columns>(db: Database, table: Table<C>): (row: RowOf<C>) => SqlValue[] {
  const encode = encoder(table.columns);
  const insert = storedInserter(db, table);
  return (row) => {
    const values = encode(row);
    insert(values);
    return values;
  };
}

/**
 * Inserts rows as `encoder` gives them. They are bound by position, which the definition gives: binding by name costs
 * better-sqlite3 half as much again a row.
 */
export function storedInserter(
  db: Database,
  { name, names }: Pick<Table, "name" | "names">,
): (values: readonly SqlValue[]) => void {
  const insert = db.prepare(
    `INSERT INTO ${name} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
  );
  return (values) => void insert.run(values);
}
