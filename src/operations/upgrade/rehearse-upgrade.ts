import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { hasErrorCode, OperatorError } from "../../kernel/errors.ts";
import type { Home } from "../../kernel/home.ts";
import { copyKeys, copyPaths } from "../backup/backup-home.ts";
import { rehearseLedger } from "./ledger-part.ts";
import { databaseBytes } from "./measures.ts";
import type { Part, UpgradeOptions } from "./part.ts";
import { releasePart } from "./release-part.ts";
import { rehearseState } from "./state-part.ts";

export interface UpgradeRehearsal {
  readonly scratch_needed_bytes: number;
  readonly scratch_free_bytes: number;
  readonly parts: readonly Part[];
}

/** A copy, and as much again for its journal. */
const COPIES = 2;
const SLACK_BYTES = 16 << 20;
const MIB = 1 << 20;

/**
 * Migrates copies of ledger and state, and verifies them; the home stays as it is, and the copies are removed. Throws
 * OperatorError for too little space, and for whatever would stop this version from going on with the home.
 */
export async function rehearseUpgrade(home: Home, options: UpgradeOptions): Promise<UpgradeRehearsal> {
  const space = checkSpace(home, options);
  const folder = makeScratch(options.scratch);
  options.onFolder?.(folder);
  try {
    const copy = copyPaths(folder);
    copyKeys(home, copy.keys);
    const ledger = await namingDamage(home.ledger, () => rehearseLedger(home, copy, options));
    const state = await namingDamage(home.state, () => rehearseState(home, copy, options));
    const parts = [ledger, state, releasePart(home)].filter((part) => part !== undefined);
    return { ...space, parts };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    // The message names files of the copy, which is deleted.
    throw new OperatorError(error.message.replaceAll(folder, home.root), { cause: error });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function namingDamage<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!hasErrorCode(cause, "SQLITE_NOTADB") && !hasErrorCode(cause, "SQLITE_CORRUPT")) throw cause;
    throw new OperatorError(
      `${path} is damaged: ${String(cause)}: stop what writes to it, keep the file, and restore the newest backup`,
      { cause },
    );
  }
}

function makeScratch(folder: string): string {
  try {
    return mkdtempSync(join(folder, "presence-upgrade-check-"));
  } catch (cause) {
    throw new OperatorError(`--scratch ${folder}: not a folder that this user can write to: name another`, {
      cause,
    });
  }
}

function checkSpace(home: Home, { scratch, freeBytes }: UpgradeOptions): Omit<UpgradeRehearsal, "parts"> {
  const needed = COPIES * (databaseBytes(home.ledger) + databaseBytes(home.state)) + SLACK_BYTES;
  const free = freeBytes(scratch);
  if (free < needed)
    throw new OperatorError(
      `${scratch}: the copies need ${Math.ceil(needed / MIB)} MiB, and ${Math.floor(free / MIB)} MiB are free: name a folder on a larger disk with --scratch`,
    );
  return { scratch_needed_bytes: needed, scratch_free_bytes: free };
}
