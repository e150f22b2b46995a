import { z } from "zod";
import type { PageFields } from "../contract/envelope.ts";
import { PublicError } from "../kernel/errors.ts";
import { sha256Base64url } from "../kernel/hash.ts";
import { parseUntrustedJson } from "../kernel/text/json.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import type { ReadContext } from "./define.ts";

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
  return new PublicError(400, `cursor ${text}`, { code: "invalid_cursor" });
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

/** A paged list. All pages come from the first page's snapshot. */
export interface FrozenList {
  /** The list's name, its city or record, and its filters; null for omitted ones. */
  readonly filters: Place["filters"];
  /** Returns a cursor's snapshot, or undefined when it has expired: `context.citySnapshot` or `context.releaseSnapshot`. */
  earlierSnapshot(snapshotId: string): Snapshot | undefined;
}

/** Reads a request's cursor: the page starts `offset` rows into the list of `snapshot`; `after` as in `Place`. Throws PublicError 400 for a cursor of another request, 410 for an expired snapshot. */
export function pageStart(context: ReadContext, list: FrozenList, cursor: string | undefined) {
  if (cursor === undefined) return { snapshot: context.snapshot, offset: 0 };
  const { snapshotId, offset, after } = readCursor(cursor, list.filters);
  const snapshot = list.earlierSnapshot(snapshotId);
  if (snapshot === undefined)
    throw new PublicError(410, "the cursor's snapshot has expired: restart without a cursor", {
      code: "cursor_expired",
    });
  return { snapshot, offset, after };
}

/** Returns the paging fields after a page of `returned` rows whose last row is at `last`. Throws PublicError 400 for a cursor past the end. */
export function pagingFields(
  { snapshotId, filters, offset }: Place,
  returned: number,
  hasMore: boolean,
  last?: number,
): Pick<PageFields, "has_more" | "next_cursor"> {
  if (offset > 0 && returned === 0)
    throw cursorFault("points past the end of the list: restart without a cursor");
  return {
    has_more: hasMore,
    next_cursor: hasMore
      ? writeCursor({ snapshotId, filters, offset: offset + returned, after: last })
      : null,
  };
}
