import type { z } from "zod";
import { faultWords, PLAIN_FAULTS } from "../contract/faults.ts";
import { PublicError } from "../kernel/errors.ts";

/** What an operation answers when nothing went wrong. */
export interface Reply {
  readonly status: 200 | 201 | 202;
  readonly body: object;
}

/**
 * A request body or form by its schema. Throws PublicError 400 that names the first field that is wrong; `fields` has the first fault of each.
 */
export function parseFields<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new PublicError(400, "the body must be a JSON object");
  // Schemas pass over this one name in silence.
  if (Object.hasOwn(value, "__proto__")) throw new PublicError(400, "unknown field: __proto__");
  const parsed = schema.safeParse(value, PLAIN_FAULTS);
  if (parsed.success) return parsed.data;
  const fields = new Map<string, string>();
  for (const issue of parsed.error.issues) {
    if (issue.code === "unrecognized_keys")
      throw new PublicError(400, `unknown field: ${issue.keys.join(", ").slice(0, 200)}`);
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
