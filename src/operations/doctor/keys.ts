import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "../../kernel/errors.ts";
import { SECRET_MODE, SHARED_DATABASE_MODE, SHARED_KEY_MODE } from "../../kernel/files/secret-file.ts";
import { intakeKeyPath, loadIntakeKey } from "../../ledger/keys/keys.ts";
import type { LedgerReader } from "../../ledger/reader.ts";
import { attempt, type Check, type Finding, findingIf, ledgerCheck } from "./check.ts";

const SECRETS = /\.(signing|manifest|intake)\.json(\.next)?$|^state\.key$/;
const OTHERS = 0o077;
const RESTORE = "restore the file from your backup of keys/";

/** Permissions of keys and of databases with private values. The folder itself may be open to a front server. */
export const permissions: Check = {
  name: "permissions",
  find({ home }) {
    const names = existsSync(home.keys) ? readdirSync(home.keys).filter((name) => SECRETS.test(name)) : [];
    const disclosed = "treat its private values as disclosed";
    return [
      ...withLogs(home.ledger).flatMap((path) => openToOthers(path, disclosed)),
      ...withLogs(home.state).flatMap((path) =>
        openToOthers(path, disclosed, home.stateIsShared ? SHARED_DATABASE_MODE : SECRET_MODE),
      ),
      ...(home.stateIsShared
        ? openToOthers(home.stateKey, "rotate it: presence key rotate --state", SHARED_KEY_MODE)
        : []),
      ...names.flatMap((name) => openToOthers(join(home.keys, name), "rotate the signing key")),
    ];
  },
};

/** A database with the files that SQLite keeps beside it. */
function withLogs(path: string): string[] {
  return [path, `${path}-wal`, `${path}-shm`];
}

function openToOthers(path: string, ifRead: string, allowed = SECRET_MODE): Finding[] {
  if (!existsSync(path)) return [];
  const mode = statSync(path).mode & 0o777;
  return findingIf(
    (mode & OTHERS & ~allowed) !== 0,
    `${path}: other users may read this file (mode ${mode.toString(8)})`,
    `chmod ${allowed.toString(8)} ${path}*; if other users could log in meanwhile, ${ifRead}`,
  );
}

/** The newest signing key of the ledger, and the secret of intake. */
export const keysOfLedger = ledgerCheck("keys of the ledger", (reader, { home: { keys } }) => [
  ...attempt(() => reader.signer(keys), RESTORE),
  ...attempt(() => reader.manifestSigner(keys), RESTORE),
  ...attempt(() => assertIntakeKey(reader.meta, keys), RESTORE),
]);

function assertIntakeKey({ environment, intake_check }: LedgerReader["meta"], keys: string): void {
  if (loadIntakeKey(keys, environment).check === intake_check) return;
  const path = intakeKeyPath(keys, environment);
  throw new OperatorError(`${path}: not the secret that the ledger was created with`);
}

export const stateKey: Check = {
  name: "key of the state",
  find({ config, home }) {
    const path = home.stateKey;
    const hasState = config.stateUrl !== undefined || existsSync(home.state);
    return findingIf(
      hasState && !existsSync(path),
      `${path} is missing, but the state exists: its secrets and the links in emails need this key`,
      config.stateUrl === undefined ? RESTORE : `${RESTORE}, or copy it from the machine that has it`,
    );
  },
};
