import { type ColumnSource, parquetWriteBuffer, type SchemaElement } from "hyparquet-writer";
import type { z } from "zod";
import { SERVICE } from "../../contract/records/claim-boundary.ts";
import { type Column, type ColumnType, tableColumns } from "./table-columns.ts";

// Parquet types by column type: dates as days since 1970, integers with 64 bits.
const STORED: Readonly<Record<ColumnType, Omit<SchemaElement, "name">>> = {
  string: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  integer: { type: "INT64" },
  number: { type: "DOUBLE" },
  boolean: { type: "BOOLEAN" },
  date: { type: "INT32", converted_type: "DATE" },
};

/** Writes rows as a Parquet file with one column for each field of `schema`. Deterministic. */
export function parquetBytes<Schema extends z.ZodObject>(
  schema: Schema,
  rows: readonly z.infer<Schema>[],
): Uint8Array {
  const columns = tableColumns(schema);
  const file = parquetWriteBuffer({
    createdBy: SERVICE,
    schema: [{ name: "root", num_children: columns.length }, ...columns.map(schemaElement)],
    columnData: columns.map((column) => columnData(column, rows)),
  });
  return new Uint8Array(file);
}

function schemaElement({ name, type, nullable }: Column): SchemaElement {
  return { name, repetition_type: nullable ? "OPTIONAL" : "REQUIRED", ...STORED[type] };
}

function columnData(
  { name, type }: Column,
  rows: readonly Readonly<Record<string, unknown>>[],
): ColumnSource {
  return { name, data: rows.map((row) => storedValue(type, row[name])) };
}

function storedValue(type: ColumnType, value: unknown): unknown {
  if (type === "integer" && typeof value === "number") return BigInt(value);
  if (type === "date" && typeof value === "string") return new Date(value);
  return value;
}
