import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

  test.each([
    ["that is there", BODY, []],
    ["with another hash", Buffer.from("another"), ["its hash is not the one in the signed list"]],
    ["that is gone", undefined, ["the file is missing"]],
  ])("a file %s", async (_, bytes, problems) => {
    const findings = new Findings();
    const files = { read: () => Promise.resolve(bytes) };
    await auditFile(files, { path: "a.json", sha256: sha256Hex(BODY) }, findings);
    expect(findings.faults).toEqual(problems.map((problem) => ({ subject: "a.json", problem })));
    expect(findings.counts()).toEqual({ files: 1 });
  });
});
