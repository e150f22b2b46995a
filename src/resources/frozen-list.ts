import type { PageFields } from "../contract/envelope.ts";
import { PublicError } from "../kernel/errors.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { cursorFault, type Place, readCursor, writeCursor } from "./cursor.ts";
import type { ReadContext } from "./define.ts";

/** A paged list. All pages come from the first page's snapshot. */
export interface FrozenList {
  /** The list's name, its city or record, and its filters; null for omitted ones. */
  readonly filters: Place["filters"];
  /** Returns a cursor's snapshot, or undefined when it has expired: `context.citySnapshot` or `context.releaseSnapshot`. */
  keptSnapshot(snapshotId: string): Snapshot | undefined;
}

/** Reads a request's cursor: the page starts `offset` rows into the list of `snapshot`; `after` as in `Place`. Throws PublicError 400 for a cursor of another request, 410 for an expired snapshot. */
export function pageStart(context: ReadContext, list: FrozenList, cursor: string | undefined) {
  if (cursor === undefined) return { snapshot: context.snapshot, offset: 0 };
  const { snapshotId, offset, after } = readCursor(cursor, list.filters);
  const snapshot = list.keptSnapshot(snapshotId);
  if (snapshot === undefined)
    throw new PublicError(410, "the cursor's snapshot has expired: restart without a cursor");
  return { snapshot, offset, after };
}

/** Returns the paging fields after a page of `returned` rows whose last row is at `last`. Throws PublicError 400 for a cursor past the end. */
export function wayOn(
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
