import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { OperatorError } from "../../kernel/errors.ts";
import { type Home, homePaths } from "../../kernel/home.ts";
import type { ProcessUser } from "../../kernel/system-user.ts";
import { shellLine } from "../../kernel/text/terminal.ts";
import { isHeld } from "../../state/database/database-file.ts";
import { accountOrNumber, homeOwners } from "../acting-user.ts";
import { type Part, STATE_TO_RESTORE } from "./restore-home.ts";

/** Which parts of a home a user restores: the whole of one that is to be made, or the folders that wait for it and belong to it. */

export const PARTS: readonly Part[] = ["night", "state"];

type Machine = Pick<ProcessUser, "uid" | "accountOf">;

/** Throws OperatorError where both folders are other users'. */
export function ownParts(target: string, user: Machine): "whole" | readonly Part[] {
  const waiting = existsSync(target) ? readdirSync(target) : [];
  if (!PARTS.some((part) => waiting.includes(part))) return "whole";
  const { home, state } = homeOwners(homePaths(target));
  const owners = { night: waiting.includes("night") ? home : undefined, state };
  const own = PARTS.filter((part) => owners[part]?.uid === user.uid);
  if (own.length > 0) return own;
  const names = PARTS.flatMap((part) => {
    const owner = owners[part];
    return owner === undefined ? [] : [`${part}/ as ${accountOrNumber(user, owner).name}`];
  });
  throw new OperatorError(`${target}: its folders belong to other users: restore ${names.join(", and ")}`);
}

/** The lines that follow a restore. Each acts as one user alone, so that no folder which another user exchanges leads it elsewhere. */
export function nextSteps(
  target: string,
  parts: "whole" | readonly Part[],
  hasState: boolean,
  user: Machine,
): string[] {
  const end = "Next: presence build, presence verify.";
  if (parts === "whole" || parts.length === PARTS.length) return [end];
  const { home, state } = homeOwners(homePaths(target));
  const as = (owner: typeof home, ...words: readonly string[]) =>
    shellLine([
      "runuser",
      "-u",
      owner === undefined ? "OWNER" : accountOrNumber(user, owner).name,
      "--",
      ...words,
    ]);
  const handedOver = join(target, "night", STATE_TO_RESTORE);
  const remove = `  ${as(home, "rm", "-r", handedOver)}`;
  if (parts.includes("state")) return ["Next, as root:", remove, end];
  if (!hasState) return [end];
  return [
    `The state is not restored yet: it belongs to another user, who may not read the backup. It lies in ${handedOver}. As root:`,
    `  folder=$(${as(state, "mktemp", "-d")})`,
    `  ${as(home, "tar", "-C", handedOver, "-c", ".")} | ${as(state, "tar", "-x", "-C")} "$folder"`,
    `  ${as(state, "presence", "restore")} "$folder" --into ${shellLine([target])}`,
    `  ${as(state, "rm", "-r")} "$folder"`,
    remove,
    end,
  ];
}

/**
 * Who has the databases of a home open. A lock is tried on each file that is there: every connection to a database in WAL mode holds a shared
 * one. A process that still has a file open after somebody deleted it has no lock to try; Linux names its open files.
 */

const PROCESSES = "/proc";

/**
 * Throws OperatorError when a process has a database of these parts of the home open, also a deleted one. Of another user's part nothing could be
 * said: this user may not open it.
 */
export function refuseHeldHome(home: Home, parts: readonly Part[] = PARTS, processes = PROCESSES): void {
  const databases = { night: home.ledger, state: home.state };
  for (const path of parts.map((part) => resolve(databases[part]))) {
    const pids = holdersOf(path, processes);
    if (pids.length === 0 && !(existsSync(path) && isHeld(path))) continue;
    const who = pids.length === 0 ? "another process" : `process ${pids.join(", ")}`;
    throw new OperatorError(
      `${path}: ${who} has it open: stop the server, every worker and the timers, and restore then; what they write would be lost`,
    );
  }
}

/** The processes that this user may look into, except this one. */
function holdersOf(path: string, processes: string): string[] {
  const pids = existsSync(processes) ? readdirSync(processes).filter((name) => /^\d+$/.test(name)) : [];
  const names = new Set([path, `${path} (deleted)`]);
  return pids.filter(
    (pid) =>
      pid !== String(process.pid) && openFiles(join(processes, pid, "fd")).some((file) => names.has(file)),
  );
}

function openFiles(folder: string): string[] {
  try {
    return readdirSync(folder).map((descriptor) => linkTarget(join(folder, descriptor)));
  } catch {
    return []; // another user's, or ended meanwhile
  }
}

function linkTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ""; // closed meanwhile
  }
}
