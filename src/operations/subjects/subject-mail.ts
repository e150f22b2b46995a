/** The emails that a demonstration writes into files: they have the address that they were meant for. */

import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ForeignFolder, readForeignFile } from "../../kernel/files/foreign-file.ts";
import { mailboxesIn } from "../../kernel/text/mailbox.ts";

/** No email of a demonstration comes near. */
const MAX_BYTES = 16 << 20;

/** The names of the files in `folder` that name this mailbox, in order. */
export function mailFilesOf(folder: string, mailbox: string): Promise<string[]> {
  return inFolder(folder, (opened) => filesNaming(opened, mailbox));
}

/** Returns the names of the deleted files. */
export function removeMailFilesOf(folder: string, mailbox: string): Promise<string[]> {
  return inFolder(folder, async (opened) => {
    const names = await filesNaming(opened, mailbox);
    for (const name of names) await rm(join(opened, name), { force: true });
    return names;
  });
}

/** The folder lies where another user may write, who could put a link in its place. */
async function inFolder(folder: string, work: (opened: string) => Promise<string[]>): Promise<string[]> {
  if (!existsSync(folder)) return [];
  using opened = new ForeignFolder(folder);
  return await work(opened.path);
}

/** Of finished emails, and of drafts of killed processes. */
async function filesNaming(folder: string, mailbox: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => /\.eml(\.[^.]+\.part)?$/.test(name));
  return names.sort().filter((name) => {
    const text = readForeignFile(folder, name, { maxBytes: MAX_BYTES }).toString("utf8");
    return mailboxesIn(text).has(mailbox);
  });
}
