import type Database from "better-sqlite3";
import { OperatorError } from "../../kernel/errors.ts";
import type { RandomBytes } from "../../kernel/ids.ts";
import type { Clock } from "../../kernel/time.ts";
import { intakeKeyPath, loadIntakeKey, type PurposeKey } from "../keys/keys.ts";
import { fileSigners, type SignerSource } from "../keys/signer-source.ts";
import { loadKeyRing } from "../keys/signing-keys.ts";
import { LEDGER_FORMAT, type LedgerFormat } from "./format.ts";
import { acquireLock, type Lock } from "./lock.ts";
import { type OpenLedger, openOfFormat, readMeta } from "./meta.ts";
import { migrate } from "./migrate.ts";

export interface OpenOptions {
  readonly keysDir: string;
  readonly clock: Clock;
  readonly random?: RandomBytes;
  /** Where the signing keys are, if not in files of `keysDir`. */
  readonly signers?: SignerSource;
  /** Opens the file. Tests pass their own, and keep the connection to change the file's content. */
  readonly open?: typeof openOfFormat;
  /** That of this program; tests pass one with migrations. */
  readonly format?: LedgerFormat;
  /** False for a draft that a crash throws away: commits then do not wait for the disk. */
  readonly isDurable?: boolean;
}

export interface WritableLedger extends OpenLedger {
  readonly lock: Lock;
  readonly purposeKey: PurposeKey;
  readonly signers: SignerSource;
}

/** Throws OperatorError for a missing ledger, missing or wrong keys, and a second writer. */
export function openForWriting(path: string, options: OpenOptions): WritableLedger {
  const { open = openOfFormat, format = LEDGER_FORMAT } = options;
  const database = open(path, { readonly: false, format });
  let lock: Lock | undefined;
  try {
    const { keysDir } = options;
    lock = acquireLock(`${path}.lock`, `writing to ${path}`);
    configure(database, options.isDurable ?? true);
    migrate(database, format);
    const meta = readMeta(database);
    const { environment } = meta;
    const signers = options.signers ?? fileSigners(keysDir, environment);
    signers.checkpoint(loadKeyRing(database)); // completes a rotation
    const intake = loadIntakeKey(keysDir, environment);
    if (intake.check !== meta.intake_check)
      throw new OperatorError(
        `${intakeKeyPath(keysDir, environment)}: not the key that ${path} was created with: restore the right one from your backup`,
      );
    return { database, meta, lock, purposeKey: intake.purposeKey, signers };
  } catch (error) {
    database.close();
    lock?.release();
    throw error;
  }
}

/** Moves the log into the file as far as readers allow. One that stays longer than the writer may not write, and would leave all of it there. */
export function settleLog(database: Database.Database): void {
  if (database.inTransaction) return;
  try {
    database.pragma("wal_checkpoint(PASSIVE)");
  } catch {
    // a full disk: the log keeps everything until the next writer
  }
}

function configure(database: Database.Database, isDurable: boolean): void {
  database.pragma(`synchronous = ${isDurable ? "FULL" : "OFF"}`); // FULL: a committed batch survives a power cut
  database.pragma("secure_delete = ON"); // redacted values are overwritten, not only unlinked
  database.pragma("cache_size = -65536"); // 64 MB
  database.pragma("wal_autocheckpoint = 4000"); // 64 MB of log between two copies into the file
}
