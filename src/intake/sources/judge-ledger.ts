/**
 * The nightly judgement: runs all checks over the ledger's private traces, remembers what they found, and queues the changes that
 * follow. Each change takes effect by a row of its own when its keyed delay is over.
 */
import { judge } from "../../independence/judge.ts";
import type { CheckCode, Judgement, ReviewItem } from "../../independence/trace.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { DAY_MS, utcDayStart } from "../../kernel/time.ts";
import { LedgerState } from "../../ledger/decisions/ledger-state.ts";
import type { DelayedChange, KnownSetAside } from "../../ledger/sources/source-store.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { type IntakeHashes, intakeHashes } from "../lines/sighting.ts";
import { reteach } from "../matching/reteach.ts";
import { isLasting, Principals, registryOf } from "./principals.ts";
import { CurrentCounts, type LedgerTrace, ledgerTraces, sourceFinder } from "./teaching.ts";

export interface JudgedLedger {
  readonly observations: number;
  readonly setAside: number; // by checks, in all
  readonly established: number; // principals, in all
  readonly raised: number; // items that wait for reviewers
  readonly waiting: number; // changes that wait for their day
}

/** The longest time, in days, after which a change takes effect. */
export const MAX_DELAY_DAYS = 14;

/** Judges all rows as known at the beginning of today (UTC). Without registered sources there is nothing to judge. */
export function judgeLedger(ledger: LedgerWriter): JudgedLedger | undefined {
  const { sources: store } = ledger;
  const sources = store.sources();
  if (sources.length === 0) return undefined;
  const state = LedgerState.of(ledger.deskRows.rows());
  const traces = ledgerTraces(ledger.storedObservations(), {
    state,
    principals: new Principals(store),
    sourceOf: sourceFinder(sources),
    setAside: store.setAside(),
  });
  const today = utcDayStart(ledger.now());
  const judgement = judge(traces, registryOf(store, state), today);
  ledger.transaction(() => {
    const found = remember(ledger, judgement, today);
    queueChanges(ledger, traces, judgement, today);
    reteach(
      ledger,
      traces.flatMap(({ row, stored }) => (found.has(row) ? [stored.body.record] : [])),
    );
  });
  return {
    observations: traces.length,
    setAside: store.setAside().size,
    established: store.standings().size,
    raised: store.openItems().length,
    waiting: store.delayed().length,
  };
}

/** Returns the rows that are set aside from tonight on. */
function remember(
  { sources: store }: LedgerWriter,
  { established, setAside, items }: Judgement,
  today: number,
): ReadonlySet<number> {
  const found = new Set<number>();
  for (const [principal, since] of established) store.establish(principal, since);
  const known = store.setAside();
  for (const [row, check] of setAside)
    if (isNews(check, known.get(row)?.check)) {
      store.putSetAside(row, check, today);
      found.add(row);
    }
  for (const item of items) store.raise({ ...item, key: itemKey(item), rows: [...item.rows], day: today });
  return found;
}

/** What lasts stays as it was found; what passes gives way to what lasts. */
function isNews(check: CheckCode, known: string | undefined): boolean {
  if (check === "not_established") return false;
  return known === undefined || (!isLasting(known) && isLasting(check));
}

/** The same finding has the same key each night, whatever rows it has grown by. */
function itemKey({ check, record, observers }: ReviewItem): string {
  return sha256Hex(JSON.stringify([check, record, [...observers].sort()])).slice(0, 16);
}

function queueChanges(
  ledger: LedgerWriter,
  traces: readonly LedgerTrace[],
  judgement: Judgement,
  today: number,
): void {
  const queue = new ChangeQueue(ledger, today);
  const counts = new CurrentCounts(ledger.live.recounts());
  const setAside = ledger.sources.setAside();
  for (const trace of traces) {
    const { row } = trace;
    queue.add(row, isToCount(trace, judgement.setAside.get(row), setAside.get(row)), counts.of(trace));
  }
}

/** Whether a row is to count, by what is known today. Standing that its principal gained since it entered is nothing to it. */
function isToCount(
  { stored, isRestored }: LedgerTrace,
  check: CheckCode | undefined,
  known: KnownSetAside | undefined,
): boolean {
  const wasEstablished = stored.body.counts || known?.wasEstablished === true;
  if (!wasEstablished || check === "suspended" || check === "affiliated") return false;
  if (isRestored) return true;
  return (check === undefined || check === "not_established") && !isSetAside(known);
}

function isSetAside(known: KnownSetAside | undefined): boolean {
  return known !== undefined && isLasting(known.check);
}

/** Queues changes, each with a keyed day. Owns what is queued already. */
class ChangeQueue {
  readonly #store: LedgerWriter["sources"];
  readonly #hashes: IntakeHashes;
  readonly #today: number;
  readonly #waiting: ReadonlySet<string>;

  constructor({ sources, purposeKey }: LedgerWriter, today: number) {
    this.#store = sources;
    this.#hashes = intakeHashes(purposeKey);
    this.#today = today;
    this.#waiting = new Set(sources.delayed().map(({ target, change }) => key(target, change)));
  }

  /** Queues that a row counts, or no longer counts, unless it does so now. */
  add(target: number, wanted: boolean, current: boolean): void {
    const opposite = { counts: !wanted };
    if (this.#waiting.has(key(target, opposite))) this.#store.settle({ target, change: opposite });
    if (wanted !== current) this.#add(target, { counts: wanted });
  }

  #add(target: number, change: DelayedChange): void {
    if (this.#waiting.has(key(target, change))) return;
    this.#store.delay({ target, change, due: this.#today + delayOf(target, change, this.#hashes) });
  }
}

function key(target: number, change: DelayedChange): string {
  return `${target} ${JSON.stringify(change)}`;
}

/** 1 to 14 days, in ms, by a keyed hash: nobody without the key can tell which changes have one cause. */
export function delayOf(
  target: number,
  change: DelayedChange,
  { observerTag }: Pick<IntakeHashes, "observerTag">,
): number {
  const digest = observerTag(`delay ${key(target, change)}`);
  return (1 + (Number.parseInt(digest.slice(0, 8), 16) % MAX_DELAY_DAYS)) * DAY_MS;
}
