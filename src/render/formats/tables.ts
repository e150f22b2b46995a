import { stringify } from "csv-stringify/sync";
import { type ColumnSource, parquetWriteBuffer, type SchemaElement } from "hyparquet-writer";
import type { z } from "zod";
import { inlineJsonSchema } from "../../contract/json-schema.ts";
import { type SiteNamed, serviceName } from "../../contract/records/claim-boundary.ts";
import { EXPLORER_COLUMNS, type ExplorerRow } from "../../contract/service/exports.ts";
import type { JsonObject, JsonValue } from "../../kernel/text/json.ts";

/** Describes the columns of a row schema in Table Schema (Frictionless). */

const COLUMN_TYPES = ["string", "integer", "number", "boolean", "object", "array"] as const;
const FORMATTED: Readonly<Record<string, "date" | "datetime">> = { date: "date", "date-time": "datetime" };
type ColumnType = (typeof COLUMN_TYPES)[number] | "date" | "datetime";

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly description: string;
  readonly nullable: boolean;
  readonly constraints: JsonObject;
}

const knownColumns = new WeakMap<z.ZodObject, readonly Column[]>();

/** Returns the columns in field order. Throws for a type that no table can hold. */
export function tableColumns(row: z.ZodObject): readonly Column[] {
  const known = knownColumns.get(row);
  if (known !== undefined) return known;
  const columns = Object.entries(row.shape).map(([name, column]) =>
    tableColumn(name, inlineJsonSchema(column, "output")),
  );
  knownColumns.set(row, columns);
  return columns;
}

function tableColumn(name: string, { description, anyOf, ...plain }: JsonObject): Column {
  const choices: readonly JsonValue[] = Array.isArray(anyOf) ? anyOf : [plain];
  const cell = choices.filter(isObject).find(({ type }) => type !== "null") ?? {};
  const { enum: values, minimum, maximum } = cell;
  const nullable = choices.length > 1;
  const type = FORMATTED[String(cell["format"])] ?? COLUMN_TYPES.find((known) => known === cell["type"]);
  if (type === undefined) throw new Error(`column ${name}: unsupported column type`);
  return {
    name,
    type,
    description: typeof description === "string" ? description : "",
    nullable,
    constraints: {
      ...(nullable ? {} : { required: true }),
      ...(values === undefined ? {} : { enum: values }),
      ...(minimum === undefined ? {} : { minimum }),
      ...(maximum === undefined ? {} : { maximum }),
    },
  };
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Renders the explorer's table with the exact header of interface 4.8. */
export function csvText(rows: readonly ExplorerRow[]): string {
  return tableCsv(EXPLORER_COLUMNS, rows);
}

/**
 * Renders RFC 4180 text. Null is an empty cell. Text that a spreadsheet would run as a formula gets a leading apostrophe.
 */
export function tableCsv<Row extends object>(
  columns: readonly (keyof Row & string)[],
  rows: readonly Row[],
): string {
  return stringify([...rows], {
    header: true,
    columns: [...columns],
    record_delimiter: "windows",
    escape_formulas: true,
    cast: { boolean: String }, // the library would write 1 and nothing
    quoted_match: /[\r\n]/, // the library would leave a lone CR or LF unquoted
  });
}

// Parquet types by column type: dates as days since 1970, times as milliseconds since then, integers with 64 bits.
const STORED: Readonly<Record<ColumnType, Omit<SchemaElement, "name">>> = {
  string: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  integer: { type: "INT64" },
  number: { type: "DOUBLE" },
  boolean: { type: "BOOLEAN" },
  date: { type: "INT32", converted_type: "DATE" },
  datetime: { type: "INT64", converted_type: "TIMESTAMP_MILLIS" },
  object: { type: "BYTE_ARRAY", converted_type: "JSON" },
  array: { type: "BYTE_ARRAY", converted_type: "JSON" },
};

/** Writes rows as a Parquet file with one column for each field of `schema`. Deterministic. */
export function parquetBytes<Schema extends z.ZodObject>(
  schema: Schema,
  rows: readonly z.infer<Schema>[],
  named: SiteNamed = { siteName: null },
): Uint8Array {
  const columns = tableColumns(schema);
  const file = parquetWriteBuffer({
    createdBy: serviceName(named),
    schema: [{ name: "root", num_children: columns.length }, ...columns.map(schemaElement)],
    columnData: columns.map((column) => columnData(column, rows)),
  });
  return new Uint8Array(file);
}

export function schemaElement({ name, type, nullable }: Column): SchemaElement {
  return { name, repetition_type: nullable ? "OPTIONAL" : "REQUIRED", ...STORED[type] };
}

function columnData(
  { name, type }: Column,
  rows: readonly Readonly<Record<string, unknown>>[],
): ColumnSource {
  return { name, data: rows.map((row) => storedValue(type, row[name])) };
}

export function storedValue(type: ColumnType, value: unknown): unknown {
  if (type === "integer" && typeof value === "number") return BigInt(value);
  if ((type === "date" || type === "datetime") && typeof value === "string") return new Date(value);
  return value;
}
