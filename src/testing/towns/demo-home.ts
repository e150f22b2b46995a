import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readlinkSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { SHARED_CACHES } from "./shared-caches.ts";

/** The public address that the demonstration's release is built for. */
export const DEMO_BASE_URL = "https://demo.test";

const PROJECT = join(import.meta.dirname, "../../..");
const CLI = join(PROJECT, "src/cli/cli.ts");

function environment(home: string, extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    PRESENCE_HOME: home,
    BASE_URL: DEMO_BASE_URL,
    SOURCE_REVISION: "test",
    ...SHARED_CACHES,
    ...extra,
  };
}

/** Make the demonstration and its first release as an operator would, through the command line. Returns its home. */
export async function makeDemoHome(): Promise<string> {
  const home = join(mkdtempSync(join(tmpdir(), "presence-demo-")), "var");
  for (const command of [["demo"], ["nightly", "--now"]])
    await promisify(execFile)(process.execPath, [CLI, ...command], { env: environment(home), cwd: PROJECT });
  return home;
}

export interface DemoServer {
  readonly url: string;
  readonly pid: number;
  /** Kill it with -9, and wait until it is gone. */
  kill(): Promise<void>;
  /** End it as an operator would, and wait until it is gone. Returns its exit code. */
  stop(): Promise<number | null>;
}

/** A home with the releases of another one and a state of its own. */
export function homeBeside(home: string): string {
  const own = mkdtempSync(join(tmpdir(), "presence-beside-"));
  symlinkSync(join(home, "releases"), join(own, "releases"));
  symlinkSync(readlinkSync(join(home, "current")), join(own, "current"));
  return own;
}

/** Runs a command over a home; returns what it wrote to its output. */
export async function presence(home: string, ...command: readonly string[]): Promise<string> {
  const options = { env: environment(home), cwd: PROJECT };
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...command], options);
  return stdout;
}

interface ServeOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly onLog?: (text: string) => void;
}

/** `presence serve` over a home, on a free port. One proxy is trusted, so that a test can speak for many clients. */
export async function serveHome(home: string, { env = {}, onLog }: ServeOptions = {}): Promise<DemoServer> {
  const child = spawn(process.execPath, [CLI, "serve"], {
    env: environment(home, { PORT: "0", TRUSTED_PROXIES: "1", ...env }),
    cwd: PROJECT,
    stdio: ["ignore", "pipe", onLog === undefined ? "inherit" : "pipe"],
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => onLog?.(text));
  const url = await listeningUrl(child);
  return {
    url,
    pid: child.pid ?? 0,
    async kill() {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
    async stop() {
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      const [code] = await exited;
      return code;
    },
  };
}

async function listeningUrl(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("the server has no output");
  let url: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    url = / on (http:\S+)/.exec(line)?.[1];
    if (url !== undefined) break;
  }
  child.stdout.resume(); // to its end: an unread pipe would keep the test process alive
  if (url === undefined) throw new Error("the server ended before it listened");
  return url;
}
