import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BuildEffects, readEarlierSite } from "../../src/build/effects.ts";
import type { LedgerPublication } from "../../src/build/ledger/ledger-documents.ts";
import { writeLedgerFiles, writeTiles } from "../../src/build/ledger/ledger-files.ts";
import { homePaths, releasePaths } from "../../src/kernel/home.ts";
import { openLedgerReader } from "../../src/ledger/reader.ts";
import { openLedgerWriter } from "../../src/ledger/writer.ts";
import { BENCH_END } from "./intake.ts";
import { watchTree } from "./processes.ts";
import { type BenchLine, boundLine, speedLine } from "./table.ts";

const MAX_SECONDS = { nothing: 10, night: 0.5, verify: 20 };
const MAX_VERIFY_MB = 500;
const NIGHT_ROWS = 10_000;
const cli = join(import.meta.dirname, "../../src/cli/cli.ts");

/** Publishing and checking the ledger of the release that lies in `home`. The ledger grows by one night. */
export async function benchLedger(home: string): Promise<BenchLine[]> {
  const site = releasePaths(realpathSync(homePaths(home).current)).site;
  spawnSync("sync"); // what the build has written shall not be written meanwhile
  const { seconds, peakMb } = await verify(home);
  const tiles = publish(home, undefined, (publication) =>
    writeTiles(publication, publication.reader.checkpoints()),
  );
  const nothing = publish(home, undefined);
  appendNight(home);
  const night = publish(home, site);
  const rows = `${nothing.rows.toLocaleString("en-US")} rows`;
  return [
    boundLine(`tiles of ${rows} from nothing`, "s", tiles.seconds, MAX_SECONDS.nothing),
    speedLine(
      "all ledger files from nothing, disclosures included",
      "rows/s",
      nothing.rows / nothing.seconds,
      tiles.rows / tiles.seconds,
    ),
    boundLine("the same after a night of 10,000 more rows", "s", night.seconds, MAX_SECONDS.night),
    boundLine(`presence verify of ${rows}: time`, "s", seconds, MAX_SECONDS.verify),
    boundLine("presence verify: memory", "MB", peakMb, MAX_VERIFY_MB),
  ];
}

function publish(
  home: string,
  earlierSite: string | undefined,
  write: (publication: LedgerPublication) => unknown = (publication) =>
    writeLedgerFiles(publication, () => undefined),
): { rows: number; seconds: number } {
  const out = join(home, "bench-ledger");
  mkdirSync(out);
  using reader = openLedgerReader(homePaths(home).ledger);
  const treeSize = reader.latestCheckpoint()?.size ?? 0;
  const earlier = readEarlierSite(earlierSite);
  const start = performance.now();
  const effects = new BuildEffects(out, earlier);
  write({ reader, effects, earlier, treeSize, asOf: BENCH_END });
  const seconds = (performance.now() - start) / 1000;
  rmSync(out, { recursive: true });
  return { rows: treeSize, seconds };
}

function appendNight(home: string): void {
  const { ledger, keys } = homePaths(home);
  using writer = openLedgerWriter(ledger, { keysDir: keys, clock: () => BENCH_END });
  writer.transaction(() => {
    for (let added = 0; added < NIGHT_ROWS; added += 1)
      writer.append({ kind: "status", body: { record: added + 1, status: "claimed" } });
  });
  writer.seal({ now: true });
}

async function verify(home: string): Promise<{ seconds: number; peakMb: number }> {
  const start = performance.now();
  const child = spawn(process.execPath, [cli, "verify"], {
    env: { PRESENCE_HOME: home },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const tree = watchTree(child.pid ?? 0);
  await once(child, "exit");
  const { treeMb } = tree.stop();
  if (child.exitCode !== 0) throw new Error("presence verify found faults in the release of the bench");
  return { seconds: (performance.now() - start) / 1000, peakMb: treeMb };
}
