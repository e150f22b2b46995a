import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { pinned } from "./load.ts";

export interface BenchServer extends AsyncDisposable {
  readonly port: number;
  readonly child: ChildProcess;
  nextLine(): Promise<string>;
}

/** Runs a script of this folder on one core. Its first line is the port that it listens on. */
export async function startScript(core: number, script: string, ...options: string[]): Promise<BenchServer> {
  const path = join(import.meta.dirname, script);
  const child = spawn(...pinned(core, process.execPath, path, ...options), {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  const nextLine = async () => String((await once(lines, "line"))[0]);
  return {
    port: Number(await nextLine()),
    child,
    nextLine,
    /** Kills, because a stopped process would not receive a gentler signal. */
    async [Symbol.asyncDispose]() {
      const exited = once(child, "exit");
      if (child.exitCode === null && child.kill("SIGKILL")) await exited;
    },
  };
}
