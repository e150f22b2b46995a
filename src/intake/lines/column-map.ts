import { z } from "zod";
import { OperatorError } from "../../kernel/errors.ts";
import { type DateReader, dateReader } from "./date-format.ts";
import {
  FIELD_TYPES,
  OBSERVATION_FIELDS,
  type ObservationField,
  REQUIRED_FIELDS,
} from "./observation-input.ts";

/**
 * How the columns of a CSV file become the fields of an observation. A field's text comes from its column, else its template,
 * else its constant; `defaults` fill what is blank; `values` then replaces texts ("*" stands for all others, null for none).
 */
const Field = z.enum(OBSERVATION_FIELDS);
const Texts = z.partialRecord(Field, z.string());

export const ColumnMap = z.strictObject({
  /** Column name in the file -> field. */
  columns: z.record(z.string(), Field).default({}),
  /** Field -> text with `{column}` in it, for example `"source_ref": "dinesafe-{event_id}"`. */
  templates: Texts.default({}),
  /** Field -> the same text for every line. */
  constants: Texts.default({}),
  /** Field -> text where the line has none. */
  defaults: Texts.default({}),
  /** Field -> text in the file -> text meant. */
  values: z.partialRecord(Field, z.record(z.string(), z.string().nullable())).default({}),
  /** Forms of `observed_at`, tried in turn: "iso", or a pattern of YYYY MM M DD D HH H mm ss. */
  date_formats: z.array(z.string().min(1)).min(1).default(["iso"]),
  /** Offset from UTC of times without one, for example "-05:00". */
  utc_offset: z
    .string()
    .regex(/^(Z|[+-]\d{2}:\d{2})$/)
    .optional(),
  delimiter: z.string().length(1).default(","),
});
export type ColumnMap = z.infer<typeof ColumnMap>;

/** Makes the value of a line from its cells. `columns` is how many cells a line must have. */
export interface RowMapper {
  readonly columns: number;
  value(cells: readonly string[]): Record<string, unknown>;
}

/** Throws OperatorError that names the file and what is wrong in it. */
export function parseColumnMap(json: string, path: string): ColumnMap {
  const parsed = ColumnMap.safeParse(readJson(json, path));
  if (parsed.success) return parsed.data;
  throw new OperatorError(`${path}: column map: ${z.prettifyError(parsed.error)}`);
}

function readJson(json: string, path: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new OperatorError(`${path}: column map: the file is not JSON`, { cause });
  }
}

type Cells = readonly string[];
type Source = (cells: Cells) => string;

/** Throws OperatorError for a column that the file has not, and for a required field that nothing gives. */
export function compileMap(map: ColumnMap, header: readonly string[]): RowMapper {
  const sources = OBSERVATION_FIELDS.flatMap((field) => {
    const source = sourceOf(field, map, header);
    return source === undefined ? [] : [[field, withValues(source, field, map)] as const];
  });
  const fields = new Set(sources.map(([field]) => field));
  const missing = REQUIRED_FIELDS.filter((field) => !fields.has(field));
  if (missing.length > 0)
    throw new OperatorError(
      `column map: nothing gives ${missing.join(", ")}: add a column, a template or a constant; ${columnsOf(header)}`,
    );
  const readDate = dateReader(map.date_formats, map.utc_offset);
  return {
    columns: header.length,
    value: (cells) => {
      const value: Record<string, unknown> = {};
      for (const [field, read] of sources) {
        const text = read(cells);
        if (text !== undefined) value[field] = typed(field, text, readDate);
      }
      return value;
    },
  };
}

function sourceOf(field: ObservationField, map: ColumnMap, header: Cells): Source | undefined {
  const column = Object.keys(map.columns).find((name) => map.columns[name] === field);
  if (column !== undefined) return cellReader(column, field, header);
  const template = map.templates[field];
  if (template !== undefined) return templateReader(template, field, header);
  const constant = map.constants[field] ?? map.defaults[field];
  return constant === undefined ? undefined : () => constant;
}

function cellReader(column: string, field: ObservationField, header: Cells): Source {
  const at = header.findIndex((name) => name.trim() === column);
  if (at < 0)
    throw new OperatorError(
      `column map: the file has no column "${column}" (for ${field}); ${columnsOf(header)}`,
    );
  return (cells) => (cells[at] ?? "").trim();
}

function templateReader(template: string, field: ObservationField, header: Cells): Source {
  const parts = template.split(/\{([^}]*)\}/); // texts and column names in turn
  const readers = parts.map((part, at) => (at % 2 === 0 ? () => part : cellReader(part, field, header)));
  return (cells) => readers.map((read) => read(cells)).join("");
}

function columnsOf(header: Cells): string {
  return `the file has: ${header.join(", ")}`;
}

/** Blank means absent, unless there is a default. */
function withValues(
  source: Source,
  field: ObservationField,
  map: ColumnMap,
): (cells: Cells) => string | undefined {
  const replacements = new Map(Object.entries(map.values[field] ?? {}));
  const fallback = map.defaults[field] ?? "";
  return (cells) => {
    const text = source(cells) || fallback;
    const replaced = replacements.get(text) ?? (replacements.has(text) ? null : replacements.get("*"));
    return (replaced === undefined ? text : replaced) || undefined;
  };
}

/** Cells are texts; what cannot be read as the field's type stays a text, and validation then says so. */
function typed(field: ObservationField, text: string, readDate: DateReader): unknown {
  if (field === "observed_at") return readDate(text);
  switch (FIELD_TYPES[field]) {
    case "number":
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
    case "boolean":
      return /^(true|1|yes)$/i.test(text) || (/^(false|0|no)$/i.test(text) ? false : text);
    default:
      return text;
  }
}
