/** What a release says of each record, by ledger row: name, website, gate, score, events. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { GazetteerCity } from "../../../../src/contract/cities/city.ts";
import { INDUSTRIES } from "../../../../src/contract/cities/industry.ts";
import type { LedgerWriter } from "../../../../src/ledger/writer.ts";
import { buildSnapshot } from "../../../../src/snapshot/build.ts";
import { ReleaseSettings } from "../../../../src/snapshot/release-settings.ts";

const FACTS = `
SELECT id, json_array(name, website, gate_status, ranking_state, standing ->> 'pps', (
  SELECT json_group_array(json_array(type, detected_at, confidence) ORDER BY type, detected_at) FROM events WHERE record = records.id
)) AS facts FROM records`;

export type ReleasedFacts = ReadonlyMap<number, string>;

export function releasedFacts(ledger: LedgerWriter, city: GazetteerCity): ReleasedFacts {
  const folder = mkdtempSync(join(tmpdir(), "presence-released-"));
  try {
    const out = join(folder, "snapshot.db");
    ledger.seal({ now: true });
    buildSnapshot({
      ledgerPath: ledger.path,
      out,
      treeSize: ledger.nextId() - 1,
      asOf: ledger.now(),
      settings: ReleaseSettings.parse({ baseUrl: "https://example.org", sourceRevision: "test" }),
      reference: { gazetteer: [city], industries: INDUSTRIES },
    });
    const database = new Database(out, { readonly: true });
    const rows = database.prepare<[], { id: number; facts: string }>(FACTS).all();
    database.close();
    return new Map(rows.map(({ id, facts }) => [id, facts]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
