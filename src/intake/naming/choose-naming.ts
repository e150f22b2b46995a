/**
 * How a record is shown: its name, website and industry, chosen from what the rows about it said (docs/methodology.md, "Names, websites,
 * industries"). Pure, and the only place that applies these rules.
 */

import type { Website } from "../../kernel/text/contacts.ts";
import { nameKey, withoutStoreNumbers } from "../../kernel/text/name-key.ts";
import type { NamingBody } from "../../ledger/rows/rows.ts";
import { cleanName } from "../lines/name.ts";
import type { Classifier } from "../matching/classify.ts";

/** What one row said of its record. */
export interface Said {
  readonly row: number;
  /** Whose row it is; undefined for a built-in source, whose lines teach no contacts. */
  readonly principal: string | undefined;
  readonly name: string; // cleaned
  readonly website: Website | undefined;
  readonly industry: string | undefined; // ISIC code
}

export interface NamingFacts {
  /** Of the rows that teach, in order. */
  readonly taught: readonly Said[];
  /** Of the record's first row, for a record that nothing counts for. */
  readonly first: Pick<Said, "name">;
  /** What is in effect. */
  readonly present?: Shown | undefined;
}

export type Shown = Pick<NamingBody, "name" | "website" | "industry" | "industry_method">;

export interface ChosenNaming {
  readonly shown: Shown;
  /** A row for each of the industries that most principals declared, where there are several: a reviewer is asked. */
  readonly tied: readonly Said[];
}

export function chooseNaming(facts: NamingFacts, classify: Classifier["classify"]): ChosenNaming {
  const { taught, first, present } = facts;
  const registered = taught.filter(({ principal }) => principal !== undefined);
  const ofKey = leading(registered.length > 0 ? registered : taught, ({ name }) => nameKey(name));
  const name = displayName((leading(ofKey, (said) => displayName(said.name))[0] ?? first).name);
  const declared =
    [registered, taught]
      .map((rows) => leaders(rows, ({ industry }) => industry))
      .find(({ length }) => length > 0) ?? [];
  const website = websiteOf(taught);
  const mostDeclared = declared.flatMap(([said]) => said ?? []);
  const kept = mostDeclared.find((said) => said.industry === present?.industry);
  const { industry } = kept ?? mostDeclared[0] ?? {};
  const tied = mostDeclared.length > 1 ? mostDeclared : [];
  if (industry !== undefined)
    return { shown: { name, website, industry, industry_method: "declared" }, tied };
  return { shown: { name, website, ...byName(name, present, classify) }, tied };
}

/** A proposal stays as long as the name does. */
function byName(
  name: string,
  present: Shown | undefined,
  classify: Classifier["classify"],
): Pick<Shown, "industry" | "industry_method"> {
  const key = nameKey(name);
  if (present !== undefined && present.industry_method !== "declared" && nameKey(present.name) === key)
    return { industry: present.industry, industry_method: present.industry_method };
  const classified = classify({ nameKey: key });
  return "reason" in classified || classified.method !== "name_rule"
    ? { industry: null, industry_method: "unclassified" }
    : { industry: classified.industry, industry_method: "name_rule" };
}

/** How many principals must have named a contact before it is taught. */
export const MIN_TEACHERS = 2;

/** The address that is shown, among those that are taught. */
function websiteOf(taught: readonly Said[]): string | null {
  const named = taught.filter(({ principal }) => principal !== undefined);
  const ofKey = leading(named, ({ website }) => website?.matchKey);
  if (principals(ofKey) < MIN_TEACHERS) return null;
  return leading(ofKey, ({ website }) => website?.url)[0]?.website?.url ?? null;
}

/** The rows with the value that most principals gave; of several such values the one that was given first. */
function leading(rows: readonly Said[], given: (said: Said) => string | undefined): readonly Said[] {
  return leaders(rows, given)[0] ?? [];
}

/** The rows with each of the values that most principals gave, in the order in which the values were given. */
function leaders(rows: readonly Said[], given: (said: Said) => string | undefined): readonly Said[][] {
  const groups = [
    ...Map.groupBy(
      rows.filter((said) => given(said) !== undefined),
      given,
    ).values(),
  ];
  const most = Math.max(...groups.map(principals));
  return groups.filter((group) => principals(group) === most);
}

/** The built-in sources are one principal. */
function principals(rows: readonly Said[]): number {
  return new Set(rows.map(({ principal }) => principal)).size;
}

// Emoji, flags, arrows, boxes and dingbats; not the marks of trade and copyright, and no punctuation.
const PICTOGRAPH =
  /[[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}[\p{So}&&[\u2190-\u2bff]]]--[\p{L}\p{N}\p{P}©®™]][\ufe0e\ufe0f\u200d\u{e0020}-\u{e007f}]*/gv;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
// What a number or a pictograph leaves behind: empty brackets, and separators at an end.
const EMPTY_BRACKETS = /\(\s*\)|\[\s*\]/g;
const DANGLING_START = /^[\s,;:|/–—-]+/;
const DANGLING_END = /[\s,;:|/–—-]+$/;

/**
 * A cleaned name as it is published: without pictographs and store numbers; other punctuation stays. One that would lose letters of
 * its key, or all that it has, is published as it came.
 */
export function displayName(name: string): string {
  const bare = withoutStoreNumbers(name.replace(PICTOGRAPH, pictograph));
  if (bare === name) return name;
  const tidy = bare.replace(EMPTY_BRACKETS, " ").replace(DANGLING_START, "").replace(DANGLING_END, "");
  const shown = cleanName(tidy);
  return "name" in shown && nameKey(shown.name) === nameKey(name) ? shown.name : name;
}

/** Letters in boxes, such as 🈚, are letters of the name. */
function pictograph(text: string): string {
  return LETTER_OR_DIGIT.test(text.normalize("NFKD")) ? text : " ";
}
