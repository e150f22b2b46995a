import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import type { Environment } from "../../contract/enums.ts";
import { hasErrorCode, OperatorError } from "../../kernel/errors.ts";
import { moveWithoutReplacing } from "../../kernel/files/durable-file.ts";
import { reserveSecret } from "../../kernel/files/secret-file.ts";
import { type RandomBytes, systemRandom } from "../../kernel/ids.ts";
import { NAME_KEY_VERSION } from "../../kernel/text/name-key.ts";
import type { Clock } from "../../kernel/time.ts";
import { isKeyName } from "../../proof/tlog/note.ts";
import { createHead } from "../fork-guard.ts";
import { endorsed } from "../key-rotation.ts";
import { insertFirstKey, putManifestKey } from "../keys/key-tables.ts";
import { createKeys, loadIntakeKey, manifestKeyPath, readSigner, signingKeyPath } from "../keys/keys.ts";
import { LEDGER_FORMAT } from "./format.ts";
import { insertMeta } from "./open-ledger.ts";
import { APPLICATION_ID, LEDGER_TABLES, PAGE_SIZE } from "./tables.ts";

export interface NewLedger {
  readonly environment: Environment;
  readonly origin: string; // schema-less URL that names the log permanently, for example `example.org/presence`
  readonly keysDir: string;
  readonly clock: Clock;
  readonly random?: RandomBytes;
}

/**
 * Makes an empty ledger, and its keys where they are missing. The file appears whole or not at all.
 * Throws OperatorError when there is one already, or when the keys belong to another log.
 */
export function createLedger(path: string, options: NewLedger): void {
  const { environment, origin, keysDir, clock, random = systemRandom } = options;
  if (existsSync(path)) throw ledgerExists(path);
  if (!isKeyName(origin))
    throw new OperatorError(
      `origin ${JSON.stringify(origin)}: expected a schema-less URL without spaces and plus signs`,
    );
  createKeys(keysDir, environment, origin, random);
  const signer = readSigner(signingKeyPath(keysDir, environment));
  const intake = loadIntakeKey(keysDir, environment);
  if (signer.name !== origin)
    throw new OperatorError(
      `${signingKeyPath(keysDir, environment)}: this key signs for ${signer.name}, not for ${origin}: use that origin, or another folder for keys`,
    );
  createHead(keysDir, environment, signer);

  mkdirSync(dirname(path), { recursive: true });
  const building = `${path}.new`;
  for (const leftover of [building, `${building}-wal`, `${building}-shm`]) rmSync(leftover, { force: true });
  reserveSecret(building);
  const database = new Database(building);
  database.pragma(`page_size = ${PAGE_SIZE}`);
  database.pragma("journal_mode = WAL");
  for (const { create, indexes } of LEDGER_TABLES)
    for (const statement of [create, ...indexes]) database.exec(statement);
  const checks = { intake_check: intake.check, name_key_version: NAME_KEY_VERSION };
  insertMeta(database, { environment, origin, vkey: signer.vkey, ...checks }, clock());
  insertFirstKey(database, signer);
  const manifestKey = readSigner(manifestKeyPath(keysDir, environment));
  putManifestKey(database, endorsed({ ...manifestKey, createdAt: clock() }, signer));
  database.pragma(`application_id = ${APPLICATION_ID}`);
  database.pragma(`user_version = ${LEDGER_FORMAT.version}`);
  database.close();
  try {
    moveWithoutReplacing(building, path);
  } catch (error) {
    throw hasErrorCode(error, "EEXIST") ? ledgerExists(path) : error;
  }
}

function ledgerExists(path: string): OperatorError {
  return new OperatorError(`${path}: there is a ledger already, and a ledger is never overwritten`);
}
