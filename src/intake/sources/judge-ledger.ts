/**
 * The nightly judgement: runs all checks over the ledger's private traces, remembers what they found, and queues the changes that
 * follow. Each change takes effect by a row of its own when its keyed delay is over.
 */
import { judge } from "../../independence/judge.ts";
import type { CheckCode, Judgement, ReviewItem } from "../../independence/trace.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { DAY_MS, utcDayStart } from "../../kernel/time.ts";
import { LedgerState } from "../../ledger/decisions/ledger-state.ts";
import { TagChanges } from "../../ledger/decisions/observer-tags.ts";
import type { RecountBody } from "../../ledger/rows/rows.ts";
import type { DelayedChange, SetAsideRow } from "../../ledger/sources/source-store.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { type IntakeHashes, intakeHashes } from "../lines/sighting.ts";
import { reteach } from "../matching/reteach.ts";
import { isLasting } from "./lasting.ts";
import { type LedgerTrace, ledgerTraces, sourceFinder } from "./ledger-traces.ts";
import { addTagChanges, PrincipalTags } from "./principal-tags.ts";
import { Principals } from "./principals.ts";
import { registryOf } from "./registered.ts";
import { CurrentCounts } from "./teaching.ts";

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
    queueChanges(ledger, traces, judgement, { state, today });
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

interface Known {
  readonly state: LedgerState;
  readonly today: number;
}

function queueChanges(
  ledger: LedgerWriter,
  traces: readonly LedgerTrace[],
  judgement: Judgement,
  { state, today }: Known,
): void {
  const recounts = ledger.live.recounts();
  const queue = new ChangeQueue(ledger, today);
  const counts = new CurrentCounts(recounts);
  const wanted = wantedCounts(ledger, judgement);
  const tags = new TagUpdates(ledger, state, recounts);
  for (const trace of traces) {
    const isWanted = wanted(trace);
    queue.counts(trace.row, isWanted, counts.of(trace));
    queue.tags(tags.of(trace));
  }
}

/** Whether a row is to count, by what is known today. */
function wantedCounts(
  { sources: store }: LedgerWriter,
  { setAside }: Judgement,
): (trace: LedgerTrace) => boolean {
  const lasting = store.setAside();
  const standings = store.standings();
  return ({ row, principal, isRestored }) => {
    const check = setAside.get(row);
    if (check === "suspended" || check === "affiliated") return false;
    // The principal may have been established by what was erased since.
    if (check === "not_established" && !standings.has(principal)) return false;
    if (isRestored) return true;
    return (check === undefined || check === "not_established") && !isSetAside(lasting.get(row));
  };
}

function isSetAside(known: SetAsideRow | undefined): boolean {
  return known !== undefined && isLasting(known.check);
}

/** The tags that rows have now, and those that they should have. */
class TagUpdates {
  readonly #state: LedgerState;
  readonly #changes: TagChanges;
  readonly #tags: PrincipalTags;

  constructor(ledger: LedgerWriter, state: LedgerState, recounts: Iterable<{ readonly body: RecountBody }>) {
    this.#state = state;
    this.#changes = addTagChanges(new TagChanges(), recounts);
    this.#tags = new PrincipalTags(ledger.sources, intakeHashes(ledger.purposeKey));
  }

  /** A change that the tag of a row of a registered source still needs. */
  of(
    trace: LedgerTrace,
  ): { readonly record: number; readonly from: string; readonly to: string } | undefined {
    const { stored, registered, record, observer } = trace;
    if (registered === undefined) return undefined;
    const { observer_tag: tag, record: own } = stored.body;
    const from = this.#changes.rootTag({ record: own, tag }, this.#state.merges);
    const to = this.#tags.tagAt({ observer, source: registered.id, tag }, record);
    return from === to ? undefined : { record, from, to };
  }
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

  counts(target: number, wanted: boolean, current: boolean): void {
    const opposite = { counts: !wanted };
    if (this.#waiting.has(key(target, opposite))) this.#store.settle({ target, change: opposite });
    if (wanted !== current) this.#add(target, { counts: wanted });
  }

  tags(update: ReturnType<TagUpdates["of"]>): void {
    if (update !== undefined) this.#add(update.record, { tags: { [update.from]: update.to } });
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
