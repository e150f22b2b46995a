import { OperatorError } from "../../../kernel/errors.ts";
import type { Home } from "../../../kernel/home.ts";
import { acquireLock, type Lock } from "../../../ledger/database/lock.ts";
import { type CommandContext, homeOf } from "../../context.ts";
import { Repository } from "./restic.ts";

/** The configured repositories: ledger and state in one, the keys apart in another. */
export interface Store {
  readonly data: Repository;
  readonly keys: Repository;
  readonly keptDays: number;
  readonly checkVkey: string | undefined;
}

/** `cache` is restic's folder. Throws OperatorError without any repository. */
export function storeOf(
  context: Pick<CommandContext, "config">,
  cache: string = homeOf(context).backupCache,
): Store {
  const { backup } = context.config;
  if (backup === undefined)
    throw new OperatorError(
      "no repository for backups is configured: set BACKUP_REPOSITORY and what belongs to it, or name a folder: `presence backup FOLDER`",
    );
  const { keptDays, checkVkey } = backup;
  const edges = { cache, s3: backup.s3 };
  return {
    data: new Repository(backup.data, edges),
    keys: new Repository(backup.keys, edges),
    keptDays,
    checkVkey,
  };
}

/** One process of this machine at a time writes to the repositories. */
export function lockStore(home: Home, what: string, waitMs = 0): Lock {
  return acquireLock(`${home.night}/backup.lock`, what, waitMs);
}
