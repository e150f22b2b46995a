/** What every check of the set-up uses. */
import { setTimeout as wait } from "node:timers/promises";
import type { Mailbox } from "../../support/servers/mailbox.ts";
import type { Debian } from "./debian.ts";
import type { Stranger } from "./stranger.ts";

export interface SetUp {
  readonly debian: Debian;
  readonly stranger: Stranger;
  readonly mailbox: Mailbox;
  readonly site: string;
}

/** Returns what it saw; throws an Error that says what is wrong. */
export type Check = (setUp: SetUp) => Promise<string>;

export type Checks = Readonly<Record<string, Check>>;

/** A script in a shell of that user, which ends with its first failure. */
export function shell(debian: Debian, user: string, script: string) {
  const as = user === "root" ? [] : ["runuser", "-u", user, "--"];
  return debian.run(...as, "bash", "-euo", "pipefail", "-c", script);
}

/** What it prints. Throws where it fails. */
export function shellText(debian: Debian, user: string, script: string): string {
  const { status, stdout, stderr } = shell(debian, user, script);
  if (status !== 0) throw new Error(`${user}: ${script} ended with ${status}: ${stdout}${stderr}`);
  return stdout;
}

export const doctor = (debian: Debian) => shell(debian, "presence", "presence doctor");

export async function isReady(stranger: Stranger): Promise<boolean> {
  return (await stranger.get("/readyz").catch(() => undefined))?.status === 200;
}

const PATIENCE_SECONDS = 180;

export async function until(what: string, isDone: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < PATIENCE_SECONDS; waited++) {
    if (await isDone()) return;
    await wait(1000);
  }
  throw new Error(`waited ${PATIENCE_SECONDS} s in vain: ${what}`);
}
