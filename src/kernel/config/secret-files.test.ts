import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { configFrom } from "./config.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "secret-file-"));
  path = join(folder, "smtp-url");
  writeFileSync(path, "smtps://me:geheim@mail.example\n", { mode: 0o600 });
});
afterEach(() => rmSync(folder, { recursive: true }));

const mail = (file = path) => configFrom({ SMTP_URL_FILE: file, MAIL_FROM: "a@b.example" }).mail?.smtpUrl;
const isRoot = process.geteuid?.() === 0;

test("each secret may lie in a file of its own, which is read when it is used, and once", () => {
  const smtpUrl = mail();
  expect(String(smtpUrl)).toBe("[secret]");
  expect(smtpUrl?.reveal()).toBe("smtps://me:geheim@mail.example");
  rmSync(path);
  expect(smtpUrl?.reveal()).toBe("smtps://me:geheim@mail.example");
  const others = ["STATE_URL", "REDIS_URL", "SEARCH_API_KEY"];
  expect(() => configFrom(Object.fromEntries(others.map((name) => [`${name}_FILE`, path])))).not.toThrow();
  expect(() => mail()?.reveal()).toThrow(`SMTP_URL_FILE ${path}: file not found`);
});

test("a secret as text and as a file is an error; one as text is named for the doctor", () => {
  const text = { SMTP_URL: "smtp://x", MAIL_FROM: "a@b.example" };
  expect(() => configFrom({ ...text, SMTP_URL_FILE: path })).toThrow(
    "environment variables SMTP_URL and SMTP_URL_FILE: set only one of them",
  );
  expect(configFrom(text).secretsInText).toEqual(["SMTP_URL"]);
  expect(configFrom({ SMTP_URL_FILE: path, MAIL_FROM: "a@b.example" }).secretsInText).toEqual([]);
});

test.each([
  ["that others may read", () => chmodSync(path, 0o644), /other users may read it \(mode 644\): run chmod/],
  ["that others may write", () => chmodSync(path, 0o602), /other users may read it/],
  ["that is empty", () => writeFileSync(path, "\n"), /the file is empty/],
  [
    "that is a folder",
    () => {
      rmSync(path);
      mkdirSync(path);
    },
    /it is no file/,
  ],
  ["that is too long", () => writeFileSync(path, "x".repeat(70_000)), /larger than 65536 bytes/],
  [
    "that is no such address",
    () => writeFileSync(path, "https://geheim"),
    /SMTP_URL_FILE: .* must be an smtp/,
  ],
])("a file %s is refused, without its text", (_name, make, problem) => {
  make();
  expect(() => mail()?.reveal()).toThrow(problem);
  expect(() => mail()?.reveal()).not.toThrow("geheim");
});

test.skipIf(!isRoot)(
  "a file of another user is refused, and root's may be its group's (as root only)",
  () => {
    chmodSync(path, 0o640);
    const link = join(folder, "link");
    symlinkSync(path, link);
    expect(mail(link)?.reveal()).toContain("geheim");
    chownSync(path, 4711, 4711);
    chmodSync(path, 0o600);
    expect(() => mail(link)?.reveal()).toThrow(/belongs to another user/);
  },
);
