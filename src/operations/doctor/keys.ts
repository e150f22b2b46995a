import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { SECRET_MODE } from "../../kernel/files/secret-file.ts";
import { intakeKeyPath, loadIntakeKey } from "../../ledger/keys/keys.ts";
import { stateKeyPath } from "../../state/open-state.ts";
import { type Check, type Finding, findingOf, withLedger } from "./check.ts";

const SECRETS = /\.(signing|intake)\.json$|^state\.key$/;
const OTHERS = 0o077;
const RESTORE = "restore the file from your backup of keys/";

/** Keys, and the databases with private values: a front server may well be allowed to enter the folder. */
export const permissions: Check = {
  name: "permissions",
  find({ home }) {
    const names = existsSync(home.keys) ? readdirSync(home.keys).filter((name) => SECRETS.test(name)) : [];
    const databases = [home.ledger, home.state].filter((path) => existsSync(path));
    return [
      ...databases.flatMap((path) => openToOthers(path, "what it holds privately counts as seen by them")),
      ...names.flatMap((name) => openToOthers(join(home.keys, name), "rotate the signing key")),
    ];
  },
};

function openToOthers(path: string, ifRead: string): Finding[] {
  const mode = statSync(path).mode & 0o777;
  if ((mode & OTHERS) === 0) return [];
  return [
    {
      problem: `${path}: other users may read this file (mode ${mode.toString(8)})`,
      mend: `chmod ${SECRET_MODE.toString(8)} ${path}*; if others could log in meanwhile, ${ifRead}`,
    },
  ];
}

/** The newest signing key of the ledger, and the secret of intake. */
export const keysOfLedger: Check = {
  name: "keys of the ledger",
  find: (patient) =>
    withLedger(patient, (reader) => {
      const { keys } = patient.home;
      const { environment, intake_check } = reader.meta;
      const findings: Finding[] = [];
      try {
        reader.signer(keys);
      } catch (error) {
        findings.push(findingOf(error, RESTORE));
      }
      try {
        if (loadIntakeKey(keys, environment).check !== intake_check)
          findings.push({
            problem: `${intakeKeyPath(keys, environment)}: not the secret that the ledger was made with`,
            mend: RESTORE,
          });
      } catch (error) {
        findings.push(findingOf(error, RESTORE));
      }
      return findings;
    }),
};

export const stateKey: Check = {
  name: "key of the state",
  find({ config, home }) {
    const path = stateKeyPath(home);
    const hasState = config.stateUrl !== undefined || existsSync(home.state);
    if (!hasState || existsSync(path)) return [];
    return [
      {
        problem: `${path} is missing, but there is a state: its secrets and the links in mails hang on it`,
        mend: config.stateUrl === undefined ? RESTORE : `${RESTORE}, or copy it from the machine that has it`,
      },
    ];
  },
};
