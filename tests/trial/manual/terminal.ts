/** One shell inside the tree, which runs block after block as an operator's terminal would. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import type { Machine } from "../../support/machine/machine.ts";
import type { Block } from "./blocks.ts";

export interface RanBlock extends Block {
  readonly seconds: number;
  readonly output: string;
  readonly failedLine?: number; // of the page; a block that ended the shell has none
  readonly isOk: boolean;
}

/** The first command that fails ends the shell, and names its line. */
const OPTIONS = "set -Eeuo pipefail; trap 'echo \"FAILED in line $LINENO: $BASH_COMMAND\" >&2' ERR";

export class Terminal implements AsyncDisposable {
  readonly #shell: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #folder: string;
  #count = 0;

  constructor(debian: Machine) {
    const [program, args] = debian.command("bash", "--norc");
    this.#shell = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.#lines = createInterface({ input: this.#shell.stdout ?? process.stdin })[Symbol.asyncIterator]();
    this.#folder = join(debian.root, "trial/blocks");
    mkdirSync(this.#folder, { recursive: true });
    this.#say(OPTIONS);
  }

  #say(line: string): void {
    this.#shell.stdin?.write(`${line}\n`);
  }

  async run(block: Block, text: string): Promise<RanBlock> {
    const name = `${String(++this.#count).padStart(2, "0")}-${basename(block.page)}-${block.line}`;
    writeFileSync(join(this.#folder, `${name}.sh`), text);
    const start = performance.now();
    this.#say(`. /trial/blocks/${name}.sh > /trial/blocks/${name}.log 2>&1 < /dev/null; echo`);
    const { done = false } = await this.#lines.next();
    const output = readFileSync(join(this.#folder, `${name}.log`), "utf8");
    const failed = /^FAILED in line (\d+):/m.exec(output)?.[1];
    return {
      ...block,
      seconds: (performance.now() - start) / 1000,
      output,
      isOk: !done,
      ...(failed === undefined ? {} : { failedLine: block.line + Number(failed) - 1 }),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#shell.exitCode !== null) return;
    const ended = once(this.#shell, "exit");
    this.#shell.stdin?.end();
    await ended;
  }
}
