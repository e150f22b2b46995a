/** For tests: repositories of Debian's restic in a folder of the test. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { installDebianPackages } from "../../../build-scripts/debian-packages.ts";

const isThere = () => spawnSync("restic", ["version"]).status === 0;

/** Whether this machine has it; as root it is installed. */
export async function hasRestic(): Promise<boolean> {
  if (!isThere()) await installDebianPackages("restic");
  return isThere();
}

/** The settings of two new repositories in a folder; `presence backup init` makes them. */
export function repositoriesIn(folder: string): Record<string, string> {
  const [password, keysPassword] = ["password", "keys-password"].map((name) => join(folder, name));
  writeFileSync(password ?? "", "of the test\n");
  writeFileSync(keysPassword ?? "", "of the keys of the test\n");
  return {
    BACKUP_REPOSITORY: join(folder, "data"),
    BACKUP_PASSWORD_FILE: password ?? "",
    BACKUP_KEYS_REPOSITORY: join(folder, "keys"),
    BACKUP_KEYS_PASSWORD_FILE: keysPassword ?? "",
  };
}

/** What restic itself says, beside the program. */
export function restic(env: Record<string, string>, which: "data" | "keys", args: readonly string[]): string {
  const isData = which === "data";
  const { stdout, stderr, status } = spawnSync("restic", args, {
    encoding: "utf8",
    env: {
      PATH: "/usr/bin:/bin",
      RESTIC_CACHE_DIR: join(env["BACKUP_REPOSITORY"] ?? "", "../cache"),
      RESTIC_REPOSITORY: env[isData ? "BACKUP_REPOSITORY" : "BACKUP_KEYS_REPOSITORY"],
      RESTIC_PASSWORD_FILE: env[isData ? "BACKUP_PASSWORD_FILE" : "BACKUP_KEYS_PASSWORD_FILE"],
    },
  });
  if (status === 0) return stdout;
  throw new Error(stderr);
}
