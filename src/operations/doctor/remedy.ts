/** The commands that bring back what only a backup holds. */

import { join, relative } from "node:path";
import { shellLine } from "../../kernel/text/shell-word.ts";
import type { CheckContext } from "./check.ts";

type Place = Pick<CheckContext, "home" | "config">;
type Line = readonly string[];

/**
 * With the published checkpoint of this machine, so that no backup older than what the world has seen is restored. The restored home gets owner and
 * modes of the one that is there.
 */
export function restoreHome({ home, config }: Place): string {
  const restored = `${home.root}.restored`;
  const published = join(home.current, "site/ledger/checkpoint");
  return steps([
    [...restore(config), "--into", restored, "--published", published],
    ["mv", home.root, `${home.root}.damaged`],
    ["mv", restored, home.root],
    ["presence", "build"],
  ]);
}

export function restoreFile(place: Place, path: string): string {
  return steps(fileFromBackup(place, path));
}

/** The log of the damaged database must not meet another file. */
export function restoreDatabase(place: Place, path: string): string {
  return steps([
    ["mv", path, `${path}.damaged`],
    ["rm", "-f", `${path}-wal`, `${path}-shm`],
    ...fileFromBackup(place, path),
  ]);
}

function fileFromBackup({ home, config }: Place, path: string): Line[] {
  const restored = `${home.root}.restored`;
  return [
    [...restore(config), "--into", restored],
    ["cp", "-p", join(restored, relative(home.root, path)), path],
    ["rm", "-r", restored],
  ];
}

function steps(lines: readonly Line[]): string {
  const shown = lines.map((words) => `\`${shellLine(words)}\``).join(", ");
  return `stop the server, every worker and the timers, then run ${shown}`;
}

/** From the repositories, or else from the folder that the operator names. */
function restore({ backup }: CheckContext["config"]): string[] {
  return ["presence", "restore", ...(backup === undefined ? ["BACKUP"] : [])];
}
