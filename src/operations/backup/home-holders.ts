/**
 * Who has the databases of a home open. A lock is tried on each file that is there: every connection to a database in WAL mode holds a shared
 * one. A process that still has a file open after somebody deleted it has no lock to try; Linux names its open files.
 */

import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { OperatorError } from "../../kernel/errors.ts";
import type { Home } from "../../kernel/home.ts";
import { isHeld } from "../../state/database/database-file.ts";
import type { Part } from "./restore-home.ts";
import { PARTS } from "./restore-parts.ts";

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
