import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { BenchLine } from "../table.ts";

const LOCKFILE = "package-lock.json";
const PACKAGES = "node_modules";

/** Another commit in a temporary git worktree, able to run; disposing removes it. */
export class OtherTree implements Disposable {
  readonly folder: string;
  readonly revision: string;
  /** For files of both sides' benches, removed with the tree. */
  readonly scratch: string;
  readonly #project: string;
  readonly #parent: string;

  /** Throws when the commit does not exist or its packages cannot be installed. */
  constructor(project: string, ref: string) {
    this.#project = project;
    this.revision = this.#git("rev-parse", "--verify", "--end-of-options", `${ref}^{commit}`);
    this.#parent = mkdtempSync(join(tmpdir(), "presence-against-"));
    this.folder = join(this.#parent, "tree");
    this.scratch = join(this.#parent, "scratch");
    try {
      mkdirSync(this.scratch);
      this.#git("worktree", "add", "--quiet", "--detach", this.folder, this.revision);
      this.#installPackages();
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** Packages of the same lockfile are the same. */
  #installPackages(): void {
    const lockfile = (folder: string) => readFileSync(join(folder, LOCKFILE), "utf8");
    if (lockfile(this.folder) === lockfile(this.#project))
      symlinkSync(join(this.#project, PACKAGES), join(this.folder, PACKAGES));
    else run("npm", "--prefix", this.folder, "ci");
  }

  #git(...args: readonly string[]): string {
    return run("git", "-C", this.#project, "-c", "core.hooksPath=/dev/null", ...args);
  }

  /** A worktree whose folder is gone is forgotten by `prune`, also one that an earlier, killed run left. */
  [Symbol.dispose](): void {
    rmSync(this.#parent, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    this.#git("worktree", "prune");
  }
}

function run(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
  return stdout.trim();
}

/** The bench of a checkout, as a process of its own. */
export class Side {
  readonly #folder: string;
  readonly #scratch: string;
  readonly #signal: AbortSignal;

  /** Everything that its benches write goes to `scratch`. The signal ends what runs. */
  constructor(folder: string, scratch: string, signal: AbortSignal) {
    this.#folder = folder;
    this.#scratch = scratch;
    this.#signal = signal;
  }

  /** Names of its benches. */
  async names(): Promise<string[]> {
    return namesInHelp(await this.#run(["--help"]));
  }

  async lines(name: string, isQuick: boolean): Promise<BenchLine[]> {
    const output = await this.#run(["--only", name, "--json", ...(isQuick ? ["--quick"] : [])]);
    return z.array(BenchLine).parse(JSON.parse(output));
  }

  /** Standard output. Throws when the bench fails or was ended. */
  async #run(options: readonly string[]): Promise<string> {
    this.#signal.throwIfAborted();
    const child = spawn(
      "env",
      [`TMPDIR=${this.#scratch}`, "npm", "run", "--silent", "bench", "--", ...options],
      {
        cwd: this.#folder,
        stdio: ["ignore", "pipe", "inherit"],
        detached: true, // a group, so that an end reaches the servers that a bench has started
      },
    );
    const end = () => endGroup(child);
    this.#signal.addEventListener("abort", end);
    const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
    this.#signal.removeEventListener("abort", end);
    this.#signal.throwIfAborted();
    if (child.exitCode !== 0) throw new Error(`bench ${options.join(" ")} in ${this.#folder} failed`);
    return output;
  }
}

/** The choices of `--only`. */
export function namesInHelp(help: string): string[] {
  const [, choices = ""] = /--only.*?\(choices: ([^)]*)\)/s.exec(help) ?? [];
  return Array.from(choices.matchAll(/"([^"]+)"/g), ([, name = ""]) => name);
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // it has ended meanwhile
  }
}
