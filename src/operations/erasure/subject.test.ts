import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { mailFilesOf, removeMailFilesOf } from "./subject.ts";

const MAILBOX = "reader@mail.example";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "presence-mail-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("the emails to a mailbox are found, and removed", async () => {
  writeFileSync(join(folder, "1.eml"), `To: ${MAILBOX}`);
  writeFileSync(join(folder, "2.eml"), "To: other@mail.example");
  expect(await mailFilesOf(folder, MAILBOX)).toEqual(["1.eml"]);
  expect(await removeMailFilesOf(folder, MAILBOX)).toEqual(["1.eml"]);
  expect(readdirSync(folder)).toEqual(["2.eml"]);
  expect(await mailFilesOf(join(folder, "none"), MAILBOX)).toEqual([]);
});

test("what another user put in the way is neither followed nor waited for", async () => {
  const elsewhere = join(folder, "elsewhere");
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "1.eml"), `To: ${MAILBOX}`);
  symlinkSync(elsewhere, join(folder, "mail"));
  await expect(removeMailFilesOf(join(folder, "mail"), MAILBOX)).rejects.toThrow(/mail: a link/);
  expect(readdirSync(elsewhere)).toEqual(["1.eml"]);
  execFileSync("mkfifo", [join(folder, "2.eml")]);
  await expect(mailFilesOf(folder, MAILBOX)).rejects.toThrow(/2\.eml: not a regular file/);
});
