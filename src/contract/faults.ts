/** Plain English for values that fail a schema, shared by REST, forms and MCP. */

import { z } from "zod";
import { PublicError } from "../kernel/errors.ts";
import { nearestName } from "../kernel/text/near-name.ts";

/** Options for `safeParse`: words a check that has no message of its own, and keeps the input for `faultSentence`. */
export const PLAIN_FAULTS: z.core.ParseContext<z.core.$ZodIssue> = {
  error: (issue) => wording(issue),
  reportInput: true,
};

/** Short and free of markup, addresses and line breaks, so that an error can safely repeat it. */
const REPEATABLE = /^[\w.:+-]{1,40}$/;

const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;

/** Returns the fault without the name of the value: `must be between 1 and 100 (got 0)`, `must be a date (got "soon")`. */
export function faultWords({ message, input }: z.core.$ZodIssue): string {
  return withValue(message, input, typeof input === "string");
}

/** Returns the fault as a sentence without a full stop: `limit must be between 1 and 100 (got 0)`. */
export function faultSentence(issue: z.core.$ZodIssue): string {
  return `${nameIn(issue)} ${faultWords(issue)}`;
}

/** The same for a value of a URL, where a number is text, too. */
export function queryFaultSentence(issue: z.core.$ZodIssue): string {
  const { message, input } = issue;
  return `${nameIn(issue)} ${withValue(message, input, typeof input === "string" && !NUMBER.test(input))}`;
}

function nameIn({ path }: z.core.$ZodIssue): string {
  return path.map(String).join(".");
}

function withValue(message: string, input: unknown, isQuoted: boolean): string {
  if (typeof input !== "string" && typeof input !== "number") return message;
  const text = String(input);
  return REPEATABLE.test(text) ? `${message} (got ${isQuoted ? quoted(text) : text})` : message;
}

const MAX_QUOTED = 80; // characters
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** A stranger's text inside an error: in quotation marks, short, and without characters that hide or move others. */
export function quoted(text: string): string {
  const short = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
  return JSON.stringify(short).replace(UNSEEN, (character) =>
    Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(""),
  );
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}

const MAX_NAMES = 5;

/** Names that a stranger gave to members or parameters; a plain one needs no quotation marks. */
export function shownNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map((name) => (REPEATABLE.test(name) ? name : quoted(name)));
  return [...shown, ...(names.length > MAX_NAMES ? ["…"] : [])].join(", ");
}

/** Names that other interfaces give to our parameters and that no count of slips leads to. */
const ALIASES: Readonly<Record<string, string>> = {
  q: "name",
  query: "name",
  page: "cursor",
  offset: "cursor",
  per_page: "limit",
  page_size: "limit",
  category: "industry",
  id: "public_id",
  from: "since",
  url: "website",
};

/** What a schema of an object knows. */
export function memberNames(schema: z.ZodType): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** The error for parameters, or for members of a body, that are not among `known`: `unknown parameter: q; did you mean name?`. */
export function unknownName(
  what: "parameter" | "field",
  names: readonly string[],
  known: readonly string[],
): PublicError {
  const [typed = ""] = names;
  const alias = Object.hasOwn(ALIASES, typed) ? ALIASES[typed] : undefined;
  const meant = alias !== undefined && known.includes(alias) ? alias : nearestName(typed.slice(0, 40), known);
  const unknown = `unknown ${what}: ${shownNames(names)}`;
  const code = `unknown_${what}` as const;
  return meant === undefined
    ? new PublicError(400, unknown, { code })
    : new PublicError(400, `${unknown}; did you mean ${meant}?`, { code, did_you_mean: meant });
}

const NOUNS: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  array: "an array",
  object: "an object",
};

function wording(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is required" : `must be ${NOUNS[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be one of ${issue.values.join(", ")}`;
    case "too_small":
      return `must ${sizeWords(issue.origin, "at least", Number(issue.minimum))}`;
    case "too_big":
      return `must ${sizeWords(issue.origin, "at most", Number(issue.maximum))}`;
    default:
      return undefined;
  }
}

function sizeWords(origin: string, bound: string, size: number): string {
  if (origin === "string") return `be ${bound} ${size} characters long`;
  return origin === "array" ? `have ${bound} ${size} items` : `be ${bound} ${size}`;
}
