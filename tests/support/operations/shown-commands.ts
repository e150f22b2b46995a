import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { SHARED_CACHES } from "../towns/shared-caches.ts";
import { PROJECT } from "./presence-process.ts";

/** What a page of the manual shows in fenced blocks of a language, in order, without the indentation of their list. */
export function shownBlocks(page: string, language: string): string[] {
  const blocks = page.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([^]*?)^\\1\`\`\``, "gm"));
  return Array.from(blocks, ([, indent = "", code = ""]) =>
    code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  );
}

export interface ShellRun {
  readonly cwd: string;
  readonly shell?: "bash" | "sh";
  readonly env?: Readonly<Record<string, string>>;
}

export interface ShellOutcome {
  readonly isOk: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs what a page shows, with `presence` as its reader has it; stops at the first command that fails. */
export function runShown(script: string, { cwd, shell = "bash", env }: ShellRun): Promise<ShellOutcome> {
  const presence = `presence() { "${process.execPath}" "${PROJECT}/src/cli/cli.ts" "$@"; }`;
  const level = { SHLVL: "1" }; // else bash takes Node's socket for a remote login, and reads the machine's own settings
  const path = `${dirname(process.execPath)}:/usr/bin:/bin`;
  return new Promise((resolve) => {
    execFile(
      shell,
      ["-euc", `${presence}\n${script}`],
      {
        cwd,
        env: { PATH: path, SOURCE_REVISION: "test", ...SHARED_CACHES, ...level, ...env },
      },
      (error, stdout, stderr) => resolve({ isOk: error === null, stdout, stderr }),
    );
  });
}
