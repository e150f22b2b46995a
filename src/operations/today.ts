/** One day of the service on one screen: what came in, waits, was published and changed, who used the API, and what the night cost. */

import { existsSync } from "node:fs";
import { basename } from "node:path";
import { keptRelease } from "../build/changes/known-releases.ts";
import { heldRelease } from "../build/stages/held.ts";
import { currentRelease } from "../build/stages/publish.ts";
import { awaitedApprovals } from "../intake/brake.ts";
import { releasePaths } from "../kernel/home.ts";
import { readNightlyStatus } from "../kernel/status-files.ts";
import { DAY_MS, isoDate, utcDayStart } from "../kernel/time.ts";
import { type LedgerReader, openLedgerReader } from "../ledger/reader.ts";
import type { State } from "../state/open-state.ts";
import { type CommandContext, existingState, homeOf } from "./context.ts";
import { readSizes } from "./disk-sizes.ts";
import { queueOf } from "./review-queue.ts";

export type Today = Awaited<ReturnType<typeof dayOf>>;

/** `day` is the UTC day, ms. Reads the ledger through. */
export async function dayOf(context: CommandContext, day: number) {
  const home = homeOf(context);
  using ledger = openLedgerReader(home.ledger);
  await using state = await existingState(context);
  const reports = (await state?.reports.open()) ?? [];
  return {
    day: isoDate(day),
    came_in: cameIn(ledger, day),
    waits: waiting(context, ledger, queueOf({ ledger, reports, now: context.clock() }).counts),
    outbox: state === undefined ? null : await waitingDeliveries(state),
    release: published(context),
    night: nightOf(context, day),
    api: state === undefined ? null : await usageOf(state, day),
  };
}

/** The files of the day. Lines of inboxes and earlier files that were approved stand with the day on which they came. */
function cameIn(ledger: LedgerReader, day: number) {
  const batches = ledger.batches.startedFrom(day).filter(({ startedAt }) => startedAt < day + DAY_MS);
  const sum = (of: (batch: (typeof batches)[number]) => number) =>
    batches.reduce((total, batch) => total + of(batch), 0);
  const lines = ledger.batches.linesOf(batches.map(({ name }) => name));
  return {
    files: batches.length,
    read: sum(({ read }) => read),
    accepted: sum(({ accepted, looks }) => accepted + looks),
    already_known: sum(({ known }) => known),
    rejected: sum(({ rejected }) => rejected),
    by_source: totals(lines.map(({ source, lines: count }) => [source, count])),
    rejected_by_reason: totals(batches.flatMap(({ rejectedByReason }) => Object.entries(rejectedByReason))),
  };
}

/** The sum of each name, the largest first. */
function totals(counts: readonly (readonly [string, number])[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const [name, count] of counts) sums.set(name, (sums.get(name) ?? 0) + count);
  return Object.fromEntries([...sums].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)));
}

type Counted = ReturnType<typeof queueOf>["counts"];

/** What waits now, whatever the day. */
function waiting({ config }: CommandContext, ledger: LedgerReader, counts: Counted) {
  const { waiting: lines, held } = ledger.pending.counts();
  return {
    lines_for_the_night: lines,
    lines_for_a_reviewer: held,
    held_back_batches: ledger.batches.heldBack(),
    first_deliveries: ledger.batches
      .unjudged(Number.MAX_SAFE_INTEGER)
      .map(({ name }) => name)
      .filter((name) => awaitedApprovals(ledger, name, config.strictness).length > 0),
    decisions: totals(counts.map(({ kind, decisions }) => [kind, decisions])),
  };
}

async function waitingDeliveries(state: State) {
  const { mail, webhook } = await state.outbox.counts();
  return { emails: mail.waiting ?? 0, webhooks: webhook.waiting ?? 0 };
}

/** The published release, and how it differs from the one before. */
function published(context: CommandContext) {
  const home = homeOf(context);
  const directory = currentRelease(home);
  const held = heldRelease(home);
  if (directory === undefined || !existsSync(releasePaths(directory).manifest)) return null;
  const release = keptRelease(directory);
  const { release: own, against, added, changed, merged, removed } = release.changes();
  return {
    release: basename(directory),
    as_of: release.asOf,
    records: own.records,
    against: against === null ? null : against.data_as_of,
    changed: { added, changed, merged, gone: removed },
    held:
      held === undefined ? null : { since: held.held_at, findings: held.findings.map(({ text }) => text) },
  };
}

/** The last night, if it ran on that day; and what it made of the disk. */
function nightOf(context: CommandContext, day: number) {
  const home = homeOf(context);
  const night = readNightlyStatus(home.nightly);
  if (night === undefined || utcDayStart(Date.parse(night.started_at)) !== day) return null;
  const sizes = readSizes(home);
  const at = sizes.findIndex((each) => utcDayStart(Date.parse(each.at)) === day);
  const [before, after] = [sizes[at - 1], sizes[at]];
  return {
    state: night.state,
    started_at: night.started_at,
    finished_at: night.finished_at,
    seconds: totals(night.steps.map(({ name, seconds }) => [name, seconds ?? 0])),
    failed: night.steps.filter(({ outcome }) => outcome === "failed").map(({ name }) => name),
    ledger_bytes_added:
      before === undefined || after === undefined ? null : after.ledger_bytes - before.ledger_bytes,
    disk_bytes_used:
      before === undefined || after === undefined ? null : before.free_bytes - after.free_bytes,
  };
}

const TOP = 3;

async function usageOf(state: State, day: number) {
  const { counts, topEndpoints, topCities } = await state.usage.report(day + DAY_MS, 1);
  const top = (ranked: readonly { readonly value: string; readonly requests: number }[]) =>
    Object.fromEntries(ranked.slice(0, TOP).map(({ value, requests }) => [value, requests]));
  return {
    requests: counts.externalRequests,
    by_client: counts.clientClass,
    partners: await partnersOf(state, day),
    errors: counts.status["5xx"],
    rate_limited: counts.rateLimited,
    top_endpoints: top(topEndpoints),
    top_cities: top(topCities),
  };
}

/** Requests by the names of partners. */
async function partnersOf(state: State, day: number) {
  const used = await state.usage.partnersIn(day + DAY_MS, 1);
  const names = new Map((await state.partners.listClients()).map(({ publicId, name }) => [publicId, name]));
  return Object.fromEntries(used.map(({ value, requests }) => [names.get(value) ?? value, requests]));
}
