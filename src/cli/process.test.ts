import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

describe("environment option", () => {
  const PROJECT = join(import.meta.dirname, "../..");

  test("files of settings follow each other, the last value counts, and one with a dash may be missing", () => {
    const folder = mkdtempSync(join(tmpdir(), "environment-"));
    const common = join(folder, "common");
    const own = join(folder, "own");
    writeFileSync(common, "PORT=1\nSMTP_URL=smtp://a\nMAIL_FROM=a@b.example\n");
    writeFileSync(own, "PORT=many\n");
    const run = (...files: string[]) => {
      const options = files.flatMap((file) => ["--environment-file", file]);
      return spawnSync(join(PROJECT, "bin/presence"), [...options, "verify", "--help"], { encoding: "utf8" });
    };
    expect(run(common, `-${join(folder, "missing")}`).status).toBe(0);
    expect(run(common, `-${own}`).stderr).toMatch(/PORT must be .*got many/);
    expect(run(common, join(folder, "missing")).stderr).toContain("there is no such file");
    rmSync(folder, { recursive: true });
  });
});

describe("process end", () => {
  test("a command that waits for what can come no more ends with a word, and with code 1", () => {
    const guard = join(import.meta.dirname, "process.ts");
    const program = `import { reportUnfinished } from ${JSON.stringify(guard)}; reportUnfinished(); await new Promise(() => {});`;
    const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
      encoding: "utf8",
    });
    expect(status).toBe(1);
    expect(stderr).toContain("presence: the command stopped before it was done");
  });
});
