import { once } from "node:events";
import { mkdirSync, mkdtempSync, readlinkSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { homePaths } from "../../../src/kernel/home.ts";
import { presenceHere } from "../operations/presence-here.ts";
import { type Outcome, PROJECT, type RunningCommand, startPresence } from "../operations/presence-process.ts";
import { SHARED_CACHES } from "./shared-caches.ts";

/** The public address that the demonstration's release is built for. */
export const DEMO_BASE_URL = "https://demo.test";

const SETTINGS = { BASE_URL: DEMO_BASE_URL, SOURCE_REVISION: "test", ...SHARED_CACHES };

function startIn(
  home: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): RunningCommand {
  return startPresence(args, { home, env: { ...SETTINGS, ...env } });
}

/** Make the demonstration and its first release as an operator would, through the command line. Returns its home. */
export async function makeDemoHome(): Promise<string> {
  const home = join(mkdtempSync(join(tmpdir(), "presence-demo-")), "var");
  for (const command of [["demo"], ["nightly", "--now"]])
    outputOf(command, await startIn(home, command).done); // processes: the town is made meanwhile
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
  const [from, to] = [homePaths(home), homePaths(own)];
  mkdirSync(to.night);
  symlinkSync(from.releases, to.releases);
  symlinkSync(readlinkSync(from.current), to.current);
  return own;
}

/** Runs a command over a home; returns what it wrote to its output. */
export async function presence(home: string, ...command: readonly string[]): Promise<string> {
  return outputOf(
    command,
    await presenceHere(command, { cwd: PROJECT, env: { PRESENCE_HOME: home, ...SETTINGS } }),
  );
}

function outputOf(command: readonly string[], { code, stdout, stderr }: Outcome): string {
  if (code === 0) return stdout;
  throw new Error(`presence ${command.join(" ")} ended with ${code}:\n${stderr}`);
}

interface ServeOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly onLog?: (text: string) => void;
}

const LISTENING = "(Ctrl-C"; // the end of the line that names the address

/** `presence serve` over a home, on a free port. One proxy is trusted, so that a test can speak for many clients. */
export async function serveHome(home: string, { env = {}, onLog }: ServeOptions = {}): Promise<DemoServer> {
  const command = startIn(home, ["serve"], { PORT: "0", TRUSTED_PROXIES: "1", ...env });
  const { child } = command;
  child.stderr?.on("data", onLog ?? ((text: string) => process.stderr.write(text)));
  await command.said(LISTENING);
  const url = / on (http:\S+)/.exec(command.stdout())?.[1];
  if (url === undefined)
    throw new Error(`the server ended before it listened:\n${(await command.done).stderr}`);
  const end = async (signal: NodeJS.Signals) => {
    const exited = once(child, "exit");
    child.kill(signal);
    const [code]: (number | null)[] = await exited;
    return code ?? null;
  };
  return {
    url,
    pid: child.pid ?? 0,
    async kill() {
      await end("SIGKILL");
    },
    stop: () => end("SIGTERM"),
  };
}
