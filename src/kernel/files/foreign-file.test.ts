import { execFileSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  lchownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { OperatorError } from "../errors.ts";
import { sha256Hex } from "../hash.ts";
import { copyForeignFile, openRegular, readForeignFile, readNamedFile } from "./foreign-file.ts";
import { readSecret } from "./secret-file.ts";

describe("named file", () => {
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
      expect(() => open(link)).toThrow(`${link}: a link of another user, which is not followed`);
  });

  test("a log is a regular file: a pipe would wait for ever", () => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    expect(() => openRegular(pipe)).toThrow(`${pipe}: not a regular file`);
    expect(() => openRegular(folder)).toThrow(/not a regular file/);
    expect(() => openRegular(join(folder, "none"))).toThrow(/file not found/);
  });
});

describe("foreign file", () => {
  let folder: string;
  const at = (name: string) => join(folder, name);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "presence-foreign-"));
    mkdirSync(at("a/b"), { recursive: true });
    writeFileSync(at("a/b/file"), "content", { mode: 0o600 });
    writeFileSync(at("secret"), "root's alone", { mode: 0o600 });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const RULES = { maxBytes: 1000 };

  test("a file below a folder is read, and copied with its mode", () => {
    expect(readForeignFile(folder, "a/b/file", RULES).toString()).toBe("content");
    copyForeignFile(folder, "a/b/file", at("copy"), { ...RULES, mode: 0o640, sha256: sha256Hex("content") });
    expect([readFileSync(at("copy"), "utf8"), statSync(at("copy")).mode & 0o777]).toEqual(["content", 0o640]);
  });

  test.each<readonly [string, () => void]>([
    ["a link", () => symlinkSync(at("secret"), at("a/b/file"))],
    ["a hard link", () => linkSync(at("secret"), at("a/b/file"))],
    ["a pipe", () => execFileSync("mkfifo", [at("a/b/file")])],
    ["a folder", () => mkdirSync(at("a/b/file"))],
    ["a large file", () => writeFileSync(at("a/b/file"), "x".repeat(1001))],
    [
      "a folder that is a link",
      () => {
        renameSync(at("a/b"), at("kept"));
        symlinkSync(at("kept"), at("a/b"));
      },
    ],
  ])("%s is neither read nor copied", (_name, plant) => {
    rmSync(at("a/b/file"));
    writeFileSync(at("a/b/other"), "");
    plant();
    expect(() => readForeignFile(folder, "a/b/file", RULES)).toThrow(/not read|file not found/);
    expect(() => copyForeignFile(folder, "a/b/file", at("copy"), { ...RULES, mode: 0o600 })).toThrow();
    expect(existsSync(at("copy"))).toBe(false);
  });

  test("another content than the expected one leaves no copy, and a copy replaces nothing", () => {
    const rules = { ...RULES, mode: 0o600 };
    expect(() =>
      copyForeignFile(folder, "a/b/file", at("copy"), { ...rules, sha256: sha256Hex("other") }),
    ).toThrow(OperatorError);
    expect(existsSync(at("copy"))).toBe(false);
    symlinkSync(at("secret"), at("copy"));
    expect(() => copyForeignFile(folder, "a/b/file", at("copy"), rules)).toThrow(/EEXIST/);
    expect(readFileSync(at("secret"), "utf8")).toBe("root's alone");
  });

  test("a key is no link", () => {
    writeFileSync(at("key"), "1", { mode: 0o600 });
    expect(readSecret(at("key"), z.number())).toBe(1);
    symlinkSync(at("key"), at("linked"));
    expect(() => readSecret(at("linked"), z.number())).toThrow(/a link/);
  });
});
