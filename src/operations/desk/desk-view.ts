/**
 * The view of the queue that the review desk reads (docs/operations/desk.md): made by the ledger's owner, and taken away before anything is erased. It is
 * written under a lock that an erasure holds, too, so that none that was made before the erasure is written after it.
 */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type DeskResult, readResults, writeQueue, writeResults } from "../../desk/crossing.ts";
import { deskPaths, type Home } from "../../kernel/home.ts";
import { acquireLock } from "../../ledger/database/lock.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import type { ReviewQueue } from "../../review/queue/model.ts";
import { type CommandContext, clockFor, existingState, homeOf } from "../context.ts";
import { queueOf } from "../review-queue.ts";

const LOCK_WAIT_MS = 120_000;
const KEPT_RESULTS = 500;

/** Whether a desk is set up here: then its view follows the ledger. */
export function hasDesk(home: Home): boolean {
  return existsSync(deskPaths(home).view);
}

function lockView({ night }: Home, waitMs = LOCK_WAIT_MS) {
  return acquireLock(join(night, "desk-view.lock"), "writing the view of the review desk", waitMs);
}

export interface WrittenView {
  readonly queue: ReviewQueue;
  readonly results: number;
}

interface ViewOptions {
  readonly clock?: string | undefined; // as `--clock`
  /** Why decisions were refused, by their ids. */
  readonly messages?: ReadonlyMap<string, string>;
  readonly lockWaitMs?: number;
}

/** Writes queue and results anew, the results last: whoever reads that a decision is written finds the queue without it. Reads the ledger through. */
export async function writeDeskView(
  context: CommandContext,
  { clock, messages = new Map(), lockWaitMs }: ViewOptions = {},
): Promise<WrittenView> {
  const home = homeOf(context);
  const paths = deskPaths(home);
  using _lock = lockView(home, lockWaitMs); // before the first read: an erasure may be under way
  await using state = await existingState(context);
  const reports = (await state?.reports.open()) ?? [];
  using ledger = openLedgerReader(home.ledger);
  const now = clockFor(context, ledger.meta.environment, clock)();
  const queue = queueOf({ ledger, reports, now });
  const results = resultsOf(ledger.deskDecisions.latest(KEPT_RESULTS), messages, readResults(paths.results));
  mkdirSync(paths.view, { recursive: true, mode: 0o750 });
  writeQueue(paths.queue, queue);
  writeResults(paths.results, results);
  return { queue, results: results.length };
}

/** Messages stand in the view alone: an erasure takes them along. */
function resultsOf(
  latest: readonly Omit<DeskResult, "message">[],
  messages: ReadonlyMap<string, string>,
  before: readonly DeskResult[],
): DeskResult[] {
  const told = new Map(before.map(({ id, message }) => [id, message]));
  return latest.map((each) => ({ ...each, message: messages.get(each.id) ?? told.get(each.id) ?? null }));
}

/** The same where a desk is set up, for commands that changed the queue. */
export async function refreshDeskView(
  context: CommandContext,
  clock?: string,
): Promise<WrittenView | undefined> {
  return hasDesk(homeOf(context)) ? await writeDeskView(context, { clock }) : undefined;
}

/** Takes the view away and keeps it away while something is erased: a kill leaves none, and what comes next makes one without what was erased. */
export async function withoutDeskView<T>(home: Home, erase: () => T | Promise<T>): Promise<T> {
  if (!hasDesk(home)) return await erase();
  const { queue, results } = deskPaths(home);
  using _lock = lockView(home);
  for (const path of [queue, results])
    for (const each of [path, `${path}.tmp`]) rmSync(each, { force: true });
  return await erase();
}
