/** Columns: how SQLite stores a value, and the type `T` in which the code writes and reads it. */
import type { z } from "zod";
import { canonicalJson, type JsonValue } from "../../kernel/text/canonical-json.ts";

export type SqlValue = string | number | Uint8Array | null;

interface Definition<T> {
  readonly type: "INTEGER" | "REAL" | "TEXT" | "BLOB";
  readonly constraint?: string; // NOT NULL unless given
  readonly name?: string;
  encode(value: T): SqlValue;
  decode?(stored: unknown): T; // absent: the stored value is the value
}

export class Column<T> {
  declare readonly value: T; // for types alone
  readonly #definition: Definition<T>;
  /** The expression that reads the column: `table.name`, set by its table. */
  sql: string;

  constructor(definition: Definition<T>, sql = "") {
    this.#definition = definition;
    this.sql = sql;
  }

  get encode(): Definition<T>["encode"] {
    return this.#definition.encode;
  }

  get decode(): Definition<T>["decode"] {
    return this.#definition.decode;
  }

  nullable(): Column<T | null> {
    const { encode, decode, ...definition } = this.#definition;
    return new Column<T | null>(
      {
        ...definition,
        constraint: "",
        encode: (value) => (value === null ? null : encode(value)),
        ...(decode && { decode: (stored: unknown) => (stored === null ? null : decode(stored)) }),
      },
      this.sql,
    );
  }

  primaryKey(): Column<T> {
    return new Column({ ...this.#definition, constraint: "PRIMARY KEY" });
  }

  unique(): Column<T> {
    return new Column({ ...this.#definition, constraint: "NOT NULL UNIQUE" });
  }

  /** A name in SQL other than the snake case of the property. */
  named(name: string): Column<T> {
    return new Column({ ...this.#definition, name });
  }

  /** The same type of value, computed by an SQL expression. */
  as(sql: string): Column<T> {
    return new Column(this.#definition, sql);
  }

  nameIn(property: string): string {
    return this.#definition.name ?? property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }

  declaration(property: string): string {
    const { type, constraint = "NOT NULL" } = this.#definition;
    return `${this.nameIn(property)} ${type} ${constraint}`.trim();
  }
}

function stored<T extends SqlValue>(type: Definition<T>["type"]): Column<T> {
  return new Column<T>({ type, encode: (value) => value });
}

export const integer = (): Column<number> => stored("INTEGER");
export const real = (): Column<number> => stored("REAL");
export const text = <T extends string = string>(): Column<T> => stored("TEXT");
export const blob = (): Column<Uint8Array> => stored("BLOB");

/** 0 or 1. */
export function boolean(): Column<boolean> {
  return new Column<boolean>({ type: "INTEGER", encode: Number, decode: (stored) => stored === 1 });
}

/** JSON text. It is trusted: the program wrote it. */
export function json<T>(): Column<T> {
  return new Column<T>({
    type: "TEXT",
    encode: (value) => JSON.stringify(value),
    decode: (stored) => JSON.parse(String(stored)),
  });
}

/** Canonical JSON text of an input of the release, checked when it is written and when it is read. */
export function checkedJson<T extends JsonValue>(schema: z.ZodType<T>): Column<T> {
  return new Column<T>({
    type: "TEXT",
    encode: (value) => canonicalJson(schema.parse(value)),
    decode: (stored) => schema.parse(JSON.parse(String(stored))),
  });
}
