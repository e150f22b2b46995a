import { z } from "zod";
import { findIndustry } from "../../contract/cities/industry.ts";
import { SourceId } from "../../contract/fields.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { readJson } from "../places/city-outline.ts";
import { type DateReader, dateReader } from "./date-format.ts";
import { encodingName } from "./decode.ts";
import { LineFault } from "./fault.ts";
import { assertTimeZone, zoneClock } from "./local-time.ts";
import { assertLanguage } from "./month-names.ts";
import {
  FIELD_TYPES,
  LOCAL_TIME,
  OBSERVATION_FIELDS,
  type ObservationField,
  REQUIRED_FIELDS,
} from "./observation-input.ts";
import { coordinateOf, Position } from "./position.ts";

/** A member that a function checks, which throws OperatorError. */
function checkedText(assert: (text: string) => unknown) {
  return z.string().superRefine((text, { addIssue }) => {
    try {
      assert(text);
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      addIssue(error.message);
    }
  });
}

/**
 * How the columns of a CSV file become the fields of an observation. A field's text comes from its column, else its template,
 * else its constant; `defaults` fill what is blank; `values` then replaces texts ("*" stands for all others, null for none).
 */
const Field = z.enum(OBSERVATION_FIELDS);
const Texts = z.partialRecord(Field, z.string());

export const ColumnMap = z.strictObject({
  /** Column name in the file -> field. */
  columns: z.record(z.string(), Field).default({}),
  position: Position.optional(),
  /** Field -> text with `{column}` in it, for example `"source_ref": "dinesafe-{event_id}"`. */
  templates: Texts.default({}),
  /** Field -> the same text for every line. */
  constants: Texts.default({}),
  /** Field -> text where the line has none. */
  defaults: Texts.default({}),
  /** Field -> text in the file -> text meant. */
  values: z.partialRecord(Field, z.record(z.string(), z.string().nullable())).default({}),
  /** Forms of `observed_at`, tried in turn: "iso", "unix", "excel", or a pattern (see date-format.ts). */
  date_formats: z.array(z.string().min(1)).min(1).default(["iso"]),
  /** Language of the names of months, for example "fr". */
  language: checkedText(assertLanguage).optional(),
  /** IANA name of the zone whose clocks times without an offset were read off, for example "Europe/Brussels". */
  time_zone: checkedText(assertTimeZone).optional(),
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
  /** Encoding of the text; not given: UTF-8, or UTF-16 where it is recognized. */
  encoding: checkedText(encodingName).transform(encodingName).optional(),
  /** Lines above the header. */
  skip_lines: z.int().min(0).max(1000).default(0),
  /** Names of the columns of a file without a header. */
  header: z.array(z.string()).min(1).max(1000).optional(),
  /** What stands before the fraction of a number. */
  decimal: z.enum([".", ","]).default("."),
  /** What stands between groups of three digits. */
  thousands: z.enum([".", ",", " ", "\u00a0", "\u202f", "'", "’"]).optional(),
  /** Registered source of lines that name none. */
  source: SourceId.optional(),
  /** The supplier's category -> ISIC code, or null for none; whatever the case and the spaces of the category. */
  industry_map: z
    .record(
      z.string(),
      z
        .string()
        .refine((code) => findIndustry(code) !== undefined, "is not an ISIC Rev. 5 code")
        .nullable(),
    )
    .optional(),
});
export type ColumnMap = z.infer<typeof ColumnMap>;

/** Makes the value of a line from its cells. `columns` is how many cells a line must have. */
export interface RowMapper {
  readonly columns: number;
  /** `fault`: the line is refused, whatever else it says. */
  read(cells: readonly string[]): { readonly value: Record<string, unknown>; readonly fault?: LineFault };
}

export interface MapOptions {
  /** Called with each category that `industry_map` lacks. */
  readonly onUnknownCategory?: (category: string) => void;
  /** `observed_at` stays as the file has it. */
  readonly keepsDates?: boolean;
}

const COMMENTS = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;

/** JSON without the comments of JSONC, each of which becomes spaces, so that places in messages stay right. */
function withoutComments(text: string): string {
  return text.replace(COMMENTS, (part) => (part.startsWith('"') ? part : part.replace(/[^\n]/g, " ")));
}

/** JSON, or with comments JSONC. Throws OperatorError that names the file and what is wrong in it. */
export function parseColumnMap(text: string, path: string): ColumnMap {
  const parsed = ColumnMap.safeParse(readJson(withoutComments(text), `${path}: column map`));
  if (!parsed.success) {
    const lines = parsed.error.issues.map(({ path: at, message }) =>
      at.length === 0 ? message : `${z.core.toDotPath(at)}: ${message}`,
    );
    throw new OperatorError(`${path}: column map:`, { lines });
  }
  try {
    dateReaderOf(parsed.data);
    assertConsistent(parsed.data);
    assertOneSource(parsed.data);
    categoriesOf(parsed.data);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    throw new OperatorError(`${path}: column map: ${error.message}`, { cause: error });
  }
  return parsed.data;
}

function dateReaderOf({ date_formats, utc_offset, time_zone, date_only, language }: ColumnMap): DateReader {
  const clock = time_zone === undefined ? undefined : zoneClock(time_zone);
  return dateReader(date_formats, { offset: utc_offset, clock, dateOnly: date_only, language });
}

/** The categories of a file that its `industry_map` lacks, with how often each came. Owned by one reader. */
export class UnknownCategories {
  readonly #counts = new Map<string, number>();

  readonly add = (category: string): void => {
    const shown = category.slice(0, MAX_CATEGORY);
    const key = this.#counts.has(shown) || this.#counts.size < MAX_CATEGORIES ? shown : OTHER_CATEGORIES;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  };

  /** Up to now, the most frequent first. */
  counts(): CategoryCounts {
    return [...this.#counts].sort(([a, some], [b, other]) => other - some || (a < b ? -1 : 1));
  }
}

export type CategoryCounts = readonly (readonly [category: string, lines: number])[];

const MAX_CATEGORY = 60;
const MAX_CATEGORIES = 200;
const OTHER_CATEGORIES = "(others)";

/** Throws OperatorError for members that contradict each other. */
function assertConsistent(map: ColumnMap): void {
  const { time_zone, utc_offset, decimal, thousands, source, constants, defaults } = map;
  if (time_zone !== undefined && utc_offset !== undefined)
    throw new OperatorError('"time_zone" and "utc_offset" exclude each other: keep one of them');
  if (decimal === thousands)
    throw new OperatorError(
      `"decimal" and "thousands" are both ${JSON.stringify(decimal)}: correct one of them`,
    );
  if (source !== undefined && (constants.source ?? defaults.source) !== undefined)
    throw new OperatorError(
      '"source" and the constant or default "source" exclude each other: keep one of them',
    );
}

/** Categories as they are compared. Throws OperatorError for two that are one. */
function categoriesOf({ industry_map }: ColumnMap): ReadonlyMap<string, string | null> | undefined {
  if (industry_map === undefined) return undefined;
  const categories = new Map<string, string | null>();
  for (const [category, code] of Object.entries(industry_map)) {
    const key = categoryKey(category);
    if (categories.has(key))
      throw new OperatorError(`industry_map: "${category}" appears twice: keep one of them`);
    categories.set(key, code);
  }
  return categories;
}

/** The same for categories that differ in case and spaces. */
export function categoryKey(category: string): string {
  return category.normalize("NFC").trim().toLowerCase().replace(/\s+/g, " ");
}

/** Throws OperatorError for a field that two columns give, or a column and a template or a constant. */
function assertOneSource({ columns, templates, constants, position }: ColumnMap): void {
  for (const field of OBSERVATION_FIELDS) {
    const sources = Object.keys(columns).flatMap((name) =>
      columns[name] === field ? [`column "${name}"`] : [],
    );
    if (position !== undefined && isCoordinate(field)) sources.push(`"position"`);
    if (templates[field] !== undefined) sources.push("a template");
    if (constants[field] !== undefined) sources.push("a constant");
    if (sources.length > 1)
      throw new OperatorError(`${field} comes from ${sources.join(" and from ")}: keep one of them`);
  }
}

type Cells = readonly string[];
type Source = (cells: Cells) => string;

/**
 * `cells` are those of the header. Throws OperatorError where it lacks a column of the map or has a name twice, and for a required
 * field that nothing gives. Tells no cell.
 */
export function compileMap(map: ColumnMap, cells: readonly string[], options: MapOptions = {}): RowMapper {
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
  const typedOf = typed(map, options);
  return {
    columns: header.length,
    read: (cells) => {
      const value: Record<string, unknown> = {};
      const faults: LineFault[] = [];
      const asTyped = (field: ObservationField, text: string) => {
        try {
          return typedOf(field, text);
        } catch (error) {
          if (!(error instanceof LineFault)) throw error;
          faults.push(error);
          return text;
        }
      };
      for (const [field, read] of sources) {
        const text = read(cells);
        if (text !== undefined) value[field] = asTyped(field, text);
      }
      const [fault] = faults;
      return fault === undefined ? { value } : { value, fault };
    },
  };
}

/** Throws OperatorError for a header that lacks a column of the map, or has a name twice. Tells no cell: it may be a line of data. */
function assertHeader(map: ColumnMap, header: Cells): void {
  const named = columnsOf(map);
  const missing = named.filter(([name]) => !header.includes(name));
  if (missing.length > 0)
    throw new OperatorError(
      `column map: the file has no column ${missing.map(([name, field]) => `"${name}" (for ${field})`).join(", ")}${missing.length < named.length ? otherLetters(missing) : noHeader(map, header)}`,
    );
  const second = header.findIndex((name, at) => name !== "" && header.indexOf(name) < at);
  if (second < 0) return;
  const [name = ""] = header.slice(second);
  const known = named.some(([column]) => column === name) ? `, "${name}"` : "";
  throw new OperatorError(
    `column map: columns ${header.indexOf(name) + 1} and ${second + 1} of the file have the same name${known}: rename one of them`,
  );
}

/** Where only names with other letters than those of ASCII are missing, these may have been read wrongly. */
function otherLetters(missing: readonly (readonly [name: string, field: string])[]): string {
  return missing.every(([name]) => /[^\p{ASCII}]/u.test(name))
    ? ": does the file have another encoding?"
    : "";
}

function noHeader({ delimiter }: ColumnMap, { length }: Cells): string {
  const cells = length === 1 ? "1 cell" : `${length} cells`;
  return `: its first line has ${cells} at the delimiter ${JSON.stringify(delimiter)}, and no column of the map. Does the file have another delimiter, or no header?`;
}

/** The columns that the map names, each with its field. */
function columnsOf({ columns, templates, position }: ColumnMap): (readonly [name: string, field: string])[] {
  const inTemplates = Object.entries(templates).flatMap(([field, template]) =>
    templateParts(template).flatMap((part, at) => (at % 2 === 0 ? [] : [[part, field] as const])),
  );
  const ofPosition = position === undefined ? [] : [[position.column, "position"] as const];
  return [...Object.entries(columns), ...inTemplates, ...ofPosition];
}

/** Texts and column names in turn. */
function templateParts(template: string): string[] {
  return template.split(/\{([^}]*)\}/);
}

function isCoordinate(field: ObservationField): field is "lat" | "lng" {
  return field === "lat" || field === "lng";
}

function sourceOf(field: ObservationField, map: ColumnMap, header: Cells): Source | undefined {
  const { position } = map;
  if (position !== undefined && isCoordinate(field)) {
    const read = cellReader(position.column, header);
    return (cells) => coordinateOf(read(cells), field, position);
  }
  const column = Object.keys(map.columns).find((name) => map.columns[name] === field);
  if (column !== undefined) return cellReader(column, header);
  const template = map.templates[field];
  if (template !== undefined) return templateReader(template, header);
  const constant = map.constants[field] ?? defaultOf(field, map);
  return constant === undefined ? undefined : () => constant;
}

function defaultOf(field: ObservationField, { defaults, source }: ColumnMap): string | undefined {
  return defaults[field] ?? (field === "source" ? source : undefined);
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
  const fallback = defaultOf(field, map) ?? "";
  return (cells) => {
    const cell = source(cells);
    const text = isNothing(cell) && !replacements.has(cell) ? fallback : cell;
    const replaced = replacements.get(text) ?? (replacements.has(text) ? null : replacements.get("*"));
    return (replaced === undefined ? text : replaced) || undefined;
  };
}

type Typed = (field: ObservationField, text: string) => unknown;

/** Cells are texts; what cannot be read as the field's type stays a text, and validation then says so. Throws LineFault. */
function typed(map: ColumnMap, { onUnknownCategory, keepsDates = false }: MapOptions): Typed {
  const numberOf = numberReader(map);
  const numberIn = (field: ObservationField, text: string) => {
    const number = numberOf(text);
    if (typeof number === "number") return number;
    const groups = map.thousands === undefined ? "no mark" : JSON.stringify(map.thousands);
    const problem = `is no number with "${map.decimal}" before the fraction and ${groups} between thousands, as the column map states`;
    throw new LineFault("wrong_type", field, problem);
  };
  const dateOf = keepsDates ? (text: string) => text : checkedDates(map);
  const categories = categoriesOf(map);
  const industryOf = (text: string) => {
    const code = categories?.get(categoryKey(text));
    if (code !== undefined) return code;
    if (categories === undefined || findIndustry(text) !== undefined) return text;
    onUnknownCategory?.(text);
    return null; // the line has no industry then, and is taken all the same
  };
  return (field, text) => {
    if (field === "observed_at") return dateOf(text);
    if (field === "industry") return industryOf(text);
    switch (FIELD_TYPES.get(field)) {
      case "number":
        return numberIn(field, text);
      case "boolean":
        return /^(true|1|yes)$/i.test(text) || (/^(false|0|no)$/i.test(text) ? false : text);
      default:
        return text;
    }
  };
}

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

function numberReader({ decimal, thousands }: ColumnMap): (text: string) => number | string {
  return (text) => {
    if (decimal !== "." && thousands !== "." && text.includes(".")) return text;
    const bare = thousands === undefined ? text : text.replaceAll(thousands, "");
    const plain = decimal === "." ? bare : bare.replace(decimal, ".");
    return NUMBER.test(plain) ? Number(plain) : text;
  };
}

/** Says of a date that it has none of the map's forms, in place of that it is not the one that NDJSON has. */
function checkedDates(map: ColumnMap): DateReader {
  const read = dateReaderOf(map);
  const { date_formats: forms } = map;
  const ownForms = forms.map((form) => (form === "iso" ? "ISO 8601" : form)).join(" or ");
  return (text) => {
    const iso = read(text);
    if (iso !== text || ISO_START.test(text)) {
      if (!LOCAL_TIME.test(iso)) return iso;
      throw new LineFault(
        "invalid_date",
        "observed_at",
        'is a time without its offset from UTC: give "time_zone" or "utc_offset" in the column map',
      );
    }
    throw new LineFault(
      "invalid_date",
      "observed_at",
      `does not have the form ${ownForms}, as "date_formats" of the column map states`,
    );
  };
}

const ISO_START = /^\d{4}-\d{2}-\d{2}(T|$)/;
