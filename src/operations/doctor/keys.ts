import { existsSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "../../kernel/errors.ts";
import { intakeKeyPath, loadIntakeKey } from "../../ledger/keys/keys.ts";
import type { LedgerReader } from "../../ledger/reader.ts";
import { attempt, type Check, type CheckContext, findingIf, ledgerCheck } from "./check.ts";
import { restoreFile } from "./remedy.ts";

/** The newest signing key of the ledger, and the secret of intake. */
export const keysOfLedger = ledgerCheck("keys of the ledger", (reader, context) => {
  const { keys } = context.home;
  const { environment } = reader.meta;
  return [
    ...attempt(() => reader.signer(keys), restored(context, `${environment}.signing.json`)),
    ...attempt(() => reader.manifestSigner(keys), restored(context, `${environment}.manifest.json`)),
    ...attempt(
      () => assertIntakeKey(reader.meta, keys),
      restoreFile(context, intakeKeyPath(keys, environment)),
    ),
  ];
});

function restored(context: CheckContext, name: string): string {
  return restoreFile(context, join(context.home.keys, name));
}

function assertIntakeKey({ environment, intake_check }: LedgerReader["meta"], keys: string): void {
  if (loadIntakeKey(keys, environment).check === intake_check) return;
  const path = intakeKeyPath(keys, environment);
  throw new OperatorError(`${path}: not the secret that the ledger was created with`);
}

export const stateKey: Check = {
  name: "key of the state",
  find(context) {
    const { config, home } = context;
    const path = home.stateKey;
    const hasState = config.stateUrl !== undefined || existsSync(home.state);
    const mend = restoreFile(context, path);
    return findingIf(
      hasState && !existsSync(path),
      `${path} is missing, but the state exists: its secrets and the links in emails need this key`,
      config.stateUrl === undefined ? mend : `copy it from the machine that has it, or ${mend}`,
    );
  },
};
