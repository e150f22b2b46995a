import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

test("the shell function of install.md passes settings on, and shows none on any command line", () => {
  const folder = mkdtempSync(join(tmpdir(), "shell-function-"));
  try {
    const document = readFileSync(join(PROJECT, "docs/operations/install.md"), "utf8");
    const [definition = ""] = /^ *presence\(\) \{\n.*\n *\}$/m.exec(document) ?? [];
    expect(definition).not.toBe("");
    const program = join(folder, "program");
    // Prints its arguments, the setting, and the command lines of itself, its parent and grandparent.
    writeFileSync(
      program,
      '#!/bin/sh\necho "args $*"; echo "set $SMTP_URL"; pid=$$\nfor n in 1 2 3; do tr "\\0" " " < /proc/$pid/cmdline; echo; pid=$(sed "s/.*) . //; s/ .*//" /proc/$pid/stat); done\n',
    );
    chmodSync(program, 0o755);
    writeFileSync(join(folder, "environment"), "SMTP_URL='smtps://user:s3cret&x@mail.example'\n");
    const own = definition
      .replace("/etc/presence/environment", join(folder, "environment"))
      .replace("/opt/presence/bin/presence", program);
    const script = `runuser() { shift 3; "$@"; }\n${own}\npresence seal "two words"`;
    const said = execFileSync("sh", ["-c", script], { encoding: "utf8" });
    expect(said).toContain("args seal two words");
    expect(said).toContain("set smtps://user:s3cret&x@mail.example");
    expect(said.split("\n").filter((line) => line.includes("s3cret"))).toHaveLength(1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
