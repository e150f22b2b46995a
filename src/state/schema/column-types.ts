export type EngineName = "sqlite" | "postgres";

/** The words for column types that the two engines do not share. */
export interface ColumnTypes {
  readonly int: string; // 64 bits
  readonly real: string; // 64 bits
  readonly serial: string; // primary key that counts up and never hands out a number twice
  readonly end: string; // what follows the closing bracket of a table
}

export const COLUMN_TYPES: Readonly<Record<EngineName, ColumnTypes>> = {
  sqlite: {
    int: "INTEGER",
    real: "REAL",
    serial: "INTEGER PRIMARY KEY AUTOINCREMENT",
    end: "STRICT",
  },
  postgres: {
    int: "BIGINT",
    real: "DOUBLE PRECISION",
    serial: "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    end: "",
  },
};

/** Statements that make some tables. */
export type Tables = (types: ColumnTypes) => readonly string[];
