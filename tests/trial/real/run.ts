/** The run over real data: imports everything into one production ledger and builds one release of it twice. */

import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type MeasuredBuild, measuredBuild } from "../../../build-scripts/bench/release.ts";
import { classifier, loadClassifierReference } from "../../../src/intake/matching/classify.ts";
import { configFrom } from "../../../src/kernel/config/config.ts";
import { homePaths } from "../../../src/kernel/home.ts";
import { createLedger } from "../../../src/ledger/database/ledger-file.ts";
import { openLedgerWriter } from "../../../src/ledger/writer.ts";
import { type CommandContext, homeOf } from "../../../src/operations/context.ts";
import { sourceRevision } from "../../../src/operations/release-settings.ts";
import { type Compared, compareReleases } from "./compare.ts";
import { DATA_SETS, dataFolders, LAST_DAY } from "./data-sets.ts";
import { type SeenFromOutside, seenFromOutside } from "./outside.ts";
import { registerCities, type TakenFile, takeFile } from "./take-in.ts";

const ORIGIN = "real.example/presence";

const BASE_URL = "https://real.example";

/** The command context of a run in a folder of its own, with the edges of another. */
export function realContext(base: CommandContext, home: string): CommandContext {
  return { ...base, config: configFrom({ PRESENCE_HOME: home, BASE_URL }) };
}

/** Takes all files in, each twice, into a new ledger, and seals it. With `most`, only so many lines of each file. */
export async function takeInAll(context: CommandContext, most?: number): Promise<TakenFile[]> {
  const { ledger: path, keys: keysDir, root, gazetteer } = homeOf(context);
  const { clock, random } = context;
  mkdirSync(root, { recursive: true });
  createLedger(path, { environment: "production", origin: ORIGIN, keysDir, clock, random });
  using ledger = openLedgerWriter(path, { keysDir, clock, random });
  const folders = dataFolders(context.project);
  registerCities(ledger, folders, gazetteer);
  const names = classifier(loadClassifierReference());
  const taken: TakenFile[] = [];
  for (const set of DATA_SETS) {
    context.stderr.write(`${set.name} …\n`);
    taken.push(await takeFile(ledger, folders, set, names, most));
  }
  ledger.seal({ now: true });
  return taken;
}

export interface BuiltTwice extends Compared {
  readonly release: MeasuredBuild;
  readonly outside: SeenFromOutside;
}

/** Builds as of the data's last day, here and from a copy of the ledger in another folder; compares the two, and checks one from outside. */
export async function buildTwice(
  context: CommandContext,
  taken: readonly TakenFile[],
  progress: "inherit" | "ignore" = "inherit",
): Promise<BuiltTwice> {
  const home = homeOf(context);
  const copy = homePaths(join(home.root, "copy"));
  mkdirSync(copy.root);
  cpSync(home.ledger, copy.ledger);
  cpSync(home.keys, copy.keys, { recursive: true });
  const settings = {
    baseUrl: BASE_URL,
    sourceRevision: sourceRevision(context.project), // read once, because a commit may come between the builds
    asOf: LAST_DAY,
    progress,
  };
  const release = await measuredBuild({ ...settings, home: home.root });
  const other = await measuredBuild({ ...settings, home: copy.root });
  const compared = compareReleases(release.directory, other.directory);
  // Names with details of a person wait for a reviewer.
  const accepted = taken.reduce((sum, { summary, taken: { held } }) => sum + summary.accepted - held, 0);
  const outside = await seenFromOutside(release.directory);
  const faults = [...compared.faults, ...outside.faults];
  if (release.observations !== accepted)
    faults.push(`${accepted} observations accepted, but ${release.observations} in the release`);
  return { ...compared, faults, release, outside };
}
