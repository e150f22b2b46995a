/**
 * How an observer or a whole source leaves: what is private of it goes at once, its public rows record by record within 14 days, in
 * redactions that tell nothing of who left.
 */
import { confirmationCode } from "../../kernel/confirmation.ts";
import { utcDayStart } from "../../kernel/time.ts";
import type { LeavingLookers } from "../../ledger/looks.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { planLeaving } from "../erasure/erasure-plan.ts";
import { parseObservation } from "../lines/observation-input.ts";
import { intakeHashes, namedSource, observerHashOf } from "../lines/sighting.ts";
import { reteach } from "../matching/reteach.ts";
import { registeredIn } from "./entry.ts";
import { delayOf } from "./judge-ledger.ts";
import { collectivePrincipal } from "./principals.ts";
import { hashOf, knownSource, type ObserverName, withdraw } from "./source-desk.ts";
import { sourceFinder } from "./teaching.ts";

/** Who leaves: an observer, in all sources of its operator, or all of a source. */
export type Leaver = { readonly observer: ObserverName } | { readonly source: string };

export interface LeavingPlan {
  /** Observations, with the records that they are about. */
  readonly rows: ReadonlyMap<number, number>;
  /** Observers that are forgotten, as keyed hashes: those without rows elsewhere. */
  readonly observers: readonly string[];
  readonly source: string | undefined; // that leaves as a whole
  readonly pending: readonly number[]; // ids of lines without a row
  readonly isGone: boolean; // nothing is left to take out
  readonly code: string; // valid until the ledger changes
}

/** Changes nothing. Reads the ledger through. Throws OperatorError for an unknown source. */
export function planToLeave(ledger: LedgerWriter, leaver: Leaver): LeavingPlan {
  const { rows, ...lookers } = "observer" in leaver ? ofObserver(ledger, leaver) : ofSource(ledger, leaver);
  const pending = pendingOf(ledger, leaver);
  const known = new Set(ledger.sources.observers().map(({ observer }) => observer));
  const isKnown =
    lookers.isActive ||
    ledger.looks.has(lookersOf(lookers)) ||
    lookers.observers.some((each) => known.has(each));
  const { row, hash } = ledger.live.last();
  return {
    ...{ rows, pending, observers: lookers.observers, source: lookers.source },
    isGone: rows.size + pending.length === 0 && !isKnown,
    code: confirmationCode([row, hash, "leave", [...rows.keys()]]),
  };
}

interface Theirs extends Pick<LeavingPlan, "rows" | "observers" | "source"> {
  readonly isActive: boolean; // a source that is not withdrawn
}

function ofObserver(ledger: LedgerWriter, { observer }: { readonly observer: ObserverName }): Theirs {
  const own = hashOf(ledger, observer);
  const rows = new Map<number, number>();
  for (const { row, body, hidden } of ledger.storedObservations())
    if (hidden.observer.hash === own) rows.set(row, body.record);
  return { rows, observers: [own], source: undefined, isActive: false };
}

/** With those who were enrolled in it, and those who have rows in it, unless they have rows elsewhere. */
function ofSource(ledger: LedgerWriter, { source }: { readonly source: string }): Theirs {
  const { state } = knownSource(ledger.sources.sources(), source);
  const sourceOf = sourceFinder(ledger.sources.sources());
  const rows = new Map<number, number>();
  const staying = new Set<string>();
  const leaving = new Set(
    ledger.sources.observers().flatMap((each) => (each.enrolledIn === source ? [each.observer] : [])),
  );
  for (const observation of ledger.storedObservations()) {
    const { row, body, hidden } = observation;
    const leaves = sourceOf(observation)?.id === source;
    (leaves ? leaving : staying).add(hidden.observer.hash);
    if (leaves) rows.set(row, body.record);
  }
  const observers = [...leaving].filter((observer) => !staying.has(observer));
  return { rows, observers, source, isActive: state !== "withdrawn" };
}

function lookersOf({ observers, source }: Pick<LeavingPlan, "observers" | "source">): LeavingLookers {
  return source === undefined ? { observers } : { source };
}

function pendingOf(ledger: LedgerWriter, leaver: Leaver): number[] {
  const own = "observer" in leaver ? hashOf(ledger, leaver.observer) : undefined;
  const hashes = intakeHashes(ledger.purposeKey, registeredIn(ledger.sources));
  return [...ledger.pending.all()].flatMap(({ id, input: text }) => {
    const input = parseObservation(JSON.parse(text));
    const leaves =
      "source" in leaver ? namedSource(input) === leaver.source : observerHashOf(input, hashes) === own;
    return leaves ? [id] : [];
  });
}

/** Does what is done at once, and queues the rest. `LedgerWriter.scrub` follows. A source that leaves is withdrawn. */
export function leave(ledger: LedgerWriter, { rows, observers, source, pending }: LeavingPlan): void {
  const leaving = [...rows.keys()];
  const plan = planLeaving(ledger, leaving);
  const lookers = lookersOf({ observers, source });
  const lookRows = ledger.looks.rowsMadeOnlyBy(lookers); // other look rows are sums, and stay
  const hashes = intakeHashes(ledger.purposeKey);
  const { sources } = ledger;
  ledger.transaction(() => {
    const today = utcDayStart(ledger.now());
    const eraseLater = (target: number, group: number) => {
      const change = { erase: true } as const;
      sources.delay({ target, change, due: today + delayOf(group, change, hashes) });
    };
    if (source !== undefined) {
      withdraw(ledger, source);
      sources.forgetNames(source); // of those who have rows elsewhere, too
    }
    // Records and assets that only these rows support leave with them.
    ledger.strip([...plan.rows, ...plan.stripped]);
    sources.forgetRows(leaving);
    for (const [target, record] of rows) eraseLater(target, record);
    for (const target of lookRows) eraseLater(target, target);
    ledger.looks.forget(lookers);
    sources.forget(observers, principalsOf(sources, observers, source));
    ledger.pending.erase(pending, ledger.now());
    reteach(ledger, plan.related);
  });
}

/** The principals that no other observer belongs to. */
function principalsOf(
  store: LedgerWriter["sources"],
  observers: readonly string[],
  source: string | undefined,
): string[] {
  const gone = new Set(observers);
  const known = store.observers();
  const kept = new Set(known.flatMap(({ observer, principal }) => (gone.has(observer) ? [] : [principal])));
  const own = known.flatMap(({ observer, principal }) => (gone.has(observer) ? [principal] : []));
  const collective = source === undefined ? [] : [collectivePrincipal({ id: source })];
  return [...new Set([...observers, ...own, ...collective])].filter((principal) => !kept.has(principal));
}
