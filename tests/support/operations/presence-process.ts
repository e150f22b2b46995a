/** The command line as a process: the one way in which tests start it, hear it and end it. */
import { type ChildProcess, spawn } from "node:child_process";
import { dirname, join } from "node:path";

/** The folder of the sources. */
export const PROJECT = join(import.meta.dirname, "../../..");

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
}

export interface RunningCommand {
  readonly child: ChildProcess;
  readonly done: Promise<Outcome>;
  /** What standard output has so far. */
  stdout(): string;
  /** Resolves when standard output or error holds the text; at the latest when the command ends. */
  said(text: string): Promise<void>;
}

export interface ProcessOptions {
  readonly home: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Sources to run from, where they are not this project's own. */
  readonly project?: string;
  /** Run through this shell text, with the command as its "$@": for limits and masks that Node cannot set. */
  readonly shell?: string;
  /** A process group of its own, so that a test can end the command with all that it started. */
  readonly detached?: boolean;
}

export function startPresence(args: readonly string[], options: ProcessOptions): RunningCommand {
  const { home, cwd = PROJECT, env, project = PROJECT, shell, detached = false } = options;
  const command = [process.execPath, join(project, "src/cli/cli.ts"), ...args];
  const [program = "", ...rest] = shell === undefined ? command : ["bash", "-c", shell, "bash", ...command];
  const child = spawn(program, rest, {
    cwd,
    detached,
    env: { PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`, PRESENCE_HOME: home, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return hear(child);
}

/** Ends a detached command with all that it started; it may have ended already. */
export function endGroup({ child }: Pick<RunningCommand, "child">): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // the group is gone
  }
}

function hear(child: ChildProcess): RunningCommand {
  const start = performance.now();
  const texts = { stdout: "", stderr: "" };
  const listeners = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const)
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
      for (const listener of listeners) listener();
    });
  const done = new Promise<Outcome>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) =>
      resolve({ code, signal, ...texts, seconds: (performance.now() - start) / 1000 }),
    );
  });
  const said = (text: string) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (texts.stdout.includes(text) || texts.stderr.includes(text)) resolve();
      };
      listeners.add(look);
      child.on("close", () => resolve());
      look();
    });
  return { child, done, stdout: () => texts.stdout, said };
}
