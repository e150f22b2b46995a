import { accessSync, constants } from "node:fs";
import { Environment } from "../contract/enums.ts";
import type { Config } from "../kernel/config/config.ts";
import { OperatorError } from "../kernel/errors.ts";
import type { Home } from "../kernel/home.ts";
import type { Log } from "../kernel/log.ts";
import { intakeKeyPath, manifestKeyPath, signingKeyPath } from "../ledger/keys/keys.ts";

/** The ledger and its keys, as far as this process may read them. Names are tried, because the folder may be closed to a listing. */
export function readableSecrets({ ledger, keys }: Pick<Home, "ledger" | "keys">): string[] {
  const paths = Environment.options.flatMap((environment) => [
    signingKeyPath(keys, environment),
    manifestKeyPath(keys, environment),
    intakeKeyPath(keys, environment),
  ]);
  return [ledger, ...paths].filter(mayRead);
}

function mayRead(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

interface ServerStart {
  readonly config: Pick<Config, "serverSecrets">;
  readonly home: Pick<Home, "ledger" | "keys">;
  readonly environment: Environment | undefined; // undefined before the first release
  readonly log: Log;
}

/**
 * For a server of real data: whoever takes it over must not get the keys. Throws OperatorError when it may read ledger or keys and
 * SERVER_SECRETS is `refuse`; with `warn` it logs them. A demonstration's keys are worth nothing.
 */
export function assertSecretsClosed({ config, home, environment, log }: ServerStart): void {
  if (environment === "demo" || config.serverSecrets === "allow") return;
  const open = readableSecrets(home);
  if (open.length === 0) return;
  if (config.serverSecrets === "warn") log.error("secrets_open_to_server", { paths: open.join(" ") });
  else
    throw new OperatorError(
      `the server may read ${open.join(", ")}: run it as a user of its own (docs/operations/install.md). ` +
        "To accept the risk on a machine with one user, set SERVER_SECRETS to warn",
    );
}
