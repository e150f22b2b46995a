/** A column map for a file that nobody has described: what can be told from its text, and a doubt for everything that was guessed. Pure. */
import { parse } from "csv-parse/sync";
import type { GazetteerCity } from "../../contract/cities/city.ts";
import { findIndustry } from "../../contract/cities/industry.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import { categoryKey } from "../lines/column-map.ts";
import { REQUIRED_FIELDS } from "../lines/observation-input.ts";
import type { Classifier } from "../matching/classify.ts";
import { categoryIndustry } from "./category-words.ts";
import type { Column, ColumnRole } from "./column-words.ts";
import { nearCity, placesOf } from "./find-places.ts";
import { assetType, rolesOf } from "./guess-columns.ts";
import { guessDates } from "./guess-dates.ts";
import { decoded } from "./guess-encoding.ts";

interface Suggested {
  /** JSON with comments, which `parseColumnMap` reads. */
  readonly text: string;
  readonly doubts: readonly string[];
}

interface SuggestOptions {
  readonly cities: readonly GazetteerCity[];
  /** That of the registered cities, for a file whose places say none. */
  readonly country?: string | undefined;
  readonly now: number; // ms
  /** A registered source, and its type. */
  readonly source?: { readonly id: string; readonly kind: string } | undefined;
  readonly industryOf: Classifier["ruleOf"];
}

/** `bytes` are the beginning of the file, decompressed. Throws OperatorError for what is no table of text. */
export function suggestMap(bytes: Buffer, options: SuggestOptions): Suggested {
  const { cities, source, industryOf, now } = options;
  const doubts: string[] = [];
  const near = nearCity(tableOf(decoded(bytes, undefined).text).columns, cities);
  const around = { country: near?.countryCode ?? options.country, lng: near?.lng, now, cities };
  const { encoding, text, isGuess } = decoded(bytes, around.country);
  const table = tableOf(text);
  const roles = rolesOf(table.columns, around, doubts);
  const column = (role: ColumnRole) => table.columns.find(({ name }) => roles.get(name) === role);
  const places = placesOf(table.columns, roles, cities, doubts);
  doubts.push(...tableDoubts(table, (name) => roles.has(name) || name === places.column));
  const dates = guessDates(column("observed_at"), column("time"), {
    ...around,
    ...(places.country !== undefined && { country: places.country, lng: places.lng }),
  });
  doubts.push(...dates.doubts);
  doubts.push(
    ...(isGuess
      ? [`The text is not UTF-8; ${encoding} is a guess: look for wrong letters in \`map check\`.`]
      : []),
  );
  doubts.push(...keyDoubts(column("source_ref"), column("observed_at")), ...emptyDoubts(table, column));
  const fields = new Map([...roles].filter(([, role]) => isWholeField(role)));
  const templates = templatesOf(roles, dates.hasOwnTime);
  for (const name of templates.used) fields.delete(name);
  const assets = assetsOf(column("asset_type"), doubts);
  const categories = column("industry");
  const map = {
    ...(encoding !== "utf-8" && { encoding }),
    ...(table.delimiter !== "," && { delimiter: table.delimiter }),
    ...(table.skipped > 0 && { skip_lines: table.skipped }),
    ...(table.header !== undefined && { header: table.header }),
    ...places.members,
    columns: Object.fromEntries(fields),
    ...(Object.keys(templates.members).length > 0 && { templates: templates.members }),
    ...(source !== undefined && { source: source.id }),
    constants: constantsOf(
      new Set([...fields.values(), ...Object.keys(templates.members), ...places.gives]),
      source,
      doubts,
    ),
    ...(assets !== undefined && { values: { asset_type: assets } }),
    ...dates.members,
    ...(categories !== undefined && { industry_map: industriesOf(categories, industryOf, doubts) }),
  };
  return { text: written(map, doubts), doubts };
}

function tableDoubts({ header, columns }: Table, isUsed: (name: string) => boolean): string[] {
  const left = columns.filter(({ name }) => !isUsed(name)).map(({ name }) => `"${name}"`);
  return [
    ...(header === undefined ? [] : ['The first line has values and no names: "header" names the columns.']),
    ...(left.length === 0 ? [] : [`Not used: ${left.join(", ")}.`]),
  ];
}

/** Lines that lack what every line needs are refused. */
function emptyDoubts({ rows }: Table, columnOf: (role: ColumnRole) => Column | undefined): string[] {
  return REQUIRED_FIELDS.flatMap((field) => {
    const { name, values } = columnOf(field) ?? { name: "", values: [] };
    const empty = name === "" ? 0 : rows - values.length;
    return empty === 0
      ? []
      : [
          `"${name}" is empty in ${empty} of the first ${rows} lines, which are refused without ${field}, unless "defaults" has a text for it.`,
        ];
  });
}

const MIN_KEYS = 5;

/** A reference is accepted once a source: what comes twice, and what begins anew with each file, loses lines. */
function keyDoubts(key: Column | undefined, date: Column | undefined): string[] {
  if (key === undefined || key.values.length < MIN_KEYS) return [];
  const { name, values } = key;
  const twice = values.find((value, at) => values.indexOf(value) !== at);
  if (twice !== undefined)
    return [
      `"${name}" does not tell lines apart: ${values.length - new Set(values).size} values come again (such as ${twice}), and of these only the first line is accepted. If they are others, name another column, or join several in "templates".`,
    ];
  const counts = values.every((value, at) => at === 0 || Number(value) === Number(values[at - 1]) + 1);
  const joined = JSON.stringify({ source_ref: `${date === undefined ? "" : `{${date.name}}-`}{${name}}` });
  return counts && Number(values[0]) <= 1
    ? [
        `"${name}" counts the lines from ${values[0]}. If the next file does so again, its lines are taken for known ones: use "templates": ${joined} then.`,
      ]
    : [];
}

interface Table {
  readonly delimiter: string;
  readonly skipped: number; // lines
  /** Names of the columns of a file without any. */
  readonly header: readonly string[] | undefined;
  readonly rows: number; // below the header
  readonly columns: readonly Column[];
}

const DELIMITERS = [",", ";", "\t", "|"];
const SAMPLE_LINES = 2000;

function tableOf(text: string): Table {
  const lines = text.split(/\r\n|\r|\n/).slice(0, SAMPLE_LINES);
  const [best] = DELIMITERS.map((delimiter) => ({ delimiter, ...widthOf(lines, delimiter) })).sort(
    (a, b) => b.lines * Math.min(b.width, 4) - a.lines * Math.min(a.width, 4),
  );
  if (/^\s*\{\s*"/.test(text))
    throw new OperatorError("the file has lines of JSON, which need no column map");
  if (text.trim() === "") throw new OperatorError("the file is empty");
  if (best === undefined || best.width < 2)
    throw new OperatorError(
      "no table found: its lines have no comma, semicolon, tab or vertical bar between cells",
    );
  const { delimiter, width } = best;
  const header = lines.findIndex(
    (line) => cellsOf(line, delimiter).filter((cell) => cell !== "").length > width / 2,
  );
  const [first = [], ...below] = rowsOf(lines.slice(header), delimiter);
  const hasNames = !first.some((cell) => COORDINATE.test(cell));
  const names = hasNames ? first : first.map((_, at) => `column ${at + 1}`);
  const all = hasNames ? below : [first, ...below];
  const rows = all.filter((row) => names.some((name, at) => name !== row[at])); // a header may come again
  const columns = names.map((name, at) => ({
    name,
    values: rows.flatMap((row) => (row[at] === undefined || row[at] === "" ? [] : [row[at]])),
  }));
  return {
    ...{ delimiter, skipped: header, header: hasNames ? undefined : names, rows: rows.length },
    columns: columns.filter(({ name }) => name !== ""),
  };
}

const COORDINATE = /^[+-]?\d{1,3}[.,]\d{3,}$/;

/** A line whose quotes are out of place drops out, as it does when the file is read. */
function rowsOf(lines: readonly string[], delimiter: string): string[][] {
  const relaxed = {
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
    bom: true,
  };
  try {
    return parse(lines.join("\n"), { delimiter, ...relaxed });
  } catch {
    return lines.length === 1 ? [] : lines.flatMap((line) => rowsOf([line], delimiter));
  }
}

/** The most frequent number of cells above one, and how many lines have it. */
function widthOf(lines: readonly string[], delimiter: string): { width: number; lines: number } {
  const counts = new Map<number, number>();
  for (const line of lines) {
    const { length } = cellsOf(line, delimiter);
    if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1);
  }
  const [[width, count] = [1, 0]] = [...counts].sort((a, b) => b[1] - a[1]);
  return { width, lines: count };
}

function cellsOf(line: string, delimiter: string): string[] {
  return line
    .replace(/"(?:[^"]|"")*"/g, "x")
    .split(delimiter)
    .map((cell) => cell.trim());
}

function isWholeField(role: ColumnRole): boolean {
  return !["time", "house_number", "town", "person"].includes(role);
}

function templatesOf(roles: ReadonlyMap<string, ColumnRole>, hasOwnTime: boolean) {
  const nameOf = (role: ColumnRole) => [...roles].find(([, each]) => each === role)?.[0];
  const [date, time, street, number, town] = (
    ["observed_at", "time", "address", "house_number", "town"] as const
  ).map(nameOf);
  const members: Record<string, string> = {};
  const used: string[] = [];
  if (date !== undefined && time !== undefined && !hasOwnTime) {
    members["observed_at"] = `{${date}} {${time}}`;
    used.push(date);
  }
  if (street !== undefined && (number ?? town) !== undefined) {
    members["address"] = [
      `{${street}}`,
      ...(number === undefined ? [] : [`{${number}}`]),
      ...(town === undefined ? [] : [`{${town}}`]),
    ].join(" ");
    used.push(street);
  }
  return { members, used };
}

const PLACEHOLDER_OBSERVER = "o-1";

function constantsOf(
  given: ReadonlySet<string>,
  source: SuggestOptions["source"],
  doubts: string[],
): Record<string, string> {
  const constants: Record<string, string> = { source_type: source?.kind ?? "scout" };
  if (source === undefined)
    doubts.push(
      'No source is named: register one, and name it (`--source ID`, or the member "source"). "source_type" is a guess.',
    );
  if (!given.has("asset_type")) {
    constants["asset_type"] = "storefront";
    doubts.push('No column says what was seen: every line is taken for a "storefront".');
  }
  if (!given.has("observer")) {
    constants["observer"] = PLACEHOLDER_OBSERVER;
    doubts.push(
      "No column says who observed: all lines are of one observer, and a record needs several to be ranked.",
    );
  }
  for (const field of ["source_ref", "name", "lat", "lng", "observed_at"])
    if (!given.has(field)) doubts.push(`No column was found for "${field}", which every line needs: add it.`);
  return constants;
}

function assetsOf(column: Column | undefined, doubts: string[]): Record<string, string | null> | undefined {
  if (column === undefined) return undefined;
  const types = new Map<string, string>();
  for (const value of new Set(column.values)) {
    const type = assetType(value);
    if (type !== value) types.set(value, type ?? "storefront");
    if (type === undefined)
      doubts.push(`"${value}" in "${column.name}" is taken for a "storefront": correct "values".`);
    if (types.size >= MAX_CATEGORIES) break;
  }
  return Object.fromEntries(types);
}

const MAX_CATEGORIES = 200;

function industriesOf(
  column: Column,
  industryOf: Classifier["ruleOf"],
  doubts: string[],
): Record<string, string | null> {
  const counts = new Map<string, { name: string; lines: number }>();
  for (const value of column.values) {
    const entry = counts.get(categoryKey(value)) ?? { name: value, lines: 0 };
    entry.lines += 1;
    counts.set(categoryKey(value), entry);
  }
  const listed = [...counts.values()].sort((a, b) => b.lines - a.lines).slice(0, MAX_CATEGORIES);
  const codes = listed.map(({ name }) => {
    const code = categoryIndustry(name) ?? industryOf(nameKey(name))?.industry ?? "";
    return [name, findIndustry(code)?.code ?? null] as const;
  });
  const open = codes.filter(([, code]) => code === null).length;
  doubts.push(
    `"industry_map" suggests codes by words; those of ${open} of ${codes.length} categories are open (null, which means none): \`presence industry search WORD\` finds them.`,
  );
  if (counts.size > listed.length)
    doubts.push(`${counts.size - listed.length} rarer categories are left out.`);
  return Object.fromEntries(codes);
}

function written(map: object, doubts: readonly string[]): string {
  const comments = doubts.map((doubt) => `// ${doubt.replace(/[\r\n\u2028\u2029]+/g, " ")}\n`).join("");
  return `// Suggested by \`presence map suggest\`. Check it: \`presence map check FILE --map THIS\`.\n${comments}${JSON.stringify(map, null, 2)}\n`;
}
