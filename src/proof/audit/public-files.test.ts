import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { sha256Hex } from "../../kernel/hash.ts";
import { Findings } from "./findings.ts";
import { auditFile, filesInFolder, filesInFolderByTurns } from "./public-files.ts";

describe("public files", () => {
  describe.each([
    ["one by one", filesInFolder],
    ["with one buffer", filesInFolderByTurns],
  ])("files in a folder, %s", (_, filesIn) => {
    const folder = mkdtempSync(join(tmpdir(), "files-"));
    mkdirSync(join(folder, "below"));
    writeFileSync(join(folder, "below/a"), "short");
    writeFileSync(join(folder, "empty"), "");
    const large = Buffer.alloc(3 * 1024 * 1024 + 1, "large ");
    writeFileSync(join(folder, "large"), large);
    writeFileSync(join(folder, "exact"), large.subarray(0, 1024 * 1024));
    const files = filesIn(folder);

    test("are read whole, whatever their size", async () => {
      expect(String(await files.read("below/a"))).toBe("short");
      expect((await files.read("large"))?.equals(large)).toBe(true);
      expect((await files.read("exact"))?.equals(large.subarray(0, 1024 * 1024))).toBe(true);
      expect(String(await files.read("below/a"))).toBe("short");
      expect(await files.read("empty")).toHaveLength(0);
    });

    test("are undefined where there is none, and where there is a folder, a link or a pipe", async () => {
      expect(await files.read("none")).toBeUndefined();
      expect(await files.read("below/a/b")).toBeUndefined();
      expect(await files.read("below")).toBeUndefined();
      symlinkSync("/etc/passwd", join(folder, "link"));
      execFileSync("mkfifo", [join(folder, "pipe")]); // which nobody writes
      expect([await files.read("link"), await files.read("pipe")]).toEqual([undefined, undefined]);
      rmSync(folder, { recursive: true });
    });
  });
});

describe("file audit", () => {
  const BODY = Buffer.from("the file");
  const WRONG_HASH = "its hash is not the one in the signed list";

  async function problemOfFile(path: string, bytes: Buffer | undefined, sha256: string, holds?: string) {
    const findings = new Findings();
    const files = { read: () => Promise.resolve(bytes) };
    await auditFile(files, { path, sha256, ...(holds !== undefined && { holds }) }, findings);
    expect(findings.faults.every(({ subject }) => subject === path)).toBe(true);
    return { problems: findings.faults.map(({ problem }) => problem), counts: findings.counts() };
  }

  test("a file is there and has its hash", async () => {
    const hash = sha256Hex(BODY);
    expect(await problemOfFile("a.json", BODY, hash)).toEqual({ problems: [], counts: { files: 1 } });
    expect((await problemOfFile("a.json", Buffer.from("another"), hash)).problems).toEqual([WRONG_HASH]);
    expect((await problemOfFile("a.json", undefined, hash)).problems).toEqual(["the file is missing"]);
  });

  test.each([
    [".br", brotliCompressSync(BODY)],
    [".gz", gzipSync(BODY)],
  ])("a twin %s also holds what its file holds", async (ending, twin) => {
    const [path, holds] = [`a.json${ending}`, sha256Hex(BODY)];
    expect(await problemOfFile(path, twin, sha256Hex(twin), holds)).toEqual({
      problems: [],
      counts: { "compressed twins": 1 },
    });
    expect((await problemOfFile(path, twin, sha256Hex(twin), sha256Hex("else"))).problems).toEqual([
      "it does not hold what the file without its ending holds",
    ]);
    const broken = twin.subarray(0, -1);
    expect((await problemOfFile(path, broken, sha256Hex(twin), holds)).problems).toEqual([WRONG_HASH]);
    // Signed as it is, and no compressed file at all.
    expect((await problemOfFile(path, broken, sha256Hex(broken), holds)).problems).toHaveLength(1);
  });
});
