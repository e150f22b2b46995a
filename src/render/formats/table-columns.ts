/** Describes the columns of a row schema in Table Schema (Frictionless). */

import type { z } from "zod";
import { inlineJsonSchema } from "../../contract/json-schema.ts";
import type { JsonObject, JsonValue } from "../../kernel/text/canonical-json.ts";

export const COLUMN_TYPES = ["string", "integer", "number", "boolean", "date"] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly description: string;
  readonly nullable: boolean;
  readonly constraints: JsonObject;
}

/** Returns the columns in field order. Throws for a type that no table can hold. */
export function tableColumns(row: z.ZodObject): Column[] {
  return Object.entries(row.shape).map(([name, column]) =>
    tableColumn(name, inlineJsonSchema(column, "output")),
  );
}

function tableColumn(name: string, { description, anyOf, ...plain }: JsonObject): Column {
  const choices: readonly JsonValue[] = Array.isArray(anyOf) ? anyOf : [plain];
  const cell = choices.filter(isObject).find(({ type }) => type !== "null") ?? {};
  const { enum: values, minimum, maximum } = cell;
  const nullable = choices.length > 1;
  const type = cell["format"] === "date" ? "date" : COLUMN_TYPES.find((known) => known === cell["type"]);
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
