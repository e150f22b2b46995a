import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

/** The public address that the demonstration's release is built for. */
export const DEMO_BASE_URL = "https://demo.test";

const PROJECT = dirname(dirname(import.meta.dirname));
const CLI = join(PROJECT, "build-scripts", "cli.ts");

function environment(home: string, extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    PRESENCE_HOME: home,
    BASE_URL: DEMO_BASE_URL,
    SOURCE_REVISION: "test",
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
  /** End it as an operator would, and wait until it is gone. Returns its exit code. */
  stop(): Promise<number | null>;
}

/** `presence serve` over a home, on a free port. One proxy is trusted, so that a test can speak for many clients. */
export async function serveHome(home: string): Promise<DemoServer> {
  const env = environment(home, { PORT: "0", TRUSTED_PROXIES: "1" });
  const child = spawn(process.execPath, [CLI, "serve"], {
    env,
    cwd: PROJECT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await listeningUrl(child);
  return {
    url,
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
