/** What every check of the set-up uses. */
import { setTimeout as wait } from "node:timers/promises";
import type { Machine } from "../../support/machine/machine.ts";
import type { Mailbox } from "../../support/servers/mailbox.ts";
import type { Stranger } from "./stranger.ts";

export interface SetUp {
  readonly debian: Machine;
  readonly stranger: Stranger;
  readonly mailbox: Mailbox;
  readonly site: string;
  readonly docs: string; // folder of the documents that are typed
}

/** Returns what it saw; throws an Error that says what is wrong. */
export type Check = (setUp: SetUp) => Promise<string>;

export type Checks = Readonly<Record<string, Check>>;

export const doctor = (debian: Machine) => debian.shell("presence", "presence doctor");

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
