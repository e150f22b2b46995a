import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { INDUSTRIES } from "../../src/contract/cities/industry.ts";
import { type Home, homePaths } from "../../src/kernel/home.ts";
import { seededBytes } from "../../src/kernel/seeded.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../src/kernel/time.ts";
import { createLedger } from "../../src/ledger/database/ledger-file.ts";
import { type LedgerWriter, openLedgerWriter } from "../../src/ledger/writer.ts";
import type { ReadContext } from "../../src/resources/define.ts";
import { contextAt } from "../../src/resources/release-store.ts";
import { buildSnapshot } from "../../src/snapshot/build.ts";
import { ReleaseSettings } from "../../src/snapshot/release-settings.ts";
import { CITIES, GAZETTEER } from "./cast.ts";
import { exampleActivity, exampleDemand, exampleReportCounts } from "./example-counts.ts";
import { ExampleRows } from "./example-rows.ts";
import { nights } from "./story.ts";

const ORIGIN = "presence.example/ledger";
const SEED = "example world: its keys are no secret and prove nothing";
const INTAKE_TIME = DAY_MS - HOUR_MS; // of a UTC day
const SEAL_TIME = DAY_MS + 300 * SECOND_MS; // the same, after midnight
const AUTHORITY = "tsa.example";

/** Writes the example world to a new ledger and seals each night but the last, whose rows stay unsealed. Returns the size of the newest signed tree. */
export function writeExampleLedger(home: Home): number {
  const random = seededBytes(SEED);
  let time = 0;
  const options = { keysDir: home.keys, clock: () => time, random };
  createLedger(home.ledger, { ...options, environment: "demo", origin: ORIGIN });
  using ledger = openLedgerWriter(home.ledger, options);
  const rows = new ExampleRows(ledger);
  const story = nights();
  let treeSize = 0;
  for (const [at, { date, sightings, decide }] of story.entries()) {
    time = Date.parse(date) + INTAKE_TIME;
    if (at === 0) for (const city of CITIES) rows.found(city);
    rows.takeIn(sightings);
    decide?.(rows);
    if (at === story.length - 1) break;
    time = Date.parse(date) + SEAL_TIME;
    treeSize = ledger.seal({ now: false }).checkpoint?.size ?? treeSize;
    timeStamp(ledger);
  }
  return treeSize;
}

/** Timestamps each seal a night later, so the newest one is pending. The timestamps are invented. */
function timeStamp(ledger: LedgerWriter): void {
  const [, ...answered] = ledger.requestProofs(AUTHORITY, 10);
  ledger.recordProofs(
    answered.map(({ size }) => ({
      size,
      provider: AUTHORITY,
      status: "verified",
      token: Buffer.from(`example time stamp ${size}`),
    })),
  );
}

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
