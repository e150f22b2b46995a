/**
 * `npm run score-change`: how the present score differs from the one before it, as the table of docs/methodology.md: which
 * records move, why, and how rank goes with the number of assets. On the demonstration and, where the public records are
 * there, on one real city; with `--home FOLDER` on the ledger of that folder.
 */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { createDemo } from "../src/demo/demo.ts";
import { classifier, loadClassifierReference } from "../src/intake/matching/classify.ts";
import { configFrom } from "../src/kernel/config/config.ts";
import { homePaths } from "../src/kernel/home.ts";
import { seededRandom } from "../src/kernel/seeded.ts";
import { systemUser } from "../src/kernel/system-user.ts";
import { DAY_MS, systemClock } from "../src/kernel/time.ts";
import { createLedger } from "../src/ledger/database/create.ts";
import { openLedgerReader } from "../src/ledger/reader.ts";
import { openLedgerWriter } from "../src/ledger/writer.ts";
import { asOfAt } from "../src/method/numbers.ts";
import { type CommandContext, homeOf } from "../src/operations/context.ts";
import { judgedRecord } from "../src/snapshot/fold/city-content.ts";
import { otherTags } from "../src/snapshot/fold/city-facts.ts";
import { LedgerFold } from "../src/snapshot/fold/ledger-fold.ts";
import { listing } from "../src/snapshot/fold/listing.ts";
import { DATA_SETS, dataFolders, missingFiles } from "../tests/trial/real/data-sets.ts";
import { registerCities, takeFile } from "../tests/trial/real/take-in.ts";
import { cityFigures, HEAD, tableRows } from "./score-change/table.ts";

/** Rows of the table for the cities of a sealed ledger that have records, as of its last seal or `until`. */
function ledgerRows(data: string, ledger: string, until?: number): string[] {
  using reader = openLedgerReader(ledger);
  const size = reader.latestCheckpoint()?.size ?? 0;
  const asOf = until ?? Date.parse(reader.seals(size).at(-1)?.body.created_at ?? "");
  const fold = new LedgerFold(size);
  for (const row of reader.verifiedRows(size)) fold.apply(row);
  const cities = listing(fold, asOf).cities.map(({ city, records }) => {
    const at = asOfAt(asOf, city.details.lng);
    const active = records.filter(({ record }) => record.recordStatus === "active");
    const facts = { sightings: fold.sightings, otherTags: otherTags(fold, records) };
    return cityFigures(
      active.map((listed) => judgedRecord(facts, listed, at)),
      at,
    );
  });
  return tableRows(data, cities);
}

/** Takes the public records of one city in, as `npm run trial -- real` does, and gives the rows of its table. */
async function realRows(context: CommandContext, name: string): Promise<string[]> {
  const { root, ledger: path, keys: keysDir, gazetteer } = homeOf(context);
  const { clock, random, project } = context;
  const set = DATA_SETS.find((one) => one.name === name);
  if (set === undefined) throw new Error(`no public records of ${name}`);
  mkdirSync(root, { recursive: true });
  createLedger(path, { environment: "production", origin: "real.example/presence", keysDir, clock, random });
  {
    using ledger = openLedgerWriter(path, { keysDir, clock, random });
    registerCities(ledger, dataFolders(project), gazetteer);
    await takeFile(ledger, dataFolders(project), set, classifier(loadClassifierReference()));
    ledger.seal({ now: true });
  }
  return ledgerRows(name, path, Date.parse(set.lastDay) + DAY_MS - 1);
}

const { home, real } = new Command("score-change")
  .option("--home <folder>", "of a sealed ledger, instead of the demonstration and real records")
  .option("--real <name>", "real records to take in", "Toronto")
  .parse()
  .opts<{ home?: string; real: string }>();

const draw = seededRandom(1); // the order in which lines become rows follows a drawn key

const folder = mkdtempSync(join(tmpdir(), "presence-score-change-"));
const contextIn = (name: string): CommandContext => ({
  config: configFrom({ PRESENCE_HOME: join(folder, name) }),
  project: join(import.meta.dirname, ".."),
  clock: systemClock,
  random: (size) => Buffer.from(Array.from({ length: size }, () => Math.floor(draw() * 256))),
  user: systemUser(),
  stdout: process.stdout,
  stderr: process.stderr,
});
try {
  const rows: string[] = [];
  if (home === undefined) {
    rows.push(...ledgerRows("demonstration", (await createDemo(contextIn("demo"))).ledger));
    const context = contextIn("real");
    const missing = missingFiles(dataFolders(context.project));
    if (missing.length === 0) rows.push(...(await realRows(context, real)));
    else process.stderr.write(`left out: public records are missing (${missing.join(", ")})\n`);
  } else rows.push(...ledgerRows(home, homePaths(home).ledger));
  process.stdout.write(`${[...HEAD, ...rows].join("\n")}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
