import { existsSync, readFileSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { isSharedFolder } from "../../kernel/files/secret-file.ts";
import type { Home } from "../../kernel/home.ts";
import type { Account, ProcessUser } from "../../kernel/system-user.ts";
import { shellLine } from "../../kernel/text/terminal.ts";
import { type Finding, findingIf, ledgerCheck } from "./check.ts";

const INSTALL = "give the server a user of its own (docs/operations/install.md)";

/** For real data: the server's user reads neither ledger nor keys, and its unit closes them as well. */
export const separateUsers = ledgerCheck(
  "users of server and ledger",
  (reader, { home, serverUnit, user }) => {
    if (reader.meta.environment !== "production") return [];
    return [
      ...findingIf(
        !isSharedFolder(home.stateFolder),
        `${home.stateFolder}: the server shares a user with the ledger and its keys, and whoever takes it over can sign`,
        INSTALL,
      ),
      ...stateOwner(home),
      ...serverEntry(home, user),
      ...unitOf(serverUnit, home),
    ];
  },
);

/** Either user may have made the state; the server has it through its owner or its group, which must not be those of the ledger. */
function stateOwner({ state, stateFolder, ledger }: Home): Finding[] {
  if (!isSharedFolder(stateFolder) || !existsSync(state)) return [];
  const [{ uid, gid }, own] = [statSync(state), statSync(ledger)];
  return findingIf(
    uid === own.uid && gid === own.gid,
    `${state} and ${ledger} belong to the same user and group`,
    INSTALL,
  );
}

function serverEntry(home: Home, user: ProcessUser): Finding[] {
  if (!existsSync(home.state)) return [];
  return entryOf(user.accountOf(statSync(dirname(home.state)).uid), home, user, "start the server again");
}

/** Debian's user of nginx; another front server is the operator's to check. */
const WEB_USER = "www-data";

/** The front server reads the releases through `current`. */
export const webServer = ledgerCheck("front server", (reader, { home, user }) =>
  reader.meta.environment === "production"
    ? entryOf(user.accountOf(WEB_USER), home, user, "restart nginx")
    : [],
);

/** With a home that is open to its group only, whoever reads the releases must be in that group; and all folders above must be open. */
function entryOf(reader: Account | undefined, { night }: Home, user: ProcessUser, then: string): Finding[] {
  const { uid, gid } = statSync(night);
  if (reader === undefined || reader.uid === uid) return [];
  const groups = user.groupsOf(reader);
  const isClosed = (folder: string) => !mayEnter(statSync(folder), reader, groups);
  const group = user.groupOf(gid)?.name ?? String(gid);
  return [
    ...foldersAbove(night)
      .filter(isClosed)
      .map((folder) => ({
        problem: `${reader.name} may not enter ${folder}, so it reaches no release`,
        mend: `run \`${shellLine(["chmod", "o+x", folder])}\` as root, or move the home`,
      })),
    ...findingIf(
      isClosed(night),
      `${reader.name} may not enter ${night}: it is not in the group ${group}`,
      `${shellLine(["usermod", "--append", "--groups", group, reader.name])}, and ${then}`,
    ),
  ];
}

function mayEnter({ uid, gid, mode }: Stats, reader: Account, groups: readonly number[]): boolean {
  if (uid === reader.uid) return (mode & 0o100) !== 0;
  return (mode & (groups.includes(gid) ? 0o010 : 0o001)) !== 0;
}

function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [...foldersAbove(above), above];
}

/** What the server's unit leaves open, if it is installed. */
function unitOf(path: string, { ledger, keys }: Home): Finding[] {
  if (!existsSync(path)) return [];
  const closed = inaccessiblePaths(readFileSync(path, "utf8"));
  return [ledger, keys].flatMap((secret) =>
    findingIf(
      !closed.has(secret),
      `${path}: InaccessiblePaths does not name ${secret}`,
      "copy deploy/systemd/presence.service again, with your PRESENCE_HOME",
    ),
  );
}

/** The paths of all `InaccessiblePaths=` lines; a leading `-` allows for a missing path. */
function inaccessiblePaths(unit: string): Set<string> {
  const lines = unit.matchAll(/^InaccessiblePaths=(.*)$/gm);
  return new Set(
    [...lines].flatMap(([, list = ""]) => list.split(/\s+/).map((path) => path.replace(/^[-+]+/, ""))),
  );
}
