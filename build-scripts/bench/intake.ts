import { appendFileSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { ingest } from "../../src/intake/ingest.ts";
import { classifier, loadClassifierReference } from "../../src/intake/matching/classify.ts";
import { radiusCells } from "../../src/intake/places/city-outline.ts";
import { registerCity } from "../../src/intake/places/register-city.ts";
import { takeIn } from "../../src/intake/take-in/take-in.ts";
import { homePaths } from "../../src/kernel/home.ts";
import { systemRandom } from "../../src/kernel/ids.ts";
import { createLedger } from "../../src/ledger/database/ledger-file.ts";
import { openLedgerWriter } from "../../src/ledger/writer.ts";
import {
  BENCH_CITY_RADIUS_KM,
  benchCities,
  benchObservations,
  benchObserverIds,
  ndjsonChunks,
  type WorldOptions,
} from "../../tests/support/towns/observations.ts";
import { registerTownSources } from "../../tests/support/towns/sources.ts";

export const BENCH_END = Date.UTC(2026, 5, 1);

export const BENCH_WORLD: WorldOptions = {
  seed: 1,
  observations: 1_000_000,
  records: 20_000,
  cities: 50,
  end: BENCH_END,
};

export function benchFolder(home: string) {
  return {
    ledger: homePaths(home).ledger,
    keysDir: homePaths(home).keys,
    input: join(home, "observations.ndjson"),
  };
}

/** A demo ledger in `home` with the bench cities and a file of observations; then that file accepted and taken in, timed. */
export async function benchIntake(home: string, world: WorldOptions) {
  const folder = benchFolder(home);
  writeFileSync(folder.input, "");
  for (const chunk of ndjsonChunks(benchObservations(world))) appendFileSync(folder.input, chunk);
  const clock = () => BENCH_END;
  createLedger(folder.ledger, {
    environment: "demo",
    origin: "bench.example/demo",
    keysDir: folder.keysDir,
    clock,
  });
  using ledger = openLedgerWriter(folder.ledger, { keysDir: folder.keysDir, clock });
  for (const city of benchCities(world.cities))
    registerCity(ledger, city, radiusCells(city.lat, city.lng, BENCH_CITY_RADIUS_KM));
  registerTownSources(ledger, benchObserverIds(world.cities));
  const industries = classifier(loadClassifierReference());
  const [start, cpuStart] = [performance.now(), process.cpuUsage()];
  const summary = await ingest({
    ledger,
    source: { largeFile: openSync(folder.input, "r") },
    name: folder.input,
    synthetic: true,
    dryRun: false,
    rejects: { write: () => undefined },
  });
  const [acceptSeconds, acceptCpu] = [(performance.now() - start) / 1000, process.cpuUsage(cpuStart)];
  const taken = await takeIn({ ledger, classifier: () => industries, random: systemRandom, now: true });
  const [seconds, cpu] = [(performance.now() - start) / 1000, process.cpuUsage(cpuStart)];
  const cpuMicros = ({ user, system }: NodeJS.CpuUsage) => Math.round((user + system) / summary.accepted);
  return {
    summary,
    taken,
    acceptSeconds,
    /** CPU time of a line in all threads, µs: what other work on the machine changes least. */
    acceptCpuMicros: cpuMicros(acceptCpu),
    cpuMicros: cpuMicros(cpu),
    rowsPerSecond: Math.round(summary.accepted / seconds),
    /** The limit: the same number of rows with bodies and look-up keys of the same sizes, by bare inserts of ready bytes. */
    rawRowsPerSecond: rawInserts(join(home, "raw.db"), folder.ledger, summary.accepted),
  };
}

const RAW_SAMPLE = 200_000;

/** Bare inserts of ready rows as large as the ledger's, in transactions of 10,000, in key order. */
function rawInserts(path: string, ledger: string, rows: number): number {
  const source = new Database(ledger, { readonly: true });
  const [bytes] = source
    .prepare<[], number>(
      "SELECT avg(length(body) + length(private) + length(salts)) FROM openings WHERE private IS NOT NULL",
    )
    .pluck()
    .all();
  source.close();
  const database = new Database(path);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.exec("CREATE TABLE raw (id INTEGER PRIMARY KEY, digests BLOB, opening BLOB) STRICT");
  const insert = database.prepare("INSERT INTO raw VALUES (?, ?, ?)");
  const [digests, opening] = [Buffer.alloc(192, 1), Buffer.alloc(Math.round(bytes ?? 0), 2)];
  const count = Math.min(rows, RAW_SAMPLE);
  const start = performance.now();
  for (let from = 0; from < count; from += 10_000)
    database.transaction(() => {
      for (let id = from; id < Math.min(from + 10_000, count); id++) insert.run(id + 1, digests, opening);
    })();
  const seconds = (performance.now() - start) / 1000;
  database.close();
  rmSync(path);
  return Math.round(count / seconds);
}

if (import.meta.main) {
  const home = mkdtempSync(join(tmpdir(), "presence-bench-"));
  try {
    const observations = Number(process.argv[2] ?? BENCH_WORLD.observations);
    const records = Math.ceil(observations / 50); // as many lines for each as at any size
    const { summary, taken, ...speed } = await benchIntake(home, { ...BENCH_WORLD, observations, records });
    const megabytes = Math.round(statSync(benchFolder(home).ledger).size / 1e6);
    process.stdout.write(`${JSON.stringify({ ...summary, ...taken, ...speed, megabytes })}\n`);
  } finally {
    rmSync(home, { recursive: true });
  }
}
