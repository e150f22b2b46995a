/** Owners and modes of the settings and secrets of the service, as far as this user may look. */
import { existsSync, lstatSync, readdirSync, type Stats } from "node:fs";
import { basename, join } from "node:path";
import { hasErrorCode } from "../../kernel/errors.ts";
import { shellLine } from "../../kernel/text/terminal.ts";
import type { CheckContext, Finding } from "./check.ts";

const ROOT = 0;
/** Folders of the manual that hold no secrets: column maps, and texts for the pages. */
const OPEN_FOLDERS = new Set(["maps", "texts"]);

interface Entry {
  readonly path: string;
  readonly stats: Stats;
  readonly isOfUser: boolean; // in the folder of one user: a secret, or settings with some
}

/** Root alone writes all of it; in the folder of a user, only that user's group reads. */
export function settingsFiles({ settingsFolder }: CheckContext): Finding[] {
  if (!existsSync(settingsFolder)) return [];
  const top = entriesOf(settingsFolder, false);
  const folders = top.filter(({ stats }) => stats.isDirectory());
  const secrets = folders.flatMap(({ path }) => entriesOf(path, !OPEN_FOLDERS.has(basename(path))));
  const own: Entry = { path: settingsFolder, stats: lstatSync(settingsFolder), isOfUser: false };
  return [own, ...top, ...secrets].flatMap(faultsOf);
}

/** Nothing of a folder that this user may not read: its own user's doctor looks there. */
function entriesOf(folder: string, isOfUser: boolean): Entry[] {
  try {
    return readdirSync(folder).map((name) => {
      const path = join(folder, name);
      return { path, stats: lstatSync(path), isOfUser };
    });
  } catch (error) {
    if (hasErrorCode(error, "EACCES") || hasErrorCode(error, "ENOENT")) return [];
    throw error;
  }
}

function faultsOf({ path, stats, isOfUser }: Entry): Finding[] {
  const mode = stats.mode & 0o777;
  if (stats.isSymbolicLink()) return []; // its target counts, and root's folder says who made it
  const line = (...words: string[]) => `\`${shellLine([...words, path])}\` as root`;
  return [
    ...faultIf(
      stats.uid !== ROOT,
      `${path}: belongs to another user than root, who can change the settings`,
      line("chown", "root"),
    ),
    ...faultIf(
      (mode & 0o022) !== 0,
      `${path}: others than root may change it (mode ${mode.toString(8)})`,
      line("chmod", "go-w"),
    ),
    ...faultIf(
      isOfUser && (mode & 0o007) !== 0,
      `${path}: every user may read it (mode ${mode.toString(8)}), and it may hold secrets`,
      line("chmod", "o-rwx"),
    ),
  ];
}

function faultIf(isWrong: boolean, problem: string, mend: string): Finding[] {
  return isWrong ? [{ problem, mend }] : [];
}
