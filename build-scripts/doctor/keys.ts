import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { SECRET_MODE } from "../../src/kernel/secret-file.ts";
import { intakeKeyPath, loadIntakeKey } from "../../src/ledger/keys.ts";
import { stateKeyPath } from "../../src/state/open-state.ts";
import { type Check, type Finding, findingOf, withLedger } from "./check.ts";

const SECRETS = /\.(signing|intake)\.json$|^state\.key$/;
const OTHERS = 0o077;
const RESTORE = "restore the file from your backup of keys/";

export const keyPermissions: Check = {
  name: "key permissions",
  find({ home }) {
    if (!existsSync(home.keys)) return [];
    const paths = readdirSync(home.keys)
      .filter((name) => SECRETS.test(name))
      .map((name) => join(home.keys, name));
    return paths.flatMap((path): Finding[] => {
      const mode = statSync(path).mode & 0o777;
      if ((mode & OTHERS) === 0) return [];
      return [
        {
          problem: `${path}: other users may read this key (mode ${mode.toString(8)})`,
          mend: `chmod ${SECRET_MODE.toString(8)} ${path}; if others could log in meanwhile, rotate the signing key`,
        },
      ];
    });
  },
};

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
