/** The recomputation in Python (recompute/), which shares no code with the project. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { installDebianPackages } from "../../build-scripts/ensure-browser.ts";
import { PROJECT } from "../support/operations/presence-process.ts";

const PROGRAM = join(PROJECT, "tests/python/recompute");

/** False, and said so, where Python 3.9 or newer is missing and cannot be installed. */
export const isPythonThere = await foundPython();

export async function recompute(...args: readonly string[]): Promise<{ code: number; output: string }> {
  try {
    const { stdout } = await promisify(execFile)("python3", [PROGRAM, ...args], { maxBuffer: 2 ** 24 });
    return { code: 0, output: stdout };
  } catch (error) {
    if (!(error instanceof Error && "stdout" in error && "code" in error)) throw error;
    return { code: Number(error.code), output: `${error.stdout}\n${error.message}` };
  }
}

async function foundPython(): Promise<boolean> {
  const isThere = () =>
    promisify(execFile)("python3", ["-c", "import sys; assert sys.version_info >= (3, 9)"]).then(
      () => true,
      () => false,
    );
  if (!(await isThere())) await installDebianPackages("python3");
  if (await isThere()) return true;
  process.stderr.write("The independent recomputation is skipped: it needs python3, version 3.9 or newer.\n");
  return false;
}
