/** What headers of suppliers' files are called in many languages, as whole words of a folded header. */
import { z } from "zod";
import file from "../../../data/column-words.json" with { type: "json" };
import { nameKey } from "../../kernel/text/name-key.ts";
import { OBSERVATION_FIELDS } from "../lines/observation-input.ts";

export interface Column {
  readonly name: string;
  readonly values: readonly string[]; // that are not blank
}

/** What a column may be for: a field, or a part of one. */
const Role = z.enum([...OBSERVATION_FIELDS, "time", "house_number", "town", "person"]);
export type ColumnRole = z.infer<typeof Role>;

/** The first that fits decides. */
export const COLUMN_WORDS = wordsOf(file.columns).map(([role, words]) => [Role.parse(role), words] as const);

/** Asset type -> words of values. */
export const ASSET_WORDS = wordsOf(file.assets);

function wordsOf(
  words: Readonly<Record<string, readonly string[]>>,
): (readonly [of: string, words: readonly string[]])[] {
  return Object.entries(words).map(([of, all]) => [of, all.map(nameKey)]);
}
