import type { PageFields } from "../contract/paging.ts";
import { PublicError } from "../kernel/errors.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { cursorFault, type Place, readCursor, writeCursor } from "./cursor.ts";
import type { ReadContext } from "./define.ts";

/** A paged list; all pages come from the snapshot of the first one. */
export interface FrozenList {
  /** The list's name, its city or record, and each filter; null for an absent filter. */
  readonly filters: Place["filters"];
  /** The snapshot that a cursor names, or undefined when it was deleted: `context.citySnapshot` or `context.releaseSnapshot`. */
  keptSnapshot(snapshotId: string): Snapshot | undefined;
}

/** The start of a page: `offset` rows into the list in `snapshot`; `after` as in `Place`. */
export interface PageStart {
  readonly snapshot: Snapshot;
  readonly offset: number;
  readonly after?: number | undefined;
}

/** Reads a request's cursor. Throws PublicError 400 for a cursor of another request, 410 for a deleted snapshot. */
export function pageStart(context: ReadContext, list: FrozenList, cursor: string | undefined): PageStart {
  if (cursor === undefined) return { snapshot: context.snapshot, offset: 0 };
  const { snapshotId, offset, after } = readCursor(cursor, list.filters);
  const snapshot = list.keptSnapshot(snapshotId);
  if (snapshot === undefined)
    throw new PublicError(410, "the snapshot of this cursor has expired; restart without cursor");
  return { snapshot, offset, after };
}

/**
 * The cursor of the page after one with `returned` rows, the last of which is at `last`. Throws PublicError 400 when the page's own
 * cursor is past the end of the list.
 */
export function wayOn(
  { snapshotId, filters, offset }: Place,
  returned: number,
  hasMore: boolean,
  last?: number,
): Pick<PageFields, "has_more" | "next_cursor"> {
  if (offset > 0 && returned === 0) throw cursorFault("points past the end; restart without cursor");
  return {
    has_more: hasMore,
    next_cursor: hasMore
      ? writeCursor({ snapshotId, filters, offset: offset + returned, after: last })
      : null,
  };
}
