import type { Database } from "better-sqlite3";
import { type ReleaseRow, SEAL, type SealRow } from "../rows.ts";
import { release } from "../tables/release.ts";
import { selection } from "../tables/selection.ts";

export interface ReleaseQueries {
  release(): ReleaseRow;
  /** Seals that the release's tree covers, newest first. */
  seals(): SealRow[];
}

export function releaseQueries(db: Database): ReleaseQueries {
  const stored = selection(release.columns).prepare(db, "FROM release").get();
  if (stored === undefined) throw new Error("snapshot without a release row");
  const { emailDelivery: email, webhooksDelivered: webhooks, ...row } = stored;
  const releaseRow = { ...row, delivery: { email, webhooks } };
  const seals = SEAL.prepare(db, "FROM seals ORDER BY row DESC");
  return { release: () => releaseRow, seals: () => seals.all() };
}
