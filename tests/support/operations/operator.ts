import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Home, homePaths } from "../../../src/kernel/home.ts";
import { SHARED_CACHES } from "../towns/shared-caches.ts";
import { isBusyHere, presenceHere } from "./presence-here.ts";
import { type Outcome, type ProcessOptions, type RunningCommand, startPresence } from "./presence-process.ts";

export type RunOptions = Pick<ProcessOptions, "env" | "project" | "shell">;

/**
 * The command line as an operator has it, with run-time files in a temporary folder. `start` makes a process, for what is killed, heard
 * meanwhile or limited; commands that only have to run do so in the process of the test.
 */
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

  start(args: readonly string[], { env, ...options }: RunOptions = {}): RunningCommand {
    const { home, folder: cwd } = this;
    return startPresence(args, {
      home: home.root,
      cwd,
      env: this.#variables(env),
      detached: true,
      ...options,
    });
  }

  run(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    const needsProcess = options.project !== undefined || options.shell !== undefined;
    if (needsProcess || isBusyHere()) return this.start(args, options).done;
    const env = { PRESENCE_HOME: this.home.root, ...this.#variables(options.env) };
    return presenceHere(args, { cwd: this.folder, env });
  }

  #variables(env: RunOptions["env"]): Record<string, string> {
    return { SOURCE_REVISION: "test", SERVER_SECRETS: "allow", ...SHARED_CACHES, ...this.#env, ...env };
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
