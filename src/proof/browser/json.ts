import { FormatError } from "../tlog/bytes.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Throws FormatError unless the text is one JSON object; `what` names it. */
export function parseObject(what: string, text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Reported below.
  }
  throw new FormatError(`${what} is not a JSON object`);
}

/** A value as people read it: a text as it is, anything else as JSON. */
export function shown(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "missing");
}
