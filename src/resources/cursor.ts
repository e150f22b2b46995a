import { z } from "zod";
import { PublicError } from "../kernel/errors.ts";
import { sha256Base64url } from "../kernel/hash.ts";
import { parseUntrustedJson } from "../kernel/text/untrusted-json.ts";

/** Position in a frozen list: which list, from which snapshot, and how many of its rows were already returned. */
export interface Place {
  /** UUID of the snapshot that all pages come from: a city's snapshot id, or the id of a release. */
  readonly snapshotId: string;
  /** What selects the list and its order: its name, its city or record, each filter. A cursor answers only the request it was made for. */
  readonly filters: readonly (string | null)[];
  readonly offset: number;
  /** Where the last returned row lies, in lists that are continued from there because skipping `offset` rows is slow. */
  readonly after?: number | undefined;
}

const KEY_LENGTH = 22;

const Wire = z.tuple([
  z.uuid(),
  z.string().length(KEY_LENGTH),
  z.int().positive(),
  z.int().positive().optional(),
]);

/** Longest text that is decoded; `writeCursor` stays below it whatever the filters are. */
const MAX_LENGTH = 200;

/** Opaque and unsigned: it names public things only, and `readCursor` checks its bounds. Filters are hashed, so it stays short. */
export function writeCursor({ snapshotId, filters, offset, after }: Place): string {
  const key = keyOf(filters);
  return encode(after === undefined ? [snapshotId, key, offset] : [snapshotId, key, offset, after]);
}

/** Throws PublicError 400 for what `writeCursor` did not make, and for a cursor of other filters. */
export function readCursor(text: string, filters: Place["filters"]): Place {
  const parsed = decode(text);
  if (parsed === undefined || encode(parsed) !== text)
    throw cursorFault("is malformed; restart without cursor");
  const [snapshotId, key, offset, after] = parsed;
  if (key !== keyOf(filters))
    throw cursorFault("belongs to other filters or another sort; repeat them or restart without cursor");
  return { snapshotId, filters, offset, after };
}

/** Number of rows before the page that a cursor leads to; 0 without a cursor and for a malformed one. */
export function rowsBefore(cursor: string | undefined): number {
  return (cursor === undefined ? undefined : decode(cursor))?.[2] ?? 0;
}

export function cursorFault(text: string): PublicError {
  return new PublicError(400, `parameter cursor: ${text}`);
}

function keyOf(filters: Place["filters"]): string {
  return sha256Base64url(JSON.stringify(filters)).slice(0, KEY_LENGTH);
}

function encode(wire: z.infer<typeof Wire>): string {
  return Buffer.from(JSON.stringify(wire)).toString("base64url");
}

function decode(text: string): z.infer<typeof Wire> | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  try {
    return Wire.safeParse(parseUntrustedJson(Buffer.from(text, "base64url").toString())).data;
  } catch {
    return undefined;
  }
}
