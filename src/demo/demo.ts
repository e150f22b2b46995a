/**
 * The demonstration: a year of invented sightings in real places, taken in, reviewed and sealed night by night by the same functions as real data. All
 * of it is fixed, even the keys, so that every machine creates the same ledger. The keys are therefore public, and the signatures prove nothing.
 */

import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { withProgress } from "../build/progress.ts";
import { OperatorError } from "../kernel/errors.ts";
import { moveWithoutReplacing } from "../kernel/files/durable-file.ts";
import { type Home, homePaths } from "../kernel/home.ts";
import { acquireLock } from "../ledger/database/lock.ts";
import { openLedgerReader } from "../ledger/reader.ts";
import { type CommandContext, homeOf } from "../operations/context.ts";
import { makeKeys, playYear } from "./year.ts";

export interface DemoSummary {
  readonly ledger: string;
  readonly origin: string;
  readonly treeSize: number;
  readonly root: string; // hex
  readonly asOf: string; // time of its last seal
  readonly rows: Readonly<Record<string, number>>; // by kind
  readonly checkedOnline: number; // records
}

/** Creates ledger and keys in PRESENCE_HOME, completely or not at all. Throws OperatorError when there is a ledger already. */
export async function createDemo(context: CommandContext): Promise<DemoSummary> {
  const home = homeOf(context);
  mkdirSync(home.night, { recursive: true });
  const lock = acquireLock(join(home.night, "demo.lock"), `creating the demonstration in ${home.root}`);
  try {
    if (existsSync(home.ledger))
      throw new OperatorError(
        `${home.ledger}: there is a ledger already; set PRESENCE_HOME to another folder for the demonstration`,
      );
    const draft = homePaths(join(home.night, "demo.new"));
    rmSync(draft.root, { recursive: true, force: true });
    makeKeys(draft.keys);
    assertNoOtherKeys(draft, home);
    await withProgress(context, "nights of the demonstration", (update) => playYear(draft, update));
    install(draft, home);
    return demoSummary(home);
  } finally {
    lock.release();
  }
}

/** A summary of the demonstration's ledger. Throws OperatorError for a ledger of real observations. */
export function demoSummary(home: Home): DemoSummary {
  using reader = openLedgerReader(home.ledger, { keysDir: home.keys });
  const { environment, origin } = reader.meta;
  const head = reader.latestCheckpoint();
  if (environment !== "demo" || head === undefined)
    throw new OperatorError(
      `${home.ledger}: not a sealed demonstration, but a ledger of the ${environment} environment`,
    );
  return {
    ledger: home.ledger,
    origin,
    treeSize: head.size,
    root: head.root.toString("hex"),
    asOf: reader.seals(head.size).at(-1)?.body.created_at ?? "",
    rows: Object.fromEntries(reader.counts(head.size)),
    checkedOnline: reader.latestOnlineChecks(Number.MAX_SAFE_INTEGER).size,
  };
}

/** Moves the ledger last: it completes the demonstration, and until then the next run starts again. */
function install(draft: Home, home: Home): void {
  assertNoOtherKeys(draft, home);
  mkdirSync(home.keys, { recursive: true, mode: 0o700 });
  for (const name of keyFiles(draft)) {
    const place = join(home.keys, name);
    if (!existsSync(place)) moveWithoutReplacing(join(draft.keys, name), place);
  }
  syncFile(draft.ledger);
  moveWithoutReplacing(draft.ledger, home.ledger);
  rmSync(draft.root, { recursive: true });
}

/** Accepts keys and checkpoint of an earlier, interrupted run, which are the same. */
function assertNoOtherKeys(draft: Home, home: Home): void {
  for (const name of keyFiles(draft)) {
    const place = join(home.keys, name);
    if (existsSync(place) && !readFileSync(place).equals(readFileSync(join(draft.keys, name))))
      throw new OperatorError(
        `${place}: this belongs to another ledger; move the folder away, or set PRESENCE_HOME to another one`,
      );
  }
}

function keyFiles({ keys }: Home): string[] {
  return readdirSync(keys).filter((name) => /\.(json|head)$/.test(name));
}

function syncFile(path: string): void {
  const file = openSync(path, "r");
  fsyncSync(file);
  closeSync(file);
}
