import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { homePaths, releasePaths } from "../../src/kernel/home.ts";
import type { RecordDocuments } from "../../src/kernel/record-documents.ts";
import { openLedgerWriter } from "../../src/ledger/writer.ts";
import { bareFileRate, bareSnapshotRate } from "./bare-work.ts";
import { BENCH_END } from "./intake.ts";
import type { BenchLine } from "./line.ts";
import { measuredBuild } from "./measured-build.ts";
import { sizeOf } from "./size.ts";
import { amountLine, boundLine, speedLine } from "./table.ts";

const Stage = z.object({ stage: z.string(), seconds: z.number() });

export const SETTINGS = { baseUrl: "https://bench.example", sourceRevision: "bench" };
const MAX_SECONDS = 120;
const MAX_MB = 1500;

/** A full release of the ledger in `home`, by the command line in processes of its own. */
export async function benchRelease(home: string, documents: RecordDocuments): Promise<BenchLine[]> {
  const { ledger, buildLog } = homePaths(home);
  const sealSeconds = seal(home);
  const built = await measuredBuild({ home, documents, ...SETTINGS });
  const { site, snapshot } = releasePaths(built.directory);
  const seconds = stageSeconds(buildLog);
  const bareRows = bareSnapshotRate(ledger, snapshot, built.rows);
  const bare = bareFileRate(site, join(home, "bare"));
  const fileSeconds = (seconds.get("emit") ?? 0) + (seconds.get("pages") ?? 0);
  const what = `release of ${built.rows.toLocaleString("en-US")} rows, ${built.records.toLocaleString("en-US")} records`;
  return [
    speedLine("seal", "rows/s", built.rows / sealSeconds, bareRows),
    speedLine("snapshot", "rows/s", built.rows / (seconds.get("snapshot") ?? 0), bareRows),
    speedLine("files emitted, twins and pages included", "files/s", bare.files / fileSeconds, bare.perSecond),
    boundLine(`${what}: time`, "s", built.seconds, MAX_SECONDS),
    boundLine(`${what}: memory of all its processes`, "MB", built.peaks.treeMb, MAX_MB),
    amountLine(`${what}: files`, "files", bare.files),
    amountLine(`${what}: size on disk`, "MB", sizeOf(built.directory).megabytes),
    amountLine(
      `ledger of ${built.rows.toLocaleString("en-US")} rows: size`,
      "MB",
      statSync(ledger).size / 1e6,
    ),
  ];
}

function seal(home: string): number {
  const { ledger, keys: keysDir } = homePaths(home);
  using writer = openLedgerWriter(ledger, { keysDir, clock: () => BENCH_END });
  const start = performance.now();
  writer.seal({ now: true });
  return (performance.now() - start) / 1000;
}

function stageSeconds(buildLog: string): Map<string, number> {
  const lines = readFileSync(buildLog, "utf8").trim().split("\n");
  return new Map(
    lines.map((line) => Stage.parse(JSON.parse(line))).map(({ stage, seconds }) => [stage, seconds]),
  );
}
