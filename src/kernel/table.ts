/**
 * Tables: one definition makes the `CREATE TABLE` of either engine, the types of a row as it is stored and as the code reads it, its insert, its reads,
 * and the marks of its columns. A property is a column in camel case; properties stand in the order of the columns.
 */
import type { Database } from "better-sqlite3";
import type { z } from "zod";
import { canonicalJson, type JsonValue } from "./text/json.ts";

export type SqlValue = string | number | Uint8Array | null;
export type EngineName = "sqlite" | "postgres";

/** The words for types that the two engines do not share. A serial number counts up and is never handed out twice. */
const TYPES = {
  sqlite: {
    INTEGER: "INTEGER",
    REAL: "REAL",
    TEXT: "TEXT",
    BLOB: "BLOB",
    SERIAL: "INTEGER PRIMARY KEY AUTOINCREMENT",
  },
  postgres: {
    INTEGER: "BIGINT",
    REAL: "DOUBLE PRECISION",
    TEXT: "TEXT",
    BLOB: "BYTEA",
    SERIAL: "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
  },
} as const;

type SqlType = keyof (typeof TYPES)[EngineName];

interface ColumnDefinition<T> {
  readonly type: SqlType;
  readonly constraint?: string; // NOT NULL unless given
  readonly name?: string;
  readonly check?: (name: string) => string;
  readonly references?: string;
  encode(value: T): SqlValue;
  decode?(stored: unknown): T; // absent: the stored value is the value
}

/** How a database stores a value (`S`), and the type `T` in which the code writes and reads it. */
export class Column<T, S extends SqlValue = SqlValue> {
  declare readonly value: T; // for types alone
  declare readonly stored: S; // for types alone
  readonly #definition: ColumnDefinition<T>;
  /** The expression that reads the column: `table.name`, set by its table. */
  sql: string;

  constructor(definition: ColumnDefinition<T>, sql = "") {
    this.#definition = definition;
    this.sql = sql;
  }

  get encode(): ColumnDefinition<T>["encode"] {
    return this.#definition.encode;
  }

  get decode(): ColumnDefinition<T>["decode"] {
    return this.#definition.decode;
  }

  nullable(): Column<T | null, S | null> {
    const { encode, decode, ...definition } = this.#definition;
    return new Column<T | null, S | null>(
      {
        ...definition,
        constraint: "",
        encode: (value) => (value === null ? null : encode(value)),
        ...(decode && { decode: (stored: unknown) => (stored === null ? null : decode(stored)) }),
      },
      this.sql,
    );
  }

  primaryKey(): Column<T, S> {
    return new Column({ ...this.#definition, constraint: "PRIMARY KEY" });
  }

  unique(): Column<T, S> {
    return new Column({ ...this.#definition, constraint: "NOT NULL UNIQUE" });
  }

  /** `target` is a column of another table, as `table (column)`, and what follows it. */
  references(target: string): Column<T, S> {
    return new Column({ ...this.#definition, references: target });
  }

  /** A name in SQL other than the snake case of the property. */
  named(name: string): Column<T, S> {
    return new Column({ ...this.#definition, name });
  }

  /** The same type of value, computed by an SQL expression. */
  as(sql: string): Column<T, S> {
    return new Column(this.#definition, sql);
  }

  nameIn(property: string): string {
    return this.#definition.name ?? property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }

  declaration(property: string, engine: EngineName): string {
    const { type, constraint = "NOT NULL", check, references } = this.#definition;
    const name = this.nameIn(property);
    const parts = [name, TYPES[engine][type], constraint];
    if (check !== undefined) parts.push(`CHECK (${check(name)})`);
    if (references !== undefined) parts.push(`REFERENCES ${references}`);
    return parts.filter((part) => part !== "").join(" ");
  }
}

/** The primary key that the database counts. */
export class SerialColumn extends Column<number, number> {
  declare readonly isSerial: true;
}

function stored<T extends SqlValue>(type: SqlType, check?: (name: string) => string): Column<T, T> {
  return new Column<T, T>({ type, ...(check && { check }), encode: (value) => value });
}

export const integer = (): Column<number, number> => stored("INTEGER");
export const real = (): Column<number, number> => stored("REAL");
export const text = <T extends string = string>(): Column<T, T> => stored("TEXT");
/** Of exactly so many bytes, where that is given. */
export const blob = (length?: number): Column<Uint8Array, Uint8Array> =>
  stored("BLOB", length === undefined ? undefined : (name) => `length(${name}) = ${length}`);
export const serial = (): SerialColumn =>
  new SerialColumn({ type: "SERIAL", constraint: "", encode: (value) => value });
/** The key of a table with one row. */
export const onlyRow = (): Column<1, 1> => stored<1>("INTEGER", (name) => `${name} = 1`).primaryKey();

/** One of these texts. As comparisons: SQLite makes a table of a list of more than two for each inserted row. */
export const oneOf = <const T extends string>(values: readonly T[]): Column<T, T> =>
  stored("TEXT", (name) => values.map((value) => `${name} = '${value}'`).join(" OR "));

const isTrue = (stored: unknown): boolean => stored === 1;

/** 0 or 1. */
export function boolean(): Column<boolean, 0 | 1> {
  return new Column<boolean, 0 | 1>({ type: "INTEGER", encode: Number, decode: isTrue });
}

/** The same, which the database checks. */
export function flag(): Column<boolean, 0 | 1> {
  const check = (name: string) => `${name} = 0 OR ${name} = 1`;
  return new Column<boolean, 0 | 1>({ type: "INTEGER", check, encode: Number, decode: isTrue });
}

/** JSON text. It is trusted: the program wrote it. */
export function json<T>(): Column<T, string> {
  return new Column<T, string>({
    type: "TEXT",
    encode: (value) => JSON.stringify(value),
    decode: (stored) => JSON.parse(String(stored)),
  });
}

/** Canonical JSON text, checked when it is written and when it is read. */
export function checkedJson<T extends JsonValue>(schema: z.ZodType<T>): Column<T, string> {
  return new Column<T, string>({
    type: "TEXT",
    encode: (value) => canonicalJson(schema.parse(value)),
    decode: (stored) => schema.parse(JSON.parse(String(stored))),
  });
}

export type Columns = Readonly<Record<string, Column<unknown>>>;
type NoColumns = Readonly<Record<never, Column<unknown>>>;

/** A row as the code has it. */
export type RowOf<C extends Columns> = { readonly [P in keyof C]: C[P]["value"] };

type SnakeCase<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : S;

type Optional<C extends Columns> = {
  [P in keyof C]: C[P] extends SerialColumn ? P : null extends C[P]["value"] ? P : never;
}[keyof C];

/** A row to be inserted: without what the database counts, and where null is meant, it may be left out. */
export type NewRowOf<C extends Columns> = Omit<RowOf<C>, Optional<C>> & Partial<Pick<RowOf<C>, Optional<C>>>;

/** A row as it is stored, by the columns' names in SQL. A serial number is `Serial`. */
export type StoredRowOf<C extends Columns, Serial = number> = {
  [P in keyof C & string as SnakeCase<P>]: C[P] extends SerialColumn ? Serial : C[P]["stored"];
};

/**
 * How the values of a column are treated. `public`: may appear in a release, in some form. `private`: never leaves its store but by the operator's own
 * disclosure, or as counts. `personal`: may identify a person, too; deleted as soon as it is not needed, never in a log. `hash`: stands for a secret or
 * an address that is not stored. `secret`: is one itself.
 */
export type Mark = "public" | "private" | "personal" | "hash" | "secret";

/** What bounds a table, and how long its rows stay, in the words of the manual (docs/operations/databases.md). */
export interface TableLimit {
  readonly limit: string;
  readonly kept: string;
}

/** `C` are all columns; `A` those that an answer may have. */
export interface Table<C extends Columns = Columns, A extends Columns = Columns> {
  readonly name: string;
  readonly columns: C;
  readonly answered: A;
  /** Names of the columns in SQL. */
  readonly names: readonly string[];
  readonly marks: Readonly<Record<string, Mark>>; // by these names
  readonly create: string; // in SQLite
  readonly createInPostgres: string;
  /** Statements for after the rows are in: an index is then sorted once, packed, and the same bytes each time. */
  readonly indexes: readonly string[];
  readonly bound: TableLimit | undefined; // undefined in a release, which is made anew
}

interface Groups<
  Public extends Columns,
  Private extends Columns,
  Personal extends Columns,
  Hash extends Columns,
  Secret extends Columns,
> {
  readonly public?: Public;
  readonly private?: Private;
  readonly personal?: Personal;
  readonly hash?: Hash;
  readonly secret?: Secret;
}

interface Definition<Property extends PropertyKey> {
  /** Where the key is of several columns; a table of SQLite then has no rowid. */
  readonly primaryKey?: readonly (Property & string)[];
  readonly withoutRowid?: boolean;
  /** Conditions over several columns, as SQL. */
  readonly constraints?: readonly string[];
  readonly indexes?: readonly string[];
  readonly bound?: TableLimit;
}

type AnyGroups = Groups<Columns, Columns, Columns, Columns, Columns>;

export function table<
  Public extends Columns = NoColumns,
  Private extends Columns = NoColumns,
  Personal extends Columns = NoColumns,
  Hash extends Columns = NoColumns,
  Secret extends Columns = NoColumns,
>(
  name: string,
  definition: Groups<Public, Private, Personal, Hash, Secret> &
    Definition<NoInfer<keyof (Public & Private & Personal & Hash & Secret)>>,
): Table<Public & Private & Personal & Hash & Secret, Public & Private & Personal>;
export function table(name: string, definition: AnyGroups & Definition<string>): Table {
  const { primaryKey, constraints = [], indexes = [], bound } = definition;
  const columns = Object.assign({}, ...groupsOf(definition).map(([, group]) => group));
  const entries: [string, Column<unknown>][] = Object.entries(columns);
  for (const [property, column] of entries) column.sql = `${name}.${column.nameIn(property)}`;
  const key = primaryKey?.map((property) => columns[property].nameIn(property));
  const create = (engine: EngineName) => {
    const lines = entries.map(([property, column]) => column.declaration(property, engine));
    if (key !== undefined) lines.push(`PRIMARY KEY (${key.join(", ")})`);
    return `CREATE TABLE ${name} (\n  ${[...lines, ...constraints].join(",\n  ")}\n)`;
  };
  const { withoutRowid = key !== undefined } = definition;
  return {
    name,
    columns,
    answered: { ...definition.public, ...definition.private, ...definition.personal },
    names: entries.map(([property, column]) => column.nameIn(property)),
    marks: marksOf(definition),
    create: `${create("sqlite")} STRICT${withoutRowid ? ", WITHOUT ROWID" : ""};`,
    createInPostgres: `${create("postgres")};`,
    indexes,
    bound,
  };
}

const MARKS: readonly Mark[] = ["public", "private", "personal", "hash", "secret"];

/** In the order in which the definition has them. */
function groupsOf(definition: AnyGroups): [Mark, Columns][] {
  const order = Object.keys(definition);
  const marks = MARKS.toSorted((one, other) => order.indexOf(one) - order.indexOf(other));
  return marks.flatMap((mark) => (definition[mark] === undefined ? [] : [[mark, definition[mark]]]));
}

function marksOf(definition: AnyGroups): Record<string, Mark> {
  return Object.fromEntries(
    groupsOf(definition).flatMap(([mark, group]) =>
      Object.entries(group).map(([property, column]) => [column.nameIn(property), mark] as const),
    ),
  );
}

/** Turns a stored row into what an answer may have: by property, decoded, without hashes and secrets. */
export function answerer<C extends Columns, A extends Columns>({
  answered,
}: Table<C, A>): (stored: StoredRowOf<C>) => RowOf<A> {
  const entries = Object.entries(answered).map(([property, column]) => ({
    property,
    name: column.nameIn(property),
    decode: column.decode,
  }));
  return (stored: Readonly<Record<string, unknown>>) => {
    const answer: RowOf<A> = Object.create(Object.prototype);
    for (const { property, name, decode } of entries)
      Reflect.set(answer, property, decode === undefined ? stored[name] : decode(stored[name]));
    return answer;
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

/** A prepared SELECT. `P` are the values that it binds. */
interface Reader<P extends unknown[], R> {
  get(...parameters: P): R | undefined;
  all(...parameters: P): R[];
  iterate(...parameters: P): Iterable<R>;
}

/** A prepared SELECT of one column, as it is stored. Its functions may be passed on without it. */
export function values<P extends unknown[], T>(db: Database, sql: string) {
  const statement = db.prepare<P, T>(sql).pluck();
  return {
    get: (...parameters: P) => statement.get(...parameters),
    all: (...parameters: P) => statement.all(...parameters),
    iterate: (...parameters: P): Iterable<T> => statement.iterate(...parameters),
  };
}

interface Selection<R> {
  /** `rest` is what follows the columns, from `FROM` on. It names tables in full. */
  prepare<P extends unknown[] = []>(db: Database, rest: string): Reader<P, R>;
}

/** The row that a selection reads. */
export type Selected<S> = S extends Selection<infer R> ? R : never;

/** All of these columns except `without`. */
export function selection<C extends Columns, W extends keyof C & string = never>(
  columns: C,
  ...without: readonly W[]
): Selection<Omit<RowOf<C>, W>> {
  type Row = Omit<RowOf<C>, W>;
  const left: ReadonlySet<string> = new Set(without);
  const entries = Object.entries(columns).filter(([property]) => !left.has(property));
  const list = entries.map(([property, { sql }]) => `${sql} AS "${property}"`).join(", ");
  const decoders = entries.flatMap(([property, { decode }]) =>
    decode === undefined ? [] : [{ property, decode }],
  );
  /** In place: the row comes fresh out of the database. */
  const decoded = (row: Row & Record<string, unknown>): Row => {
    for (const { property, decode } of decoders) Reflect.set(row, property, decode(row[property]));
    return row;
  };
  return {
    prepare<P extends unknown[]>(db: Database, rest: string) {
      const statement = db.prepare<P, Row & Record<string, unknown>>(`SELECT ${list} ${rest}`);
      return {
        get(...parameters: P) {
          const row = statement.get(...parameters);
          return row === undefined ? undefined : decoded(row);
        },
        all: (...parameters: P) => statement.all(...parameters).map(decoded),
        *iterate(...parameters: P) {
          for (const row of statement.iterate(...parameters)) yield decoded(row);
        },
      };
    },
  };
}
