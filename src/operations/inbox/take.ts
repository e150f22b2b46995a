/** Takes what is whole out of the inbox, and deletes copies that are too old. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { DAY_MS, SECOND_MS } from "../../kernel/time.ts";
import { acquireLock, LockHeld } from "../../ledger/database/lock.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { type CommandContext, homeOf, openWriter } from "../context.ts";
import { dropOld, dropUnknown } from "./kept.ts";
import { type Entry, lookInto } from "./look.ts";
import { type Told, told } from "./report.ts";
import { type Taking, takeFile } from "./take-file.ts";

export interface TakeOptions {
  readonly clock?: string | undefined; // as `--clock`
  /** How long to wait for files that are being written. */
  readonly waitMs: number;
  readonly sleep?: (ms: number) => Promise<unknown>;
  readonly after?: Taking["after"];
}

/** Between two looks: what has changed meanwhile is being written. */
const LOOK_MS = 2 * SECOND_MS;
/** For another command that writes to the ledger. */
const LEDGER_WAIT_MS = 600 * SECOND_MS;
/** How long it is known what became of a file: as long as its batch. */
export const REPORT_DAYS = 400;

/** Everything that lies in the inbox now. */
export function lookNow(context: CommandContext): Entry[] {
  const home = homeOf(context);
  using reader = openLedgerReader(home.ledger);
  const sources = new Set(reader.sources().map(({ id }) => id));
  return lookInto(home.inbox, { sources, now: context.clock(), uid: context.user.uid });
}

/** Takes what is whole, and deletes copies that are too old. Throws OperatorError while another process does so, and for a ledger that stays locked. */
export async function takeInbox(context: CommandContext, options: TakeOptions): Promise<Told[]> {
  const { waitMs, sleep = pause } = options;
  const { kept } = homeOf(context);
  let looked = lookNow(context);
  dropOld(homeOf(context), context.clock());
  if (looked.length === 0) return [];
  mkdirSync(kept, { recursive: true, mode: 0o700 });
  using _lock = acquireLock(join(kept, "taking.lock"), "taking files from the inbox");
  const told: Told[] = [];
  for (let waited = LOOK_MS; ; waited += LOOK_MS) {
    if (looked.some(({ problem }) => problem === null)) await sleep(LOOK_MS);
    const before = new Set(looked.map(({ identity }) => identity));
    looked = lookNow(context);
    const whole = looked.filter((each) => isReady(each) && before.has(each.identity));
    const became = whole.length === 0 ? [] : await takeAll(context, whole, options);
    told.push(...became.filter(({ outcome }) => outcome !== "waits"));
    const taken = new Set(told.map(keyOf));
    const left = looked.filter((each) => !taken.has(keyOf({ ...each, file: each.name })));
    const isWaiting = left.some(({ problem }) => problem === null);
    if (!isWaiting || waited >= waitMs) return [...told, ...left.map(leftOver)];
  }
}

function isReady({ problem, isYoung }: Entry): boolean {
  return problem === null && !isYoung;
}

function keyOf({ source, file }: Pick<Told, "source" | "file">): string {
  return `${source}/${file}`;
}

function leftOver({ source, name, problem }: Entry): Told {
  const reason = problem ?? "somebody may still be writing it";
  return told({ source, name }, { outcome: problem === null ? "waits" : "left", reason });
}

/** The lock of the ledger keeps erasures away: none deletes the copies while another one is made. */
async function takeAll(
  context: CommandContext,
  entries: readonly Entry[],
  options: TakeOptions,
): Promise<Told[]> {
  using ledger = await openWhenFree(context, options);
  const home = homeOf(context);
  ledger.transaction(() => ledger.inbox.forgetBefore(ledger.now() - REPORT_DAYS * DAY_MS));
  dropUnknown(home, (id) => ledger.inbox.file(id) !== undefined);
  const told: Told[] = [];
  for (const entry of entries)
    told.push(await takeFile({ context, ledger, home, after: options.after }, entry));
  return told;
}

/** Takes its time where another command writes. */
async function openWhenFree(
  context: CommandContext,
  { clock, sleep = pause }: TakeOptions,
): Promise<LedgerWriter> {
  for (let waited = 0; ; waited += SECOND_MS) {
    try {
      return openWriter(context, clock);
    } catch (error) {
      if (!(error instanceof LockHeld) || waited >= LEDGER_WAIT_MS) throw error;
      await sleep(SECOND_MS);
    }
  }
}
