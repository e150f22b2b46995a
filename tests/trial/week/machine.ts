import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { type Home, homePaths } from "../../../src/kernel/home.ts";
import { isoTime } from "../../../src/kernel/time.ts";
import type { presenceHere } from "../../support/operations/presence-here.ts";
import {
  type Outcome,
  type RunningCommand,
  startPresence,
} from "../../support/operations/presence-process.ts";

/**
 * A machine of its own with a clock that is set: commands are real processes in which it is that time, and goes on from there. A test may
 * have those that only have to run in its own process (presence-here.ts).
 */
export class Machine {
  readonly folder: string; // the operator's own files
  readonly home: Home;
  readonly log: string; // what was run, and what it said
  readonly #env: Readonly<Record<string, string>>;
  readonly #runHere: typeof presenceHere | undefined;
  #ahead = 0; // ms before the real time

  constructor(folder: string, env: Readonly<Record<string, string>>, runHere?: typeof presenceHere) {
    this.folder = folder;
    this.home = homePaths(join(folder, "home"));
    this.log = join(folder, "commands.log");
    // All parts run as one user here, and the files are large ones of real visits, which nobody is to approve.
    this.#env = { SERVER_SECRETS: "allow", STRICTNESS: "off", ...env };
    this.#runHere = runHere;
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
  start(args: readonly string[], { apart = false } = {}): RunningCommand {
    const clock = new URL(`shifted-clock.ts?ahead=${this.#ahead}`, import.meta.url);
    const command = startPresence(args, {
      home: this.home.root,
      cwd: this.folder,
      detached: apart,
      env: {
        NODE_OPTIONS: `--import=${clock}`,
        NODE_COMPILE_CACHE: join(this.folder, "compile-cache"), // halves the time of a small command
        ...this.#env,
      },
    });
    void command.done.then((outcome) => this.#note(args, outcome));
    return command;
  }

  async run(args: readonly string[]): Promise<Outcome> {
    if (this.#runHere === undefined) return this.start(args).done;
    const env = { PRESENCE_HOME: this.home.root, ...this.#env };
    const ahead = this.#ahead;
    const outcome = await this.#runHere(args, { cwd: this.folder, env, clock: () => Date.now() + ahead });
    this.#note(args, outcome);
    return outcome;
  }

  #note(args: readonly string[], { code, stderr }: Outcome): void {
    appendFileSync(this.log, `${args.join(" ")} -> ${code}\n${stderr}`);
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
