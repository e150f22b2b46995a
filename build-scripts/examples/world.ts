import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { INDUSTRIES } from "../../src/contract/cities/industry.ts";
import { type Home, homePaths } from "../../src/kernel/home.ts";
import type { ReadContext } from "../../src/resources/define.ts";
import { contextAt } from "../../src/resources/release-store.ts";
import { buildSnapshot } from "../../src/snapshot/build.ts";
import { ReleaseSettings } from "../../src/snapshot/release-settings.ts";
import { GAZETTEER } from "./cast.ts";
import { exampleActivity, exampleDemand, exampleReportCounts } from "./example-counts.ts";
import { writeExampleLedger } from "./example-ledger.ts";

const AS_OF = Date.parse("2026-06-30T00:00:00Z");

/**
 * Runs `work` in the example world: a small invented release, the same on every machine and at every time, whose responses are the published examples.
 * It is in a temporary folder, which is removed afterwards. The home has no state yet.
 */
export async function withExampleContext<T>(
  work: (context: ReadContext, home: Home) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "presence-examples-"));
  try {
    const home = homePaths(folder);
    const out = join(folder, "snapshot.db");
    buildSnapshot({
      ledgerPath: home.ledger,
      out,
      treeSize: writeExampleLedger(home),
      asOf: AS_OF,
      settings: ReleaseSettings.parse({
        baseUrl: "https://presence.example",
        sourceRevision: "example",
        externalTimestamping: true,
        activity: exampleActivity(AS_OF),
        demand: exampleDemand(AS_OF),
        reportCounts: exampleReportCounts(AS_OF),
      }),
      reference: { gazetteer: GAZETTEER, industries: INDUSTRIES },
    });
    const context = contextAt(out);
    try {
      return await work(context, home);
    } finally {
      context.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
