/**
 * What was erased leaves the state, too: at once, and again when the public no longer gets it, because a server counts requests for a record until
 * it follows the new release. A file beside the ledger keeps the list from before the erasure until that second time, whatever fails meanwhile.
 */

import { existsSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { currentRelease, treeSizeOf } from "../build/stages/publish.ts";
import { withoutRecord } from "../delivery/email/messages.ts";
import type { ErasurePlan } from "../intake/erasure/erasure-plan.ts";
import { replaceFile } from "../kernel/files/durable-file.ts";
import { readNamedFile } from "../kernel/files/named-file.ts";
import { SECRET_MODE, secretText } from "../kernel/files/secret-file.ts";
import type { Home } from "../kernel/home.ts";
import { SECOND_MS } from "../kernel/time.ts";
import { openLedgerReader } from "../ledger/reader.ts";
import { type CommandContext, homeOf } from "./context.ts";
import { existingState } from "./existing-state.ts";
import { lastErasure, withPublishLock } from "./publish-lock.ts";

/** A server notices a release within a second and writes its counts every two seconds. */
const LAST_REQUESTS_MS = 4 * SECOND_MS;

const ToForget = z.strictObject({ records: z.array(z.string()), rows: z.array(z.int()) });
type ToForget = z.infer<typeof ToForget>;

/** Call it under the lock of publishing, before the erasure. */
export function noteErased(home: Home, { records, rows }: Pick<ErasurePlan, "records" | "rows">): void {
  const known = readNoted(home);
  putNoted(home, {
    records: [...new Set([...known.records, ...records.map(({ public_id }) => public_id)])],
    rows: [...new Set([...known.rows, ...rows])],
  });
}

function readNoted({ toForget }: Home): ToForget {
  if (!existsSync(toForget)) return { records: [], rows: [] };
  return ToForget.parse(JSON.parse(readNamedFile(toForget)));
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
  if (!existsSync(home.toForget)) return;
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

function without(all: ToForget, done: ToForget): ToForget {
  const [records, rows] = [new Set(done.records), new Set(done.rows)];
  return {
    records: all.records.filter((each) => !records.has(each)),
    rows: all.rows.filter((each) => !rows.has(each)),
  };
}

function putNoted({ toForget }: Home, noted: ToForget): void {
  if (noted.records.length + noted.rows.length === 0) rmSync(toForget, { force: true });
  else replaceFile(toForget, secretText(noted), SECRET_MODE);
}

/** Whether no published release is from before the newest erasure. */
function isCovered(home: Home): boolean {
  using reader = openLedgerReader(home.ledger);
  const directory = currentRelease(home);
  return directory === undefined || treeSizeOf(directory) >= lastErasure(reader);
}
