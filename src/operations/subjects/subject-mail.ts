/** The emails that a demonstration writes into files: they have the address that they were meant for. */

import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { hasErrorCode } from "../../kernel/errors.ts";
import { mailboxesIn } from "../../kernel/text/mailbox.ts";

/** The names of the files in `folder` that name this mailbox, in order. */
export async function mailFilesOf(folder: string, mailbox: string): Promise<string[]> {
  const named: string[] = [];
  for (const name of (await namesIn(folder)).sort()) {
    const text = await readFile(join(folder, name), "utf8");
    if (mailboxesIn(text).has(mailbox)) named.push(name);
  }
  return named;
}

/** Returns the names of the deleted files. */
export async function removeMailFilesOf(folder: string, mailbox: string): Promise<string[]> {
  const names = await mailFilesOf(folder, mailbox);
  for (const name of names) await rm(join(folder, name), { force: true });
  return names;
}

/** Finished emails, and drafts of killed processes. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => /\.eml(\.[^.]+\.part)?$/.test(name));
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return [];
    throw error;
  }
}
