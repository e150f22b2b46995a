import type { PageFields } from "../contract/paging.ts";
import { PublicError } from "../kernel/errors.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { cursorFault, type Place, readCursor, writeCursor } from "./cursor.ts";
import type { ReadContext } from "./define.ts";

/** A list that is read page by page, all pages from the snapshot of the first one. */
export interface FrozenList {
  /** The list's name, its city or record, and each filter, those that were not given as null. */
  readonly filters: Place["filters"];
  /** The snapshot that a cursor names, or undefined when it is gone: `context.citySnapshot` or `context.releaseSnapshot`. */
  keptSnapshot(snapshotId: string): Snapshot | undefined;
}

/** Where a page starts: `offset` rows into the list as it is in `snapshot`; `after` as in `Place`. */
export interface PageStart {
  readonly snapshot: Snapshot;
  readonly offset: number;
  readonly after?: number | undefined;
}

/** Reads the cursor of a request. Throws PublicError 400 for one of another request, 410 for a snapshot that is gone. */
export function pageStart(context: ReadContext, list: FrozenList, cursor: string | undefined): PageStart {
  if (cursor === undefined) return { snapshot: context.snapshot, offset: 0 };
  const { snapshotId, offset, after } = readCursor(cursor, list.filters);
  const snapshot = list.keptSnapshot(snapshotId);
  if (snapshot === undefined)
    throw new PublicError(410, "the snapshot of this cursor has expired; restart without cursor");
  return { snapshot, offset, after };
}

/** The way on from a page that holds `returned` rows, the last of which lies at `last`. Throws PublicError 400 when its cursor points past the end of the list. */
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
