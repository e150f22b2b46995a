import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const PROJECT = join(import.meta.dirname, "../..");
const SHOWN = /\.(md|service|timer|conf|yml)$|Containerfile$/;

/** Documents and deployment files, with the code that they show. */
function shownFiles(): string[] {
  const below = ["docs", "deploy"].flatMap((folder) =>
    readdirSync(join(PROJECT, folder), { recursive: true, encoding: "utf8" }).map((name) =>
      join(folder, name),
    ),
  );
  return ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...below].filter((name) => SHOWN.test(name));
}

/** A substitution that puts a file's content on a command line, where every user of the machine can read it. */
const FILE_ON_A_COMMAND_LINE =
  /\benv\s+\S*\$\(|\$\(\s*(cat|<)\s*[^)]*(environment|\.env|secret|password|key)/i;
const SECRET_OPTION = /--(password|token|secret|api-key)[= ](?!<|…)\S/;

test("no shown command puts secrets on a command line", () => {
  const files = shownFiles();
  expect(files).toContain("docs/operations/install.md");
  const wrong = files.flatMap((name) =>
    readFileSync(join(PROJECT, name), "utf8")
      .split("\n")
      .filter((line) => FILE_ON_A_COMMAND_LINE.test(line) || SECRET_OPTION.test(line))
      .map((line) => `${name}: ${line.trim()}`),
  );
  expect(wrong).toEqual([]);
});

test("the check knows what install.md once showed", () => {
  const once =
    'presence() { runuser -u presence -- env $(cat /etc/presence/environment) /opt/presence/bin/presence "$@"; }';
  expect(FILE_ON_A_COMMAND_LINE.test(once)).toBe(true);
});

/** Prints what the program was given, and the command lines of itself and its parent. */
const PRINTER = `import { readFileSync } from "node:fs";
const lines = [process.pid, process.ppid].map((pid) => readFileSync("/proc/" + pid + "/cmdline", "utf8"));
console.log(JSON.stringify({ args: process.argv.slice(2), env: process.env, lines }));
process.exit();
`;

const hasProc = existsSync("/proc/self/cmdline");

test.skipIf(!hasProc)(
  "deploy/presence gives a command what systemd gives a unit, and shows none on a command line (needs /proc)",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "wrapper-"));
    try {
      const printer = join(folder, "printer.mjs");
      writeFileSync(printer, PRINTER);
      const settings = join(folder, "presence.toml");
      writeFileSync(settings, 'OPERATOR_NAME = "Tiny Watch Ltd"\n', { mode: 0o644 });
      const variables = [
        "SMTP_URL='smtps://user:s3cret&x@mail.example'",
        "export LOST=1",
        `NODE_OPTIONS="--import=file://${printer}"`,
      ];
      const file = join(folder, "environment");
      writeFileSync(file, `${variables.join("\n")}\n`);
      const wrapper = readFileSync(join(PROJECT, "deploy/presence"), "utf8")
        .replaceAll("/etc/presence/presence.toml", settings)
        .replace("/etc/presence/$user/environment", file)
        .replace("/opt/presence", PROJECT);
      const env = {
        PATH: "/usr/local/bin:/usr/bin:/bin",
        STATE_URL: "postgres://of-the-caller",
        TERM: "dumb",
      };
      const said = spawnSync("sh", ["-c", `${wrapper}\n`, "presence", "seal", "two words"], {
        encoding: "utf8",
        env,
      });
      expect(said.stderr).toBe(
        `WARNING: ${file}, line 2: not a NAME=value that systemd accepts, so it has no effect\n`,
      );
      const program = JSON.parse(said.stdout);
      expect(program.args).toEqual(["seal", "two words"]);
      expect(program.env).toMatchObject({
        PRESENCE_SETTINGS: settings,
        SMTP_URL: "smtps://user:s3cret&x@mail.example",
        TERM: "dumb",
      });
      expect(Object.keys(program.env)).not.toEqual(expect.arrayContaining(["STATE_URL"]));
      expect(program.lines.join("\n")).not.toContain("s3cret");
      const lost = wrapper.replaceAll(settings, "/gone").replaceAll(file, "/none");
      const gone = spawnSync("sh", ["-c", lost, "presence", "seal"], {
        encoding: "utf8",
      });
      expect([gone.status, gone.stderr]).toEqual([1, "presence: --settings /gone: file not found\n"]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
