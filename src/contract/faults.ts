/** Plain English for values that fail a schema, shared by REST, forms and MCP. */

import type { z } from "zod";

/** Options for `safeParse`: words a check that has no message of its own, and keeps the input for `faultSentence`. */
export const PLAIN_FAULTS: z.core.ParseContext<z.core.$ZodIssue> = {
  error: (issue) => wording(issue),
  reportInput: true,
};

/** Short and free of markup, addresses and line breaks, so that an error can safely repeat it. */
const REPEATABLE = /^[\w.:+-]{1,40}$/;

/** Returns the fault without the name of the value: `must be between 1 and 100 (got 0)`. */
export function faultWords({ message, input }: z.core.$ZodIssue): string {
  const value = typeof input === "string" || typeof input === "number" ? String(input) : "";
  return REPEATABLE.test(value) ? `${message} (got ${value})` : message;
}

/** Returns the fault as a sentence without a full stop: `limit must be between 1 and 100 (got 0)`. */
export function faultSentence(issue: z.core.$ZodIssue): string {
  return `${issue.path.map(String).join(".")} ${faultWords(issue)}`;
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
