/** The signed report of a machine that checks the backups as a whole, kept beside them: an intruder on the serving machine cannot write one. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RestoreCheck } from "../../../kernel/backup-status.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { createSecret } from "../../../kernel/files/secret-file.ts";
import type { Home } from "../../../kernel/home.ts";
import type { RandomBytes } from "../../../kernel/ids.ts";
import { newSigner, readSigner, signingFileText } from "../../../ledger/keys/keys.ts";
import { openNote, parseVkey, type StoredSigner } from "../../../ledger/keys/note.ts";
import { FormatError } from "../../../proof/tlog/bytes.ts";
import type { Store } from "./store.ts";

const KEY_NAME = "presence-backup-check";
const TITLE = "Presence backup check v1\n";
const FILE_NAME = "report";

/** The signer in a key file, which is made if there is none. */
export function reportSigner(path: string, random: RandomBytes): StoredSigner {
  createSecret(path, signingFileText(newSigner(KEY_NAME, random)));
  return readSigner(path);
}

export async function storeReport(
  { data }: Store,
  scratch: string,
  signer: StoredSigner,
  report: RestoreCheck,
): Promise<void> {
  const folder = mkdtempSync(join(scratch, "backup-report-"));
  try {
    writeFileSync(join(folder, FILE_NAME), signer.sign(`${TITLE}${JSON.stringify(report)}\n`));
    await data.store("report", folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Undefined where no other machine is configured, or before its first report. Throws OperatorError for one that its key has not signed. */
export async function newestReport(
  { data, checkVkey }: Store,
  { backupStaging }: Home,
): Promise<RestoreCheck | undefined> {
  if (checkVkey === undefined) return undefined;
  const snapshot = await data.newest("report");
  if (snapshot === undefined) return undefined;
  rmSync(backupStaging, { recursive: true, force: true });
  mkdirSync(backupStaging, { mode: 0o700 });
  try {
    await data.restore(snapshot, backupStaging);
    return openReport(readFileSync(join(backupStaging, FILE_NAME), "utf8"), checkVkey);
  } finally {
    rmSync(backupStaging, { recursive: true });
  }
}

function openReport(note: string, vkey: string): RestoreCheck {
  try {
    const text = openNote(note, parseVkey(vkey));
    if (!text.startsWith(TITLE)) throw new FormatError("not a report of a check");
    return RestoreCheck.parse(JSON.parse(text.slice(TITLE.length)));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(
      `the report of the whole check beside the backups is not to be trusted: ${reason}`,
      {
        cause,
      },
    );
  }
}
