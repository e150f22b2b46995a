import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Home } from "../../kernel/home.ts";
import type { ProcessUser } from "../../kernel/system-user.ts";
import { shellLine } from "../../kernel/text/shell-word.ts";
import { type Finding, findingIf, ledgerCheck } from "./check.ts";

const INSTALL = "give the server a user of its own (docs/operations/install.md)";

/** For real data: the server's user reads neither ledger nor keys, and its unit closes them as well. */
export const separateUsers = ledgerCheck(
  "users of server and ledger",
  (reader, { config, home, serverUnit, user }) => {
    if (reader.meta.environment !== "production") return [];
    return [
      ...findingIf(
        config.stateFolder === undefined,
        "STATE_FOLDER is unset: the server shares a user with the ledger and its keys, and whoever takes it over can sign",
        INSTALL,
      ),
      ...stateOwner(home),
      ...(home.stateIsShared ? serverEntry(home, user) : []),
      ...unitOf(serverUnit, home),
    ];
  },
);

/** Either user may have made the state; the server has it through its owner or its group, which must not be those of the ledger. */
function stateOwner({ state, ledger, stateIsShared }: Home): Finding[] {
  if (!stateIsShared || !existsSync(state)) return [];
  const [{ uid, gid }, own] = [statSync(state), statSync(ledger)];
  return findingIf(
    uid === own.uid && gid === own.gid,
    `${state} and ${ledger} belong to the same user and group`,
    INSTALL,
  );
}

/** With a home that is open to its group only, the server must be in that group. */
function serverEntry({ root, state }: Home, user: ProcessUser): Finding[] {
  if (!existsSync(state)) return [];
  const home = statSync(root);
  const server = user.accountOf(statSync(dirname(state)).uid);
  if (server === undefined || server.uid === home.uid || (home.mode & 0o001) !== 0) return [];
  const group = user.groupOf(home.gid)?.name ?? String(home.gid);
  return findingIf(
    !user.groupsOf(server).includes(home.gid),
    `${server.name} may not enter ${root}: it is not in the group ${group}`,
    `${shellLine(["usermod", "--append", "--groups", group, server.name])}, and start the server again`,
  );
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
