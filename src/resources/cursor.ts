import { z } from "zod";
import { PublicError } from "../kernel/errors.ts";
import { sha256Base64url } from "../kernel/hash.ts";
import { parseUntrustedJson } from "../kernel/text/untrusted-json.ts";

/** Position in a frozen list: the list, its snapshot, and the number of returned rows. */
export interface Place {
  /** UUID of the snapshot behind all pages: a city's snapshot id or a release id. */
  readonly snapshotId: string;
  /** Everything that selects the list and its order: name, city or record, and filters. A cursor is valid only for these. */
  readonly filters: readonly (string | null)[];
  readonly offset: number;
  /** Position of the last returned row, in lists where skipping `offset` rows would be slow. */
  readonly after?: number | undefined;
}

const KEY_LENGTH = 22;

const Wire = z.tuple([
  z.uuid(),
  z.string().length(KEY_LENGTH),
  z.int().positive(),
  z.int().positive().optional(),
]);

/** Maximum length of a cursor. `writeCursor` always stays below it. */
const MAX_LENGTH = 200;

/** Encodes a cursor. Unsigned, because it contains only public data and `readCursor` checks it. Filters are hashed to keep it short. */
export function writeCursor({ snapshotId, filters, offset, after }: Place): string {
  const key = keyOf(filters);
  return encode(after === undefined ? [snapshotId, key, offset] : [snapshotId, key, offset, after]);
}

/** Throws PublicError 400 for text that `writeCursor` did not produce, and for a cursor of other filters. */
export function readCursor(text: string, filters: Place["filters"]): Place {
  const parsed = decode(text);
  if (parsed === undefined || encode(parsed) !== text)
    throw cursorFault("is malformed: restart without a cursor");
  const [snapshotId, key, offset, after] = parsed;
  if (key !== keyOf(filters))
    throw cursorFault(
      "belongs to other filters or another sort order: repeat these, or restart without a cursor",
    );
  return { snapshotId, filters, offset, after };
}

/** Number of rows before a cursor's page; 0 without a cursor and for a malformed one. */
export function rowsBefore(cursor: string | undefined): number {
  return (cursor === undefined ? undefined : decode(cursor))?.[2] ?? 0;
}

export function cursorFault(text: string): PublicError {
  return new PublicError(400, `cursor ${text}`);
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
