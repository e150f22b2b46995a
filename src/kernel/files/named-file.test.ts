import { execFileSync } from "node:child_process";
import { closeSync, lchownSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openRegular, readNamedFile } from "./named-file.ts";

const STRANGER = 64_199;

let folder: string;
let file: string;
let link: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "presence-named-"));
  file = join(folder, "file");
  link = join(folder, "link");
  writeFileSync(file, "text");
  symlinkSync(file, link);
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a link that this user made is followed", () => {
  expect([readNamedFile(file), readNamedFile(link)]).toEqual(["text", "text"]);
  closeSync(openRegular(link));
});

test.skipIf(process.getuid?.() !== 0)("another user's link is not followed", () => {
  lchownSync(link, STRANGER, STRANGER);
  for (const open of [readNamedFile, openRegular])
    expect(() => open(link)).toThrow(`${link}: it is a link of another user, which is not followed`);
});

test("a log is a regular file: a pipe would wait for ever", () => {
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  expect(() => openRegular(pipe)).toThrow(`${pipe}: it is no regular file`);
  expect(() => openRegular(folder)).toThrow(/no regular file/);
  expect(() => openRegular(join(folder, "none"))).toThrow(/there is no such file/);
});
