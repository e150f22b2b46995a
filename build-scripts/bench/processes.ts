import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { pinned } from "./http.ts";

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

/** Memory of a process with all its children, from Linux' /proc. Pages that two of them share count for both. */

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly residentMb: number;
}

export interface Peaks {
  readonly treeMb: number;
}

const EVERY_MS = 50;

/** Watches until `stop`. Without /proc all peaks are 0. */
export function watchTree(root: number): { stop(): Peaks } {
  let treeMb = 0;
  const look = () => {
    const tree = treeOf(root, processes());
    treeMb = Math.max(
      treeMb,
      tree.reduce((sum, { residentMb }) => sum + residentMb, 0),
    );
  };
  const timer = setInterval(look, EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      return {
        treeMb: Math.round(treeMb),
      };
    },
  };
}

function treeOf(root: number, all: readonly Process[]): Process[] {
  const processes = all.filter(({ pid }) => pid === root);
  for (const { pid } of processes) processes.push(...all.filter(({ parent }) => parent === pid));
  return processes;
}

function processes(): Process[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap(readProcess);
  } catch {
    return []; // not Linux
  }
}

function readProcess(pid: string): Process[] {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
    return [{ pid: Number(pid), parent: field("PPid"), residentMb: field("VmRSS") / 1024 }];
  } catch {
    return []; // it has ended meanwhile
  }
}
