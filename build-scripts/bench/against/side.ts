import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { BenchLine } from "../line.ts";

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
