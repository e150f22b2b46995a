import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { OperatorError } from "../../kernel/errors.ts";
import { SECRET_MODE } from "../../kernel/files/secret-file.ts";
import { type Home, homePaths } from "../../kernel/home.ts";
import { type Clock, systemClock } from "../../kernel/time.ts";
import { FORMAT_VERSION } from "../../ledger/database/schema.ts";
import { openTreeHead } from "../../ledger/keys/key-ring.ts";
import { type LedgerReader, openLedgerReader } from "../../ledger/reader.ts";
import { openLedgerWriter } from "../../ledger/writer.ts";
import { openState } from "../../state/open-state.ts";
import { FormatError } from "../../tlog/format-error.ts";
import type { BackupManifest } from "./backup-manifest.ts";
import { settleDatabase } from "./copy-database.ts";

export interface RestoreOptions {
  readonly backup: string; // folder, checked
  readonly manifest: BackupManifest;
  readonly keys: string | undefined; // folder of keys that were kept apart
  readonly published: string | undefined; // the newest signed head that was published
  readonly clock?: Clock;
  readonly progress: (rows: number, total: number) => void;
}

/**
 * Fills an empty folder with the home that was backed up, and brings ledger and state to this program's form. Throws OperatorError for
 * a backup of a newer program, keys that do not belong to it, a ledger that does not verify against its signed head, and
 * one that is older than the published head.
 */
export async function restoreHome(folder: string, options: RestoreOptions): Promise<void> {
  const { backup, manifest, clock = systemClock } = options;
  if (manifest.ledger_format > FORMAT_VERSION)
    throw new OperatorError(
      `${backup}: its ledger has format ${manifest.ledger_format}, but this program reads format ${FORMAT_VERSION}: a newer version made it; restore it with that one`,
    );
  const home = homePaths(folder);
  for (const name of Object.keys(manifest.files)) copyPrivately(join(backup, name), join(folder, name));
  if (options.keys !== undefined) takeKeys(options.keys, home.keys);
  if (!existsSync(home.keys))
    throw new OperatorError(
      `${backup}: a backup without keys: give the folder in which you kept them with --keys`,
    );
  // Opening it for writing is what migrates it.
  openLedgerWriter(home.ledger, { keysDir: home.keys, clock }).close();
  rmSync(`${home.ledger}.lock`, { force: true });
  verifyLedger(home, options);
  settleDatabase(home.ledger);
  if (existsSync(home.state)) {
    await (await openState(undefined, home, { clock })).close();
    settleDatabase(home.state);
  }
}

/** Whatever way a backup was carried, what it holds is for its owner alone. */
function copyPrivately(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  copyFileSync(from, to);
  chmodSync(to, SECRET_MODE);
}

/** Keys that were kept apart may be newer than the backup's own, and so may the head beside them. */
function takeKeys(from: string, to: string): void {
  if (!existsSync(from)) throw new OperatorError(`--keys ${from}: there is no such folder`);
  for (const name of readdirSync(from))
    if (/\.(json|head|key|next)$/.test(name)) copyPrivately(join(from, name), join(to, name));
}

function verifyLedger(home: Home, { backup, manifest, published, progress }: RestoreOptions): void {
  using reader = openLedgerReader(home.ledger, { keysDir: home.keys });
  const head = reader.latestCheckpoint();
  if ((head?.note ?? null) !== manifest.signed_head)
    throw new OperatorError(
      `${backup}: the newest signed head of its ledger is not the one that it says; use another backup`,
    );
  reader.assertHoldsHead(home.keys);
  if (published !== undefined) assertNotBehind(reader, published);
  const size = head?.size ?? 0;
  for (const { id } of reader.verifiedRows(size)) if (id % 1000 === 0) progress(id, size);
}

/** Going on from an older copy would sign another history of rows that the world has seen. */
function assertNotBehind(reader: LedgerReader, published: string): void {
  const head = publishedHead(reader, published);
  const here = reader.latestCheckpoint()?.size ?? 0;
  if (head.size > here)
    throw new OperatorError(
      `the backup has ${here} signed rows, but a head of ${head.size} rows was published: restore a newer backup. From this one the log cannot go on: it would sign another history of the rows after ${here}`,
    );
  if (head.size > 0 && reader.checkpointAt(head.size)?.root.equals(head.root) !== true)
    throw new OperatorError(
      `the published head of ${head.size} rows is none of this ledger's: it is another copy or another log; restore the backup that belongs to it`,
    );
}

function publishedHead(reader: LedgerReader, published: string) {
  try {
    return openTreeHead(published, reader.keyRing());
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause;
    throw new OperatorError(
      `--published: not a head that the keys of this ledger signed (${cause.message}): fetch /ledger/checkpoint of your site. If a newer key signed it, the backup is older than that key: restore a newer one`,
      { cause },
    );
  }
}
