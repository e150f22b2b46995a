import { z } from "zod";
import { PublicError } from "../kernel/errors.ts";
import { parseUntrustedJson } from "../kernel/untrusted-json.ts";

/** Which frozen list a cursor pages through, and how many of its rows were already given. */
export interface Place {
  readonly snapshotId: string;
  /** What selects the list: the city, its filters and its order. A cursor answers only the request it was made for. */
  readonly filters: readonly (string | null)[];
  readonly offset: number;
}

const Wire = z.tuple([z.uuid(), z.array(z.string().nullable()).max(8), z.int().positive()]);

/** Longest cursor that is looked at: two filters of the longest accepted text fit. */
const MAX_LENGTH = 4000;

/** Opaque and unsigned: it names public things only, and `readCursor` checks its bounds. */
export function writeCursor(place: Place): string {
  return Buffer.from(JSON.stringify([place.snapshotId, place.filters, place.offset])).toString("base64url");
}

/** Throws PublicError 400 for what `writeCursor` did not make, and for a cursor of other filters. */
export function readCursor(text: string, filters: Place["filters"]): Place {
  const parsed = Wire.safeParse(text.length <= MAX_LENGTH ? decode(text) : undefined);
  if (!parsed.success) throw cursorFault("is malformed; restart without cursor");
  const [snapshotId, given, offset] = parsed.data;
  const place = { snapshotId, filters: given, offset };
  if (writeCursor(place) !== text) throw cursorFault("is malformed; restart without cursor");
  if (JSON.stringify(given) !== JSON.stringify(filters))
    throw cursorFault("belongs to other filters or another sort; repeat them or restart without cursor");
  return place;
}

/** How many rows come before the page that a cursor leads to; none before the first, and none for what is no cursor. */
export function rowsBefore(cursor: string | undefined): number {
  const parsed = Wire.safeParse(cursor === undefined ? undefined : decode(cursor));
  return parsed.success ? parsed.data[2] : 0;
}

export function cursorFault(text: string): PublicError {
  return new PublicError(400, `parameter cursor: ${text}`);
}

function decode(text: string): unknown {
  try {
    return parseUntrustedJson(Buffer.from(text, "base64url").toString());
  } catch {
    return undefined;
  }
}
