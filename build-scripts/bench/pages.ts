import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { type CompiledPages, compiledPages } from "../../src/build/compiled-pages.ts";
import { BuildEffects } from "../../src/build/effects.ts";
import { emitRoutes } from "../../src/build/stages/emit.ts";
import { publishLedger } from "../../src/build/stages/ledger.ts";
import { writePages } from "../../src/build/stages/pages.ts";
import { turnsOf, type WriteTask } from "../../src/build/stages/shares.ts";
import { makeSnapshot } from "../../src/build/stages/snapshot.ts";
import { runWorkers } from "../../src/build/stages/worker.ts";
import { homePaths, releasePaths } from "../../src/kernel/home.ts";
import { openLedgerWriter } from "../../src/ledger/writer.ts";
import { contextAt } from "../../src/resources/release-store.ts";
import { documentsOfRecord, type RecordDocument } from "../../src/site/routes/record-documents.ts";
import { Site } from "../../src/site/site.ts";
import { ReleaseSettings } from "../../src/snapshot/release-settings.ts";
import { ROUND_SECONDS, requestRate } from "./http.ts";
import { BENCH_END, BENCH_WORLD, benchIntake } from "./intake.ts";
import { startScript, watchTree } from "./processes.ts";
import { amountLine, type BenchLine, boundLine } from "./table.ts";

/** Few observations for a bench, yet enough that every one of the 20,000 records is seen several times. */
const WORLD = { ...BENCH_WORLD, observations: 500_000 };
const QUICK_WORLD = { ...WORLD, observations: 20_000, records: 1_000, cities: 10 };

const MAX_RENDER_SECONDS = 45;
const MAX_STAGE_SECONDS = 90;
const MAX_MB = 1500;

/**
 * The pages of a release with 20,000 records, by the stage that a build runs: compiled, rendered and written. Ledger, snapshot and the files that pages read are made in `home` first, and not timed.
 */
export async function benchPages(home: string, quick: boolean): Promise<BenchLine[]> {
  const { task, records, effects } = await releaseWithoutPages(home, quick);
  const project = join(import.meta.dirname, "..", "..");
  const compiled = { project, compiled: homePaths(home).compiledPages, scratch: join(home, "compiling") };
  const tree = watchTree(process.pid);
  const stageSeconds = await secondsOf(() =>
    writePages({ ...task, ...compiled }, records, effects, () => undefined),
  );
  const { treeMb } = tree.stop();
  const pages = await compiledPages(project, compiled.compiled, compiled.scratch);
  const renderSeconds = await secondsOf(() => renderOnly({ ...pages, ...task }));
  const what = `pages of ${records.toLocaleString("en-US")} records`;
  return [
    boundLine(`${what}: rendered`, "s", renderSeconds, MAX_RENDER_SECONDS),
    boundLine(`${what}: rendered and written`, "s", stageSeconds, MAX_STAGE_SECONDS),
    boundLine(`${what}: memory of all processes`, "MB", treeMb, MAX_MB),
  ];
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/** In as many threads as the build would take. */
function renderOnly(task: CompiledPages & WriteTask): Promise<void> {
  const tasks = turnsOf().map((turn) => ({ ...task, ...turn }));
  return runWorkers(new URL("./render-worker.ts", import.meta.url), tasks, () => undefined);
}

/** The stages before the pages, as a build has them. */
async function releaseWithoutPages(home: string, quick: boolean) {
  await benchIntake(home, quick ? QUICK_WORLD : WORLD);
  const treeSize = sealedSize(home);
  const { ledger: ledgerPath } = homePaths(home);
  const { snapshot, site } = releasePaths(home);
  const nothing = () => undefined;
  const task = {
    home,
    ledgerPath,
    out: snapshot,
    treeSize,
    asOf: BENCH_END,
    settings: ReleaseSettings.parse({ baseUrl: "https://bench.example", sourceRevision: "bench" }),
  };
  const { records } = await makeSnapshot(task, nothing);
  const effects = new BuildEffects(site, undefined);
  const earlierSite = undefined;
  await publishLedger({ ledgerPath, site, earlierSite, treeSize, asOf: BENCH_END }, effects, nothing);
  const written = { snapshot, site, earlierSite, documents: "files" } as const;
  await emitRoutes(written, records, effects, nothing);
  return { task: written, records, effects };
}

function sealedSize(home: string): number {
  const { ledger, keys: keysDir } = homePaths(home);
  using writer = openLedgerWriter(ledger, { keysDir, clock: () => BENCH_END });
  const { checkpoint } = writer.seal({ now: true });
  if (checkpoint === undefined) throw new Error("nothing was sealed");
  return checkpoint.size;
}

/** Documents of records that a server makes from the snapshot: as many as one core makes, and what the server holds for them. */

const ASKED = 5000; // documents of a server
const CONNECTIONS = 16;

/** Of the release in `home`, which has no files of single records. */
export async function benchMadeDocuments(home: string): Promise<BenchLine[]> {
  const { site: folder, snapshot } = releasePaths(realpathSync(homePaths(home).current));
  const context = contextAt(snapshot);
  const ids = scattered([...context.snapshot.publicIds()]);
  const site = new Site(context, folder);
  const rate = (isWanted: (file: string) => boolean) => madePerSecond(context, site, ids, isWanted);
  const documents = rate((file) => file.endsWith(".json"));
  const pages = rate((file) => file.endsWith(".html"));
  const asked = ids.flatMap((id) => documentsOfRecord(context, id)).slice(0, ASKED);
  context.close();
  return [
    { name: "documents of records, made: one core", ...requestRate(documents), limit: "-", ratio: "-" },
    { name: "pages of records, made: one core", ...requestRate(pages), limit: "-", ratio: "-" },
    await servedLine(home, asked),
  ];
}

/** Neighbors in the snapshot share pages of it, and readers do not ask for neighbors. */
function scattered(ids: readonly string[]): string[] {
  const step = 7919; // a prime, so that each has its turn
  return ids.map((_, at) => ids[(at * step) % ids.length] ?? "");
}

function madePerSecond(
  context: Parameters<typeof documentsOfRecord>[0],
  site: Site,
  ids: readonly string[],
  isWanted: (file: string) => boolean,
): number {
  let made = 0;
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1000;
  for (let at = 0; seconds() < ROUND_SECONDS; at += 1)
    for (const { file, text } of documentsOfRecord(context, ids[at % ids.length] ?? ""))
      if (isWanted(file)) made += text(site).length > 0 ? 1 : 0;
  return made / seconds();
}

async function servedLine(home: string, documents: readonly RecordDocument[]): Promise<BenchLine> {
  const project = join(import.meta.dirname, "..", "..");
  const { program } = await compiledPages(project, homePaths(home).compiledPages, join(home, "compiling"));
  await using server = await startScript(0, "page-server.ts", home, program);
  const queue = documents.entries();
  const ask = async () => {
    for (const [at, { file }] of queue) await answered(server.port, file, at);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, ask));
  const status = readFileSync(`/proc/${server.child.pid}/status`, "utf8");
  const megabytes = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
  return amountLine(
    `server that made ${documents.length.toLocaleString("en-US")} documents: memory`,
    "MB",
    megabytes,
  );
}

/** Each from another address, so that no rate limit is reached. */
async function answered(port: number, file: string, at: number): Promise<void> {
  const address = `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`;
  const response = await fetch(`http://127.0.0.1:${port}/${file}`, {
    headers: { "X-Forwarded-For": address },
  });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${file}: status ${response.status}`);
}
