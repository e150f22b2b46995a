import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { OperatorError } from "../../kernel/errors.ts";
import { SECRET_MODE } from "../../kernel/files/secret-file.ts";
import { type Home, homePaths } from "../../kernel/home.ts";
import { assertStoreVersion } from "../../kernel/store-version.ts";
import { type Clock, systemClock } from "../../kernel/time.ts";
import { LEDGER_FORMAT } from "../../ledger/database/format.ts";
import { openTreeHead } from "../../ledger/keys/key-ring.ts";
import { type LedgerReader, openLedgerReader } from "../../ledger/reader.ts";
import { openLedgerWriter } from "../../ledger/writer.ts";
import { renewGeneration } from "../../state/generation.ts";
import { openState } from "../../state/open-state.ts";
import { FormatError } from "../../tlog/format-error.ts";
import { copyPaths } from "./backup-home.ts";
import type { BackupManifest } from "./backup-manifest.ts";
import { settleDatabase } from "./copy-database.ts";

export interface RestoreOptions {
  readonly backup: string; // folder, checked
  readonly manifest: BackupManifest;
  readonly keys: string | undefined; // folder of keys that were kept apart
  readonly published: string | undefined; // the newest published checkpoint
  readonly clock?: Clock;
  readonly progress: (rows: number, total: number) => void;
}

/**
 * Restores a home into an empty folder, and migrates its ledger and state. Throws OperatorError for a backup of a newer program, keys that do not belong
 * to it, a ledger that does not verify against its checkpoint, and one that is older than the published checkpoint.
 */
export async function restoreHome(folder: string, options: RestoreOptions): Promise<void> {
  const { backup, manifest, clock = systemClock } = options;
  assertStoreVersion(join(backup, "ledger.db"), LEDGER_FORMAT, manifest.ledger_format);
  const home = homePaths(folder);
  for (const name of Object.keys(manifest.files)) copyPrivately(join(backup, name), join(folder, name));
  if (options.keys !== undefined) takeKeys(options.keys, home.keys);
  const stateKey = copyPaths(folder).stateKey;
  if (existsSync(stateKey)) moveStateKey(stateKey, home.stateKey);
  if (!existsSync(home.keys))
    throw new OperatorError(`${backup}: the backup has no keys: name their folder with --keys`);
  // Opening it for writing migrates it.
  openLedgerWriter(home.ledger, { keysDir: home.keys, clock }).close();
  rmSync(`${home.ledger}.lock`, { force: true });
  verifyLedger(home, options);
  settleDatabase(home.ledger);
  if (existsSync(home.state)) {
    await (await openState(undefined, home, { clock })).close();
    renewGeneration(home.state);
    settleDatabase(home.state);
  }
}

/** Copies a file for its owner only, whatever permissions the backup has. */
function copyPrivately(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  copyFileSync(from, to);
  chmodSync(to, SECRET_MODE);
}

/** Takes the keys that were kept apart, which may be newer than the backup's own, with their checkpoint. */
function takeKeys(from: string, to: string): void {
  if (!existsSync(from)) throw new OperatorError(`--keys ${from}: there is no such folder`);
  for (const name of readdirSync(from))
    if (/\.(json|head|key|next)$/.test(name)) copyPrivately(join(from, name), join(to, name));
}

/** A backup has it beside the keys of the ledger. */
function moveStateKey(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  renameSync(from, to);
}

function verifyLedger(home: Home, { backup, manifest, published, progress }: RestoreOptions): void {
  using reader = openLedgerReader(home.ledger, { keysDir: home.keys });
  const head = reader.latestCheckpoint();
  if ((head?.note ?? null) !== manifest.signed_head)
    throw new OperatorError(
      `${backup}: the newest checkpoint of its ledger is not the one in its manifest; use another backup`,
    );
  reader.assertHoldsHead(home.keys);
  if (published !== undefined) assertNotBehind(reader, published);
  const size = head?.size ?? 0;
  for (const { id } of reader.verifiedRows(size)) if (id % 1000 === 0) progress(id, size);
}

/** Refuses an older copy, from which the log would sign a second history of published rows. */
function assertNotBehind(reader: LedgerReader, published: string): void {
  const head = publishedHead(reader, published);
  const here = reader.latestCheckpoint()?.size ?? 0;
  if (head.size > here)
    throw new OperatorError(
      `the backup has ${here} signed rows, but a checkpoint of ${head.size} rows was published: restore a newer backup. With this one the log would sign a second history of the rows after ${here}`,
    );
  if (head.size > 0 && reader.checkpointAt(head.size)?.root.equals(head.root) !== true)
    throw new OperatorError(
      `the published checkpoint of ${head.size} rows does not belong to this ledger, but to another copy or another log: restore the backup that belongs to it`,
    );
}

function publishedHead(reader: LedgerReader, published: string) {
  try {
    return openTreeHead(published, reader.keyRing());
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause;
    throw new OperatorError(
      `--published: not a checkpoint signed by the keys of this ledger (${cause.message}): use /ledger/checkpoint of your site. If a newer key signed it, the backup is older than that key: restore a newer backup`,
      { cause },
    );
  }
}
