import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { installDebianPackages } from "../../build-scripts/ensure-browser.ts";
import { sha256Hex } from "../../src/kernel/hash.ts";

/** For the long form: programs that are not this project's, which read what strangers would read with them. */

const KEPT = join(tmpdir(), "presence-outside");

/** The folder into which npm put these packages, by name and version; a later call finds them there. No script of theirs runs meanwhile. */
export function npmPackages(wanted: Readonly<Record<string, string>>): string {
  const folder = join(KEPT, sha256Hex(JSON.stringify(wanted)).slice(0, 12));
  if (existsSync(folder)) return folder;
  mkdirSync(KEPT, { recursive: true });
  const part = mkdtempSync(`${folder}.part-`);
  writeFileSync(join(part, "package.json"), JSON.stringify({ private: true, dependencies: wanted }));
  writeFileSync(join(part, "tsconfig.json"), "{}"); // compilers would read one of a folder above
  output("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], part);
  renameSync(part, folder);
  return folder;
}

/** What a program prints. Throws with all it said when it ends with anything but 0. */
export function output(program: string, args: readonly string[], cwd: string, input?: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    ...{ cwd, input, encoding: "utf8", maxBuffer: 2 ** 28 },
  });
  if (status === 0) return stdout;
  throw new Error(`${program} ${args.join(" ")} ended with ${status ?? error}:\n${stdout}${stderr}`);
}

/** What a script prints that imports these packages. */
export function scriptOutput(
  packages: Readonly<Record<string, string>>,
  script: string,
  ...args: string[]
): string {
  const folder = npmPackages(packages);
  const path = join(folder, `${sha256Hex(script).slice(0, 12)}.mjs`);
  writeFileSync(path, script);
  return output(process.execPath, [path, ...args], dirname(path));
}

/** Has a program of a Debian package at hand. Throws where it cannot be installed. */
export async function debianProgram(program: string, debianPackage: string): Promise<void> {
  const isThere = () => spawnSync("which", [program]).status === 0;
  if (!isThere()) await installDebianPackages(debianPackage);
  if (!isThere()) throw new Error(`${program} is missing: install Debian's ${debianPackage}`);
}
