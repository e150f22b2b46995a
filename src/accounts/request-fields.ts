import type { z } from "zod";
import { faultWords, PLAIN_FAULTS, shownNames } from "../contract/faults.ts";
import { PublicError } from "../kernel/errors.ts";

/** Parses a request body or form. Throws PublicError 400 that names the first wrong field; its detail `fields` has the first fault of each. */
export function parseFields<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new PublicError(400, "the body must be a JSON object");
  // Schemas ignore this one name.
  if (Object.hasOwn(value, "__proto__")) throw new PublicError(400, "unknown field: __proto__");
  const parsed = schema.safeParse(value, PLAIN_FAULTS);
  if (parsed.success) return parsed.data;
  const fields = new Map<string, string>();
  for (const issue of parsed.error.issues) {
    if (issue.code === "unrecognized_keys")
      throw new PublicError(400, `unknown field: ${shownNames(issue.keys)}`);
    const name = String(issue.path[0] ?? "body");
    if (!fields.has(name)) fields.set(name, faultWords(issue));
  }
  const [first] = fields;
  throw new PublicError(400, first?.join(" ") ?? "the body is invalid", {
    fields: Object.fromEntries(fields),
  });
}

export function fieldError(name: string, problem: string): PublicError {
  return new PublicError(400, `${name} ${problem}`, { fields: { [name]: problem } });
}
