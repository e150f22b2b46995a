import { realpathSync } from "node:fs";
import { Readable } from "node:stream";
import { ingest } from "../../src/intake/ingest.ts";
import type { ObservationInput } from "../../src/intake/lines/observation-input.ts";
import { classifier, loadClassifierReference } from "../../src/intake/matching/classify.ts";
import { takeIn } from "../../src/intake/take-in/take-in.ts";
import { homePaths, releasePaths } from "../../src/kernel/home.ts";
import { systemRandom } from "../../src/kernel/ids.ts";
import type { RecordDocuments } from "../../src/kernel/record-documents.ts";
import { DAY_MS } from "../../src/kernel/time.ts";
import { openLedgerWriter } from "../../src/ledger/writer.ts";
import {
  benchObservations,
  ndjsonChunks,
  type WorldOptions,
} from "../../tests/support/towns/observations.ts";
import { BENCH_END } from "./intake.ts";
import type { BenchLine } from "./line.ts";
import { measuredBuild } from "./measured-build.ts";
import { SETTINGS } from "./release.ts";
import { sizeOf } from "./size.ts";
import { amountLine, boundLine } from "./table.ts";

const SHARE = 100; // of the observations, one in so many is new
const MAX_SECONDS = 60;
const MAX_MB = 2000;

/** The night after the release in `home`: one per cent new observations accepted, taken in and sealed, and a release. */
export async function benchNight(
  home: string,
  world: WorldOptions,
  documents: RecordDocuments,
): Promise<BenchLine[]> {
  const rows = world.observations / SHARE;
  const fresh = freshObservations(world, rows);
  const start = performance.now();
  await takeInNight(home, fresh);
  const { peaks } = await measuredBuild({ home, documents, ...SETTINGS });
  const seconds = (performance.now() - start) / 1000;
  const { site } = releasePaths(realpathSync(homePaths(home).current));
  const made = sizeOf(site, ({ nlink }) => nlink === 1); // the others are those of the release before
  const what = `night of ${rows.toLocaleString("en-US")} new rows`;
  return [
    boundLine(`${what}: time`, "s", seconds, MAX_SECONDS),
    boundLine(`${what}: memory of all its processes`, "MB", peaks.treeMb, MAX_MB),
    amountLine(`${what}: files made`, "files", made.files),
    amountLine(`${what}: size of files made`, "MB", made.megabytes),
  ];
}

/** Observations of the same world that come after those of the release. */
function freshObservations(world: WorldOptions, count: number): ObservationInput[] {
  const { observations } = world;
  const fresh: ObservationInput[] = [];
  let at = 0;
  for (const each of benchObservations({ ...world, observations: observations + count }))
    if (++at > observations) fresh.push(each);
  return fresh;
}

async function takeInNight(home: string, fresh: readonly ObservationInput[]): Promise<void> {
  const { ledger: path, keys: keysDir } = homePaths(home);
  const clock = () => BENCH_END + DAY_MS;
  using ledger = openLedgerWriter(path, { keysDir, clock });
  const industries = classifier(loadClassifierReference());
  const rejects = { write: () => undefined };
  const source = Readable.from(ndjsonChunks(fresh));
  await ingest({ ledger, source, name: "a night", synthetic: true, dryRun: false, isLarge: true, rejects });
  await takeIn({ ledger, classifier: () => industries, random: systemRandom, now: true });
  ledger.seal({ now: true });
}
