import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { z } from "zod";
import { type Home, homePaths } from "../../../src/kernel/home.ts";
import { isoTime } from "../../../src/kernel/time.ts";

const cli = join(import.meta.dirname, "../../../src/cli/cli.ts");

export interface Ended {
  readonly code: number | null; // null: ended by a signal
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** When the standard output or error has the text; at the latest when the command ends. */
  said(text: string): Promise<void>;
  stdout(): string; // so far
}

/** A machine of its own with a clock that is set: commands are real processes in which it is that time, and goes on from there. */
export class Machine {
  readonly folder: string; // the operator's own files
  readonly home: Home;
  readonly log: string; // what was run, and what it said
  readonly #env: Readonly<Record<string, string>>;
  #ahead = 0; // ms before the real time

  constructor(folder: string, env: Readonly<Record<string, string>>) {
    this.folder = folder;
    this.home = homePaths(join(folder, "home"));
    this.log = join(folder, "commands.log");
    this.#env = env;
    mkdirSync(this.home.root, { recursive: true });
  }

  /** Sets the clock. Throws when it would go back: what came before took longer than the time until then. */
  setClock(time: string): void {
    const ahead = Date.parse(time) - Date.now();
    if (this.#ahead !== 0 && ahead < this.#ahead)
      throw new Error(`the clock would go back to ${time} from ${isoTime(Date.now() + this.#ahead)}`);
    this.#ahead = ahead;
  }

  /** `apart`: in a process group of its own, so that it can be killed with all that it started; else Ctrl-C ends it with the week. */
  start(args: readonly string[], { apart = false } = {}): Running {
    const clock = new URL(`shifted-clock.ts?ahead=${this.#ahead}`, import.meta.url);
    const start = performance.now();
    const child = spawn(process.execPath, [cli, ...args], {
      cwd: this.folder,
      detached: apart,
      env: {
        PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
        PRESENCE_HOME: this.home.root,
        NODE_OPTIONS: `--import=${clock}`,
        NODE_COMPILE_CACHE: join(this.folder, "compile-cache"), // halves the time of a small command
        ...this.#env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const heard = hear(child);
    const ended = heard.closed.then((code) => {
      const seconds = (performance.now() - start) / 1000;
      appendFileSync(this.log, `${args.join(" ")} -> ${code}\n${heard.stderr()}`);
      return { code, stdout: heard.stdout(), stderr: heard.stderr(), seconds };
    });
    return { child, ended, said: heard.said, stdout: heard.stdout };
  }

  run(args: readonly string[]): Promise<Ended> {
    return this.start(args).ended;
  }

  /** Standard output of a command that must succeed. Throws what it says otherwise. */
  async ok(args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(args);
    if (code === 0) return stdout;
    throw new Error(`presence ${args.join(" ")} ended with ${code}:\n${stderr}`);
  }

  /** What a command that must succeed says as JSON. */
  async json<T extends z.ZodType>(args: readonly string[], form: T): Promise<z.infer<T>> {
    return form.parse(JSON.parse(await this.ok([...args, "--json"])));
  }

  /** What a command that must be refused says. Throws when it is not. */
  async refused(args: readonly string[]): Promise<string> {
    const { code, stderr } = await this.run(args);
    if (code === 1) return stderr;
    throw new Error(`presence ${args.join(" ")} should have been refused, and ended with ${code}`);
  }
}

/** Ends a command that was started apart with all that it started, at once; it may have ended already. */
export function killAll({ child }: Running): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // nobody is left
  }
}

/** All that a process says, as it says it. */
function hear(child: ChildProcess) {
  const texts = { stdout: "", stderr: "" };
  const listeners = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const)
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
      for (const listener of listeners) listener();
    });
  const closed = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  const heard = (text: string) => texts.stdout.includes(text) || texts.stderr.includes(text);
  const said = (text: string) =>
    new Promise<void>((resolve) => {
      const look = () => heard(text) && resolve();
      listeners.add(look);
      child.on("close", () => resolve());
      look();
    });
  return { closed, said, stdout: () => texts.stdout, stderr: () => texts.stderr };
}
