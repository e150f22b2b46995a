import { z } from "zod";
import { OperatorError } from "../../kernel/errors.ts";
import { readJson } from "../places/city-outline.ts";
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
  /** Forms of `observed_at`, tried in turn: "iso", or a pattern of YYYY MM M DD D HH H hh h mm ss SSS A. */
  date_formats: z.array(z.string().min(1)).min(1).default(["iso"]),
  /** Offset from UTC of times without one, for example "-05:00". */
  utc_offset: z
    .string()
    .regex(/^(Z|[+-]\d{2}:\d{2})$/)
    .optional(),
  /** Whether `observed_at` holds dates: a time beside them is dropped. Not given: times that are all midnight are refused. */
  date_only: z.boolean().optional(),
  delimiter: z
    .string()
    .regex(/^[^"\r\n]$/, "must be one character, and no quote or line end")
    .default(","),
});
export type ColumnMap = z.infer<typeof ColumnMap>;

/** Makes the value of a line from its cells. `columns` is how many cells a line must have. */
export interface RowMapper {
  readonly columns: number;
  value(cells: readonly string[]): Record<string, unknown>;
}

/** Throws OperatorError that names the file and what is wrong in it. */
export function parseColumnMap(json: string, path: string): ColumnMap {
  const parsed = ColumnMap.safeParse(readJson(json, `${path}: column map`));
  if (!parsed.success) {
    const lines = parsed.error.issues.map(({ path: at, message }) =>
      at.length === 0 ? message : `${z.core.toDotPath(at)}: ${message}`,
    );
    throw new OperatorError(`${path}: column map:`, { lines });
  }
  try {
    dateReaderOf(parsed.data);
    assertOneSource(parsed.data);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    throw new OperatorError(`${path}: column map: ${error.message}`, { cause: error });
  }
  return parsed.data;
}

function dateReaderOf({ date_formats, utc_offset, date_only }: ColumnMap): DateReader {
  return dateReader(date_formats, { offset: utc_offset, dateOnly: date_only });
}

/** Throws OperatorError for a field that two columns give, or a column and a template or a constant. */
function assertOneSource({ columns, templates, constants }: ColumnMap): void {
  for (const field of OBSERVATION_FIELDS) {
    const sources = Object.keys(columns).flatMap((name) =>
      columns[name] === field ? [`column "${name}"`] : [],
    );
    if (templates[field] !== undefined) sources.push("a template");
    if (constants[field] !== undefined) sources.push("a constant");
    if (sources.length > 1)
      throw new OperatorError(`${field} comes from ${sources.join(" and from ")}: leave one of them`);
  }
}

type Cells = readonly string[];
type Source = (cells: Cells) => string;

/**
 * `cells` are those of the header. Throws OperatorError where it lacks a column of the map or has a name twice, and for a required
 * field that nothing gives. Tells no cell.
 */
export function compileMap(map: ColumnMap, cells: readonly string[]): RowMapper {
  const header = cells.map((cell) => cell.trim());
  assertHeader(map, header);
  const sources = OBSERVATION_FIELDS.flatMap((field) => {
    const source = sourceOf(field, map, header);
    return source === undefined ? [] : [[field, withValues(source, field, map)] as const];
  });
  const fields = new Set(sources.map(([field]) => field));
  const missing = REQUIRED_FIELDS.filter((field) => !fields.has(field));
  if (missing.length > 0)
    throw new OperatorError(
      `column map: nothing gives ${missing.join(", ")}: add a column, a template or a constant`,
    );
  const readDate = dateReaderOf(map);
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

/** Throws OperatorError for a header that lacks a column of the map, or has a name twice. Tells no cell: it may be a line of data. */
function assertHeader(map: ColumnMap, header: Cells): void {
  const named = columnsOf(map);
  const missing = named.filter(([name]) => !header.includes(name));
  if (missing.length > 0)
    throw new OperatorError(
      `column map: the file has no column ${missing.map(([name, field]) => `"${name}" (for ${field})`).join(", ")}${missing.length < named.length ? "" : noHeader(map, header)}`,
    );
  const second = header.findIndex((name, at) => name !== "" && header.indexOf(name) < at);
  if (second < 0) return;
  const [name = ""] = header.slice(second);
  const known = named.some(([column]) => column === name) ? `, "${name}"` : "";
  throw new OperatorError(
    `column map: columns ${header.indexOf(name) + 1} and ${second + 1} of the file have the same name${known}: rename one of them`,
  );
}

function noHeader({ delimiter }: ColumnMap, { length }: Cells): string {
  const cells = length === 1 ? "1 cell" : `${length} cells`;
  return `: its first line has ${cells} at the delimiter ${JSON.stringify(delimiter)}, and no column of the map. Does the file have another delimiter, or no header?`;
}

/** The columns that the map names, each with its field. */
function columnsOf({ columns, templates }: ColumnMap): (readonly [name: string, field: string])[] {
  const inTemplates = Object.entries(templates).flatMap(([field, template]) =>
    templateParts(template).flatMap((part, at) => (at % 2 === 0 ? [] : [[part, field] as const])),
  );
  return [...Object.entries(columns), ...inTemplates];
}

/** Texts and column names in turn. */
function templateParts(template: string): string[] {
  return template.split(/\{([^}]*)\}/);
}

function sourceOf(field: ObservationField, map: ColumnMap, header: Cells): Source | undefined {
  const column = Object.keys(map.columns).find((name) => map.columns[name] === field);
  if (column !== undefined) return cellReader(column, header);
  const template = map.templates[field];
  if (template !== undefined) return templateReader(template, header);
  const constant = map.constants[field] ?? map.defaults[field];
  return constant === undefined ? undefined : () => constant;
}

function cellReader(column: string, header: Cells): Source {
  const at = header.indexOf(column);
  return (cells) => unwrapped((cells[at] ?? "").trim());
}

/** Without a pair of quotes around all of it, which a program has put there once too often. */
function unwrapped(cell: string): string {
  const isWrapped = cell.length > 1 && cell.startsWith('"') && cell.indexOf('"', 1) === cell.length - 1;
  return isWrapped ? cell.slice(1, -1).trim() : cell;
}

function templateReader(template: string, header: Cells): Source {
  const parts = templateParts(template).map((part, at) => (at % 2 === 0 ? part : cellReader(part, header)));
  const columns = parts.filter((part) => typeof part === "function");
  return (cells) =>
    columns.length > 0 && columns.every((read) => isNothing(read(cells)))
      ? ""
      : parts.map((part) => (typeof part === "string" ? part : part(cells))).join("");
}

/** What databases and spreadsheets write for no value. */
const NOTHING: ReadonlySet<string> = new Set([
  "",
  "NULL",
  "\\N",
  "#N/A",
  "#REF!",
  "#VALUE!",
  "#NAME?",
  "#DIV/0!",
]);

function isNothing(text: string): boolean {
  return NOTHING.has(text);
}

/** Blank means absent, unless there is a default; so does NULL, unless `values` has it. */
function withValues(
  source: Source,
  field: ObservationField,
  map: ColumnMap,
): (cells: Cells) => string | undefined {
  const replacements = new Map(Object.entries(map.values[field] ?? {}));
  const fallback = map.defaults[field] ?? "";
  return (cells) => {
    const cell = source(cells);
    const text = isNothing(cell) && !replacements.has(cell) ? fallback : cell;
    const replaced = replacements.get(text) ?? (replacements.has(text) ? null : replacements.get("*"));
    return (replaced === undefined ? text : replaced) || undefined;
  };
}

/** Cells are texts; what cannot be read as the field's type stays a text, and validation then says so. */
function typed(field: ObservationField, text: string, readDate: DateReader): unknown {
  if (field === "observed_at") return readDate(text);
  switch (FIELD_TYPES.get(field)) {
    case "number":
      return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
    case "boolean":
      return /^(true|1|yes)$/i.test(text) || (/^(false|0|no)$/i.test(text) ? false : text);
    default:
      return text;
  }
}
