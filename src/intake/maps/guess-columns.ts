/** What the columns of a file are for: by words of their headers, and where these say nothing by their values. Pure. */
import { nameKey } from "../../kernel/text/name-key.ts";
import { ASSET_WORDS, COLUMN_WORDS, type Column, type ColumnRole } from "./column-words.ts";
import { holdsDates, holdsTimes, type Surroundings } from "./guess-dates.ts";
import { placeColumns } from "./guess-places.ts";

const FITS: readonly ((words: string, known: string) => boolean)[] = [
  (words, known) => words === known,
  (words, known) => known.length > 2 && ` ${words} `.includes(` ${known} `),
];

const ROUNDS = FITS.flatMap((isFit) => COLUMN_WORDS.map(([role, known]) => ({ isFit, role, known })));

interface Folded {
  readonly name: string;
  readonly words: string;
}

/** The columns that fit a role: one, as long as none has it; all of what is personal. */
function fitting(
  open: readonly Folded[],
  known: readonly string[],
  isFit: (words: string, known: string) => boolean,
  roles: ReadonlyMap<string, ColumnRole>,
  role: ColumnRole,
): string[] {
  const found = known.flatMap((word) =>
    open.filter(({ words }) => isFit(words, word)).map(({ name }) => name),
  );
  if (role === "person") return found;
  return [...roles.values()].includes(role) ? [] : found.slice(0, 1);
}

/** Where most of its values are no assets, the types are those of something else. */
function hasAssets(values: readonly string[]): boolean {
  const different = [...new Set(values)];
  return different.filter((value) => assetType(value) !== undefined).length * 2 >= different.length;
}

export function assetType(value: string): string | undefined {
  const words = fold(value).split(" ");
  return ASSET_WORDS.find(
    ([name, known]) => value === name || known.some((word) => words.includes(word)),
  )?.[0];
}

/** One column a role: an exact header before one that only contains the word, and last what the values say. */
export function rolesOf(
  columns: readonly Column[],
  known: Surroundings,
  doubts: string[],
): Map<string, ColumnRole> {
  const roles = new Map<string, ColumnRole>();
  const hasLines = columns.some(({ values }) => values.length > 0);
  const folded = columns.map((column) => ({ ...column, words: fold(column.name) }));
  for (const { isFit, role, known } of ROUNDS) {
    const open = folded.filter((column) => !roles.has(column.name) && (!hasLines || holds(column, role)));
    for (const name of fitting(open, known, isFit, roles, role)) roles.set(name, role);
  }
  byValues(columns, roles, known, doubts);
  for (const [name, role] of roles) if (role === "person") personal(name, roles, doubts);
  return roles;
}

/** Whether a column may be what its header says: not without values; types of something else are no assets, and a date has digits. */
function holds({ values }: Column, role: ColumnRole): boolean {
  if (role === "asset_type" && !hasAssets(values)) return false;
  return role === "observed_at" ? values.some((value) => /\d/.test(value)) : values.length > 0;
}

/** What no header said: a doubt for each. */
function byValues(
  columns: readonly Column[],
  roles: Map<string, ColumnRole>,
  known: Surroundings,
  doubts: string[],
): void {
  const open = () => columns.filter(({ name, values }) => !roles.has(name) && values.length > 0);
  const isOpen = (role: ColumnRole) => ![...roles.values()].includes(role);
  const give = (role: ColumnRole, name: string | undefined) => {
    if (name === undefined) return;
    roles.set(name, role);
    doubts.push(`"${name}" is taken for "${role}" by its values: correct "columns" if it is not.`);
  };
  if (isOpen("lat") && isOpen("lng")) {
    const places = placeColumns(open(), known.cities);
    give("lat", places?.lat);
    give("lng", places?.lng);
  }
  if (isOpen("observed_at")) give("observed_at", open().find((column) => holdsDates(column, known))?.name);
  if (isOpen("time")) give("time", open().find(holdsTimes)?.name);
  if (isOpen("source_ref")) give("source_ref", open().find(isKey)?.name);
  if (isOpen("name")) give("name", namesOf(open())?.name);
}

/** Each value once, with a digit in it. */
function isKey({ values }: Column): boolean {
  return new Set(values).size === values.length && values.every((value) => /\d/.test(value));
}

/** Of the columns of words, that with the most different ones. */
function namesOf(columns: readonly Column[]): Column | undefined {
  const words = columns.filter(
    ({ values }) => values.filter((value) => /\p{L}{2}/u.test(value)).length > values.length / 2,
  );
  const different = ({ values }: Column) => new Set(values).size;
  return words.toSorted((a, b) => different(b) - different(a))[0];
}

function personal(name: string, roles: Map<string, ColumnRole>, doubts: string[]): void {
  roles.delete(name);
  doubts.push(
    `"${name}" looks like personal data, and is left out: ask the supplier to leave it out as well.`,
  );
}

/** Letters without accents, and one space between words; also where only the case divides them. */
function fold(header: string): string {
  return nameKey(header.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_\-./]/g, " "));
}
