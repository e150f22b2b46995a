import { existsSync } from "node:fs";
import { OperatorError } from "../../kernel/errors.ts";
import { intakeKeyPath, loadIntakeKey } from "../../ledger/keys/keys.ts";
import type { LedgerReader } from "../../ledger/reader.ts";
import { attempt, type Check, findingIf, ledgerCheck } from "./check.ts";

const RESTORE = "restore the file from your backup of keys/";

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
