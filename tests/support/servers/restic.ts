/** For tests: deploy/backup with repositories of Debian's restic in a folder of the test. */
import { execFile, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { installDebianPackages } from "../../../build-scripts/ensure-browser.ts";
import { PROJECT } from "../operations/presence-process.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";
const isThere = () =>
  spawnSync("restic", ["version"]).status === 0 && spawnSync("jq", ["--version"]).status === 0;

/** Whether this machine has restic and jq; as root they are installed. */
export async function hasRestic(): Promise<boolean> {
  if (!isThere()) await installDebianPackages("restic", "jq");
  return isThere();
}

/**
 * The settings of a service that backs up into new repositories in a folder; `presence-backup init` makes them. The folder has this command, with
 * the settings of the script and a `presence` of this project; `words` go before it, to move its clock for instance.
 */
export function repositoriesIn(folder: string, words = ""): Record<string, string> {
  for (const name of ["data", "keys"]) writeFileSync(join(folder, `${name}-password`), `of the ${name}\n`);
  const hook = join(folder, "presence-backup");
  const lines = [
    "#!/bin/sh",
    `export PATH=${PROJECT}/bin:${PATH} BACKUP_CONFIG=/none`,
    `export BACKUP_REPOSITORY="\${BACKUP_REPOSITORY:-${folder}/data}" BACKUP_PASSWORD_FILE=${folder}/data-password`,
    `export BACKUP_KEYS_REPOSITORY="\${BACKUP_KEYS_REPOSITORY:-${folder}/keys}" BACKUP_KEYS_PASSWORD_FILE=${folder}/keys-password`,
    `exec ${words} ${PROJECT}/deploy/backup/presence-backup "$@"`,
  ];
  writeFileSync(hook, `${lines.join("\n")}\n`, { mode: 0o755 });
  return { BACKUP_HOOK: hook };
}

/** Runs a task of the script in such a folder. Rejects with what it said when it fails. */
export async function presenceBackup(
  folder: string,
  home: string,
  args: readonly string[],
  { days = 0 }: { readonly days?: number } = {},
): Promise<string> {
  const moved = days === 0 ? [] : ["faketime", "-f", `+${days}d`];
  const [program = "", ...rest] = [...moved, join(folder, "presence-backup"), ...args];
  return (await promisify(execFile)(program, rest, { env: { PATH, PRESENCE_HOME: home } })).stdout;
}

/** What restic itself says, beside the script. */
export function restic(folder: string, which: "data" | "keys", args: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync("restic", args, {
    encoding: "utf8",
    env: {
      PATH,
      RESTIC_CACHE_DIR: join(folder, "cache"),
      RESTIC_REPOSITORY: join(folder, which),
      RESTIC_PASSWORD_FILE: join(folder, `${which}-password`),
    },
  });
  if (status === 0) return stdout;
  throw new Error(stderr);
}
