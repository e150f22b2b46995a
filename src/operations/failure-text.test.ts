import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { failureText } from "./failure-text.ts";

function failureOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return failureText(error);
  }
  throw new Error("nothing failed");
}

test("an error of the system names the file and what to do, without a stack", () => {
  const folder = mkdtempSync(join(tmpdir(), "failure-"));
  try {
    const gone = join(folder, "gone");
    expect(failureOf(() => readFileSync(gone))).toBe(
      `presence: ENOENT: no such file or directory, open '${gone}': file or folder not found: check the name and the settings`,
    );
    expect(failureOf(() => readFileSync(folder))).toMatch(
      /^presence: EISDIR: .*: a folder lies where a file/,
    );
    expect(failureOf(() => new Database(folder))).toMatch(
      /^presence: unable to open database file: this user may not/,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each([
  ["SQLITE_READONLY_DBMOVED", /presence doctor/],
  ["SQLITE_CORRUPT_VTAB", /restore it from your backup/],
  ["SQLITE_BUSY_SNAPSHOT", /another process holds the database/],
  ["EROFS", /read-only/],
  ["EMFILE", /LimitNOFILE/],
])("%s has a remedy", (code, remedy) => {
  const text = failureText(Object.assign(new Error("the message"), { code }));
  expect(text).toMatch(remedy);
  expect(text).not.toContain("\n");
});

test("a port that another program has, and a message that came from another thread", async () => {
  const first = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => first.once("listening", resolve));
  const second = createServer();
  const failed = new Promise((resolve) => second.once("error", resolve));
  second.listen(first.address());
  expect(failureText(await failed)).toMatch(
    /^presence: listen EADDRINUSE: .*: another program uses this port/,
  );
  first.close();
  expect(failureText(new Error("EACCES: permission denied, mkdir '/x'"))).toMatch(/presence doctor/);
});

test("a defect keeps its stack", () => {
  const texts = [new TypeError("x is undefined"), Object.assign(new Error("odd"), { code: "ERR_INTERNAL" })];
  for (const error of texts) expect(failureText(error)).toBe(error.stack);
});
