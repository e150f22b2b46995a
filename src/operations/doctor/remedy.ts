/**
 * The commands that bring back what only a backup holds. With two users each line has the power of one of them: what lies in their folders is changed
 * by their owner, and root names only what lies in its own.
 */

import { lstatSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { shellLine } from "../../kernel/text/terminal.ts";
import { accountOrNumber, asUser, homeOwners, isStateShared, type Owner } from "../home-access.ts";
import type { CheckContext } from "./check.ts";

type Place = Pick<CheckContext, "home" | "config" | "user">;
type Line = readonly string[];

/** With the published checkpoint of this machine, so that no backup older than what the world has seen is restored. */
export function restoreHome(place: Place): string {
  const { home } = place;
  const restored = `${home.root}.restored`;
  const { words, owners } = powers(place);
  const published = join(home.current, "site/ledger/checkpoint");
  const { fetching, backup, removing } = backupFor(place);
  const own = words(owners?.night);
  const restoring = [
    ...fetching,
    shellLine([...own, "presence", "restore", ...backup, "--into", restored, "--published", published]),
  ];
  const others = [
    ...removing,
    shellLine(["mv", home.root, `${home.root}.damaged`]),
    shellLine(["mv", restored, home.root]),
    shellLine([...own, "presence", "build"]),
  ];
  if (owners === undefined) return steps(place, [...restoring, ...others]);
  const first = steps(place, [...emptyHome(restored, owners, place), ...restoring]);
  return `${first}, and the lines that this one prints, which restore the state; then ${quoted(others)}`;
}

/** The folders of a new home, as the installation makes them. Root makes them in a folder that only root changes. */
function emptyHome(root: string, { night, state }: Owners, { home, user }: Place): string[] {
  const folder = (name: string, { uid, gid }: Owner, mode: string) => {
    const owner = user.accountOf(uid)?.name ?? String(uid);
    const group = user.groupOf(gid)?.name ?? String(gid);
    return shellLine(["install", "-d", "-o", owner, "-g", group, "-m", mode, join(root, name)]);
  };
  return [
    shellLine(["install", "-d", "-m", "755", root]),
    folder("night", night, (lstatSync(home.night).mode & 0o755).toString(8)),
    folder("state", state, "2770"),
  ];
}

export function restoreFile(place: Place, path: string): string {
  return steps(place, fileFromBackup(place, path));
}

/** The log of the damaged database must not meet another file. */
export function restoreDatabase(place: Place, path: string): string {
  const { words, owners } = powers(place);
  const own = words(dirname(path) === place.home.stateFolder ? owners?.state : owners?.night);
  return steps(place, [
    shellLine([...own, "mv", path, `${path}.damaged`]),
    shellLine([...own, "rm", "-f", `${path}-wal`, `${path}-shm`]),
    ...fileFromBackup(place, path),
  ]);
}

/** Only the owner of `night/` may read a backup; what belongs into `state/` is handed to its owner through a pipe. */
function fileFromBackup(place: Place, path: string): string[] {
  const { home } = place;
  const { words, owners } = powers(place);
  const restored = owners === undefined ? `${home.root}.restored` : join(home.night, "restored");
  const copy = join(restored, relative(home.root, path));
  const own = words(owners?.night);
  const isOfState = owners !== undefined && dirname(path) === home.stateFolder;
  const { fetching, backup, removing } = backupFor(place);
  return [
    ...fetching,
    shellLine([...own, "presence", "restore", ...backup, "--into", restored]),
    isOfState
      ? `${shellLine([...own, "cat", copy])} | ${shellLine([...words(owners.state), ...takeIn(path)])}`
      : shellLine([...own, "cp", "-p", copy, path]),
    shellLine([...own, "rm", "-r", restored]),
    ...removing,
  ];
}

/** The newest backup off the machine, where one is configured, or else the folder that the operator names. */
function backupFor(place: Place) {
  if (place.config.backupHook === undefined) return { fetching: [], backup: ["BACKUP"], removing: [] };
  const { words, owners } = powers(place);
  const own = words(owners?.night);
  const folder = owners === undefined ? `${place.home.root}.fetched` : join(place.home.night, "fetched");
  return {
    fetching: [shellLine([...own, "presence-backup", "fetch", folder])],
    backup: [join(folder, "home"), "--keys", join(folder, "keys")],
    removing: [shellLine([...own, "rm", "-r", folder])],
  };
}

/** A new file for the group of `state/`, which reads the key and writes the database. */
function takeIn(path: string): Line {
  const mask = basename(path) === "state.key" ? "027" : "007";
  return ["sh", "-c", `umask ${mask} && set -C && cat > "$1"`, "sh", path];
}

interface Owners {
  readonly night: Owner;
  readonly state: Owner;
}

/** The owners of a home of two users, and the words before a command that give it the power of one of them, as root types them. */
function powers({ home, user }: Place): {
  owners: Owners | undefined;
  words: (owner: Owner | undefined) => Line;
} {
  const { home: night, state } = homeOwners(home);
  const isOfTwo = night !== undefined && state !== undefined && isStateShared(home);
  return {
    owners: isOfTwo ? { night, state } : undefined,
    words: (owner) => (owner === undefined ? [] : asUser(0, accountOrNumber(user, owner))),
  };
}

function steps(place: Place, lines: readonly string[]): string {
  const { home: owner } = homeOwners(place.home);
  const who =
    powers(place).owners !== undefined
      ? " as root"
      : owner === undefined || owner.uid === place.user.uid
        ? ""
        : ` as ${accountOrNumber(place.user, owner).name}`;
  return `stop the server, every worker and the timers, then run${who} ${quoted(lines)}`;
}

function quoted(lines: readonly string[]): string {
  return lines.map((line) => `\`${line}\``).join(", ");
}
