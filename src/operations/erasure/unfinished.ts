/**
 * What is taken out and not yet out of everything. What was erased leaves the state, too: at once, and again when the public no longer gets it,
 * because a server counts requests for a record until it follows the new release. And copies may lie in unused parts of the ledger's file
 * until that is overwritten. A note beside the ledger says what is left to do from before the erasure on, whatever fails meanwhile.
 */

import { existsSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { withoutRecord } from "../../accounts/delivery/messages.ts";
import { currentRelease, treeSizeOf } from "../../build/stages/publish.ts";
import { replaceFile } from "../../kernel/files/durable-file.ts";
import { readNamedFile } from "../../kernel/files/foreign-file.ts";
import { SECRET_MODE, secretText } from "../../kernel/files/secret-file.ts";
import type { Home } from "../../kernel/home.ts";
import { SECOND_MS } from "../../kernel/time.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { type CommandContext, existingState, homeOf } from "../context.ts";
import { lastErasure, withPublishLock } from "../publish-lock.ts";

/** A server notices a release within a second and writes its counts every two seconds. */
const LAST_REQUESTS_MS = 4 * SECOND_MS;

/** What the state knows an erasure by: public ids of records, and rows. */
const ToForget = z.object({ records: z.array(z.string()), rows: z.array(z.int()) });
export type ToForget = z.infer<typeof ToForget>;

const Noted = ToForget.extend({ isInFile: z.boolean() }).strict();
type Noted = z.infer<typeof Noted>;

const NOTHING: Noted = { records: [], rows: [], isInFile: false };

/** Call it under the lock of publishing, before the erasure. */
export function noteErased(home: Home, { records, rows }: ToForget): void {
  const noted = readNoted(home);
  putNoted(home, {
    records: [...new Set([...noted.records, ...records])],
    rows: [...new Set([...noted.rows, ...rows])],
    isInFile: true,
  });
}

/** Overwrites copies of what was erased in the ledger's file, where any may be left. Takes seconds per gigabyte. */
export function overwriteErased(context: CommandContext, ledger: LedgerWriter): void {
  const home = homeOf(context);
  if (!readNoted(home).isInFile) return;
  ledger.scrub();
  locked(home, () => putNoted(home, { ...readNoted(home), isInFile: false }));
  context.stderr.write("scrubbed   the ledger's file: no copy is left in it\n");
}

function readNoted({ toForget }: Home): Noted {
  if (!existsSync(toForget)) return NOTHING;
  return Noted.parse(JSON.parse(readNamedFile(toForget)));
}

interface ForgetOptions {
  /** The erasure itself has not been done yet; the caller holds the lock of publishing. */
  readonly isBefore?: boolean;
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** Removes what is noted from waiting deliveries, subscriptions, request counts and reports; for the last time once no release shows it. */
export async function forgetErased(
  context: CommandContext,
  { isBefore = false, wait = sleep }: ForgetOptions = {},
): Promise<void> {
  const home = homeOf(context);
  if (!hasSomething(readNoted(home))) return;
  // Under the lock, because another erasure may have noted its rows and not erased them yet.
  const { noted, isLast } = isBefore
    ? { noted: readNoted(home), isLast: false }
    : locked(home, () => ({ noted: readNoted(home), isLast: isCovered(home) }));
  await forgetInState(context, noted, () => (isLast ? wait(LAST_REQUESTS_MS) : Promise.resolve()));
  if (isLast) locked(home, () => putNoted(home, without(readNoted(home), noted)));
}

async function forgetInState(
  context: CommandContext,
  { records, rows }: ToForget,
  ready: () => Promise<unknown>,
): Promise<void> {
  await using state = await existingState(context);
  if (state === undefined) return;
  if (records.length > 0) await ready();
  for (const publicId of records) await state.forgetRecord(publicId, withoutRecord(publicId));
  await state.reports.forgetRows(new Set(rows));
  await state.cutLog();
}

function locked<T>(home: Home, work: () => T): T {
  return withPublishLock(home, "publishing a release", work);
}

function hasSomething({ records, rows }: ToForget): boolean {
  return records.length + rows.length > 0;
}

function without(all: Noted, done: ToForget): Noted {
  const [records, rows] = [new Set(done.records), new Set(done.rows)];
  return {
    ...all,
    records: all.records.filter((each) => !records.has(each)),
    rows: all.rows.filter((each) => !rows.has(each)),
  };
}

function putNoted({ toForget }: Home, noted: Noted): void {
  if (noted.isInFile || hasSomething(noted)) replaceFile(toForget, secretText(noted), SECRET_MODE);
  else rmSync(toForget, { force: true });
}

/** Whether no published release is from before the newest erasure. */
function isCovered(home: Home): boolean {
  using reader = openLedgerReader(home.ledger);
  const directory = currentRelease(home);
  return directory === undefined || treeSizeOf(directory) >= lastErasure(reader);
}
