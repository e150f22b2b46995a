import type { Database } from "better-sqlite3";
import { selection } from "../../kernel/table.ts";
import { type ReleaseRow, SEAL } from "../rows.ts";
import { release } from "../tables/release.ts";

export function releaseQueries(db: Database) {
  const stored = selection(release.columns).prepare(db, "FROM release").get();
  if (stored === undefined) throw new Error("snapshot without a release row");
  const { emailDelivery: email, webhooksDelivered: webhooks, ...row } = stored;
  const releaseRow: ReleaseRow = { ...row, delivery: { email, webhooks } };
  return {
    release: () => releaseRow,
    /** Seals that the release's tree covers, newest first. */
    seals: SEAL.prepare(db, "FROM seals ORDER BY row DESC").all,
  };
}
