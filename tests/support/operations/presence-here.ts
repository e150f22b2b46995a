/**
 * The command line in the process of the test: the same program, without the second of processor time in which a process of its own starts
 * and loads it.
 */
import { perform, runCommandLine } from "../../../src/cli/program.ts";
import { configFrom } from "../../../src/kernel/config/config.ts";
import { type Home, systemUser } from "../../../src/kernel/home.ts";
import { systemRandom } from "../../../src/kernel/ids.ts";
import { outputTo } from "../../../src/kernel/text/terminal.ts";
import { type Clock, systemClock } from "../../../src/kernel/time.ts";
import type { CommandContext } from "../../../src/operations/context.ts";
import { contextFor } from "../towns/demo-view.ts";
import { type Outcome, PROJECT } from "./presence-process.ts";

let running = 0;

/** Whether a command runs here now. A second one would wait for its locks in the only thread that could free them. */
export const isBusyHere = () => running > 0;

interface HereOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly clock?: Clock;
}

/** Runs one command to its end, while no other one runs here. */
export async function presenceHere(
  args: readonly string[],
  { cwd, env, clock = systemClock }: HereOptions,
): Promise<Outcome> {
  if (running > 0) throw new Error("a command runs in this process already: start this one as a process");
  const start = performance.now();
  const before = process.cwd();
  process.chdir(cwd);
  let stdout = "";
  let stderr = "";
  const heard = outputTo({ write: (text) => (stderr += text) });
  running += 1;
  const code = await runCommandLine(args, heard, () => ({
    config: configFrom(env),
    project: PROJECT,
    clock,
    random: systemRandom,
    user: systemUser(),
    stdout: outputTo({ write: (text) => (stdout += text) }),
    stderr: heard,
  })).finally(() => {
    running -= 1;
    process.chdir(before);
  });
  return { code, signal: null, stdout, stderr, seconds: (performance.now() - start) / 1000 };
}

type Said = Pick<Outcome, "stdout" | "stderr">;

/** Runs a command with a context of the test's own (see `contextFor`). Returns what it wrote; throws what it throws. */
export async function presenceAt(
  home: Home,
  typed: readonly string[],
  changes: Partial<CommandContext> = {},
): Promise<Said> {
  const said = { stdout: "", stderr: "" };
  const into = (stream: keyof Said) => outputTo({ write: (text) => (said[stream] += text) });
  await perform({ ...contextFor(home), stdout: into("stdout"), stderr: into("stderr"), ...changes }, typed);
  return said;
}
