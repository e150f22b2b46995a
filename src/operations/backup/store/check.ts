/** Whether the backups are worth something: what they hold is restored into scratch space, proved, and a release is replayed from it. */

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BuildEffects } from "../../../build/effects.ts";
import { writeLedgerFiles } from "../../../build/ledger/ledger-files.ts";
import { loadReference } from "../../../build/reference.ts";
import { noteBackup, type RestoreCheck } from "../../../kernel/backup-status.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { type Home, homePaths } from "../../../kernel/home.ts";
import { DAY_MS, isoTime } from "../../../kernel/time.ts";
import { acquireLock } from "../../../ledger/database/lock.ts";
import { openLedgerReader } from "../../../ledger/reader.ts";
import { Findings } from "../../../proof/audit/findings.ts";
import { filesInFolder, type PublicFiles } from "../../../proof/audit/public-files.ts";
import { openRelease } from "../../../proof/audit/release-manifest.ts";
import { type CommandContext, homeOf } from "../../context.ts";
import { replayRelease } from "../../replay/replay.ts";
import { readBackupManifest } from "../backup-manifest.ts";
import { restoreHome } from "../restore-home.ts";
import { fetchBackup } from "./fetch.ts";
import { newestReport } from "./report.ts";
import { lockStore, storeOf } from "./store.ts";

/** With these parts by day, each object is read at least once in so many days. */
const PARTS = 10;
const LOCK_WAIT_MS = 600_000;

export interface WholeCheck {
  /** The published release to compare with; undefined: the rows are proved, and nothing is replayed. */
  readonly published: PublicFiles | undefined;
  readonly scratch: string; // folder
  readonly progress: (done: number, total: number) => void;
}

interface Proved {
  readonly backup_of: string;
  readonly tree_size: number;
  readonly replayed_numbers: number | null;
}

/** Restores the newest backup into scratch space, which is removed again. What is wrong with it is in `problem`. */
export async function checkWhole(context: CommandContext, options: WholeCheck): Promise<RestoreCheck> {
  const at = isoTime(context.clock());
  try {
    return { at, problem: null, ...(await prove(context, options)) };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { at, problem: error.message, backup_of: null, tree_size: null, replayed_numbers: null };
  }
}

async function prove(context: CommandContext, { published, scratch, progress }: WholeCheck): Promise<Proved> {
  mkdirSync(scratch, { recursive: true });
  const folder = join(scratch, "backup-check");
  const lock = acquireLock(`${folder}.lock`, "checking a whole backup");
  rmSync(folder, { recursive: true, force: true }); // of a check that was killed
  mkdirSync(folder, { mode: 0o700 });
  try {
    const { backup, keys, ledgerAt } = await fetchBackup(storeOf(context, join(folder, "cache")), folder);
    const manifest = readBackupManifest(backup);
    const home = homePaths(join(folder, "restored"));
    mkdirSync(home.root, { mode: 0o700 });
    const checkpoint = (await published?.read("ledger/checkpoint"))?.toString("utf8");
    await restoreHome(home.root, {
      backup,
      manifest,
      keys,
      published: checkpoint,
      clock: context.clock,
      progress,
    });
    return {
      backup_of: isoTime(ledgerAt),
      tree_size: manifest.tree_size,
      replayed_numbers: published === undefined ? null : await replayFrom(home, published, progress),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
    lock.release();
  }
}

/** Recomputes the published release from the rows of the restored ledger. Returns how many numbers were the same. Throws OperatorError for one that is not. */
async function replayFrom(
  home: Home,
  published: PublicFiles,
  progress: WholeCheck["progress"],
): Promise<number> {
  const findings = new Findings();
  const release = await openRelease(published, { vkey: undefined }, findings);
  const files = release && withLedgerOf(home, published, release);
  const comparison =
    files && (await replayRelease({ files, release }, loadReference(home), findings, progress));
  const [fault] = findings.faults;
  if (fault !== undefined) throw new OperatorError(`the restored ledger: ${fault.subject}: ${fault.problem}`);
  const [difference] = comparison?.differences ?? [];
  if (comparison === undefined || difference !== undefined)
    throw new OperatorError(
      `the published release does not replay from the restored ledger: ${difference === undefined ? "it could not be read" : `${difference.file}: ${difference.value}`}`,
    );
  return comparison.numbers;
}

/** The published files, with the rows of the restored ledger in the place of the published ones. */
function withLedgerOf(
  home: Home,
  published: PublicFiles,
  { head, manifest }: NonNullable<Awaited<ReturnType<typeof openRelease>>>,
): PublicFiles {
  const site = join(home.root, "site");
  mkdirSync(site);
  using reader = openLedgerReader(home.ledger, { keysDir: home.keys });
  writeLedgerFiles(
    {
      reader,
      effects: new BuildEffects(site, undefined),
      earlier: undefined,
      treeSize: head.size,
      asOf: Date.parse(manifest.inputs.as_of),
    },
    () => undefined,
  );
  const restored = filesInFolder(site);
  return {
    read: (path) => (path.startsWith("ledger/") ? restored : published).read(path),
  };
}

/**
 * Checks names and sizes of all objects and the hashes of a tenth of them, by the day, and fetches the signed report of the machine that checks the backups
 * as a whole, if there is one. Throws OperatorError for a repository that is damaged.
 */
export async function checkObjects(context: CommandContext): Promise<RestoreCheck | undefined> {
  const home = homeOf(context);
  const store = storeOf(context);
  const at = isoTime(context.clock());
  const part = 1 + (Math.floor(context.clock() / DAY_MS) % PARTS);
  const lock = lockStore(home, "checking the backups", LOCK_WAIT_MS);
  try {
    for (const repository of [store.data, store.keys]) await repository.check(part, PARTS);
    const report = await newestReport(store, home);
    noteBackup(home, { objects: { at, problem: null }, ...(report && { restored: report }) });
    return report;
  } catch (error) {
    if (error instanceof OperatorError) noteBackup(home, { objects: { at, problem: error.message } });
    throw error;
  } finally {
    lock.release();
  }
}
