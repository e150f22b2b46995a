import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Home, homePaths } from "../../kernel/home.ts";
import { SHARED_CACHES } from "../towns/shared-caches.ts";

/** The folder of the sources. */
export const PROJECT = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Sources to run from, where they are not this project's own. */
  readonly project?: string;
  /** Run through this shell text, with the command as its "$@": for limits and masks that Node cannot set. */
  readonly shell?: string;
}

export interface RunningCommand {
  readonly child: ChildProcess;
  readonly done: Promise<Outcome>;
}

/** The command line as an operator has it: real processes, and run-time files in a temporary folder. */
export class Operator implements Disposable {
  readonly folder: string;
  readonly home: Home;
  readonly #env: Readonly<Record<string, string>>;

  constructor(env: Readonly<Record<string, string>> = {}, parent = tmpdir()) {
    this.folder = mkdtempSync(join(parent, "presence-"));
    this.home = homePaths(join(this.folder, "var"));
    this.#env = env;
  }

  /** A file of the operator's own, beside the run-time files. Returns its path. */
  write(name: string, content: string | Uint8Array): string {
    const path = join(this.folder, name);
    writeFileSync(path, content);
    return path;
  }

  start(args: readonly string[], { env, project = PROJECT, shell }: RunOptions = {}): RunningCommand {
    const command = [process.execPath, join(project, "src/cli/cli.ts"), ...args];
    const [program = "", ...rest] = shell === undefined ? command : ["bash", "-c", shell, "bash", ...command];
    const child = spawn(program, rest, {
      cwd: this.folder,
      detached: true, // a process group of its own, so that a test can end all of it
      env: {
        PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
        PRESENCE_HOME: this.home.root,
        SOURCE_REVISION: "test",
        ...SHARED_CACHES,
        ...this.#env,
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    return { child, done: outcome(child) };
  }

  run(args: readonly string[], options?: RunOptions): Promise<Outcome> {
    return this.start(args, options).done;
  }

  /** The standard output of a command that must succeed. */
  async ok(args: readonly string[], options?: RunOptions): Promise<string> {
    const { code, signal, stdout, stderr } = await this.run(args, options);
    if (code === 0) return stdout;
    throw new Error(`presence ${args.join(" ")} ended with ${code ?? signal}:\n${stderr}`);
  }

  /** What a command that must be refused says, with the temporary folder's name taken out. */
  async refused(args: readonly string[], options?: RunOptions): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, options);
    if (code === 1) return stderr.replaceAll(this.folder, "FOLDER").trimEnd();
    throw new Error(`presence ${args.join(" ")} ended with ${code}:\n${stdout}${stderr}`);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

function outcome(child: ChildProcess): Promise<Outcome> {
  const texts = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    texts.stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    texts.stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, ...texts }));
  });
}

/** End a command with all that it started; it may have ended already. */
export function endGroup({ child }: RunningCommand): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // nobody is left
  }
}
