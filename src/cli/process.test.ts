import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { COMMAND_PATH } from "../kernel/config/environment.ts";

const PROJECT = join(import.meta.dirname, "../..");

describe("environment option", () => {
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
    expect(run(common, join(folder, "missing")).stderr).toContain("file not found");
    writeFileSync(own, "SMPT_URL=smtp://geheim\n");
    expect(run(common, own)).toMatchObject({
      status: 1,
      stderr: `presence: ${own}: SMPT_URL is not a setting: did you mean SMTP_URL?\n`,
    });
    rmSync(folder, { recursive: true });
  });
});

test("a variable of the environment that looks like a setting is warned of, without its value", () => {
  const env = { PATH: COMMAND_PATH, SMPT_URL: "smtp://geheim" };
  const { status, stderr } = spawnSync(join(PROJECT, "bin/presence"), ["verify", "--help"], {
    encoding: "utf8",
    env,
  });
  expect([status, stderr]).toEqual([
    0,
    "WARNING: environment variable SMPT_URL has no effect: did you mean SMTP_URL?\n",
  ]);
});

describe("process end", () => {
  /** A program with the guards of cli.ts, whose outputs go where `shell` puts them. */
  function ended(program: string, shell = '"$@"') {
    const here = (path: string) => JSON.stringify(join(import.meta.dirname, path));
    const guarded = `
      import { endWithOutput, reportEnds } from ${here("process.ts")};
      import { outputTo } from ${here("../kernel/text/terminal.ts")};
      const stderr = outputTo(process.stderr);
      const say = (line) => stderr.write(line);
      reportEnds(say);
      endWithOutput(process.stdout, process.stderr, say);
      ${program}`;
    const words = [process.execPath, "--input-type=module", "--eval", guarded];
    return spawnSync("bash", ["-c", shell, "bash", ...words], { encoding: "utf8" });
  }

  test("a command that waits for what can come no more ends with a word, and with code 1", () => {
    const { status, stderr } = ended("await new Promise(() => {});");
    expect(status).toBe(1);
    expect(stderr).toContain("presence: the command stopped before it was done");
  });

  test.each([
    ["error", 'setTimeout(() => { throw new Error("no such \u001b[31mthing"); });'],
    [
      "rejection",
      'setTimeout(() => Promise.reject(new Error("no such \u001b[31mthing"))); setTimeout(() => {}, 60_000);',
    ],
  ])("an unhandled %s is told in lines that steer no terminal, with code 1", (what, program) => {
    const { status, stderr } = ended(program);
    expect(status).toBe(1);
    expect(stderr).toMatch(`presence: stopped by an unhandled ${what}`);
    expect(stderr).toContain("Error: no such \\u{1b}[31mthing");
  });

  test("SIGTERM is told, and still ends the process", () => {
    const { stderr, stdout } = ended(
      'process.kill(process.pid, "SIGTERM"); setTimeout(() => {}, 60_000);',
      '"$@"; echo "code $?"',
    );
    expect(stderr).toContain("presence: stopped by SIGTERM before the command was done");
    expect(stdout).toBe("code 143\n");
  });

  test("a command that ends in its own way after SIGTERM is left to it", () => {
    const { status, stderr, stdout } = ended(
      'process.once("SIGTERM", () => console.log("closed")); process.kill(process.pid, "SIGTERM"); setTimeout(() => {}, 200);',
    );
    expect({ status, stderr, stdout }).toEqual({ status: 0, stderr: "", stdout: "closed\n" });
  });

  test("a reader that closes the output early ends the command without a word; a full disk does not", () => {
    const much = 'process.stdout.write("line\\n".repeat(100_000), () => {}); setTimeout(() => {}, 1000);';
    expect(ended(much, '"$@" | head -1').stderr).toBe("");
    const full = ended(much, '"$@" > /dev/full; echo "code $?" >&2').stderr;
    expect(full).toMatch(/^presence: ended because standard output cannot be written: ENOSPC.*\ncode 74\n$/);
  });
});
