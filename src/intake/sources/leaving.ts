/**
 * How an observer or a whole source leaves: what is private of it goes at once, its public rows record by record within 14 days, in
 * redactions that tell nothing of who left.
 */
import { confirmationCode } from "../../kernel/confirmation.ts";
import { utcDayStart } from "../../kernel/time.ts";
import type { StoredObservation } from "../../ledger/sources/stored-observations.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { planLeaving } from "../erasure/erasure-plan.ts";
import { parseObservation } from "../lines/observation-input.ts";
import { intakeHashes, namedSource, observerHashOf } from "../lines/sighting.ts";
import { reteach } from "../matching/reteach.ts";
import { delayOf } from "./judge-ledger.ts";
import { sourceFinder } from "./ledger-traces.ts";
import { registeredIn } from "./line-sources.ts";
import { collectivePrincipal } from "./principals.ts";
import { hashOf, knownSource, type ObserverName } from "./source-desk.ts";

/** Who leaves: an observer, or all of a source. */
export type Leaver = { readonly observer: ObserverName } | { readonly source: string };

export interface LeavingPlan {
  /** Observations, with the records that they are about. */
  readonly rows: ReadonlyMap<number, number>;
  /** Observers that are forgotten, as keyed hashes: those without rows elsewhere. */
  readonly observers: readonly string[];
  readonly source: string | undefined; // that leaves as a whole
  readonly pending: readonly number[]; // ids of lines without a row
  readonly code: string; // valid until the ledger changes
}

/** Changes nothing. Reads the ledger through. Throws OperatorError for an unknown source. */
export function planToLeave(ledger: LedgerWriter, leaver: Leaver): LeavingPlan {
  const rows = new Map<number, number>();
  const { named, isTheirs } =
    "observer" in leaver ? ofObserver(ledger, leaver.observer) : ofSource(ledger, leaver.source);
  const leaving = new Set(named);
  const staying = new Set<string>();
  for (const observation of ledger.storedObservations()) {
    const { row, body, hidden } = observation;
    const leaves = isTheirs(observation);
    (leaves ? leaving : staying).add(hidden.observer.hash);
    if (leaves) rows.set(row, body.record);
  }
  const { row, hash } = ledger.live.last();
  return {
    rows,
    observers: forgotten(ledger.sources, leaver, { named, leaving, staying }),
    source: "source" in leaver ? leaver.source : undefined,
    pending: pendingOf(ledger, leaver),
    code: confirmationCode([row, hash, "leave", [...rows.keys()]]),
  };
}

interface Observers {
  readonly named: readonly string[];
  readonly leaving: ReadonlySet<string>;
  readonly staying: ReadonlySet<string>; // that have rows elsewhere
}

/** Those who leave, and those who were enrolled in the source that leaves and have no row elsewhere. */
function forgotten(
  store: LedgerWriter["sources"],
  leaver: Leaver,
  { named, leaving, staying }: Observers,
): string[] {
  const gone = new Set([...leaving].filter((observer) => named.includes(observer) || !staying.has(observer)));
  for (const { observer, enrolledIn } of store.observers())
    if ("source" in leaver && enrolledIn === leaver.source && !staying.has(observer)) gone.add(observer);
  return [...gone];
}

interface Rows {
  readonly named: readonly string[]; // keyed hashes of the observers that the operator named
  isTheirs(observation: StoredObservation): boolean;
}

/** In all sources of the operator. */
function ofObserver(ledger: LedgerWriter, name: ObserverName): Rows {
  const own = hashOf(ledger, name);
  return { named: [own], isTheirs: ({ hidden }) => hidden.observer.hash === own };
}

function ofSource(ledger: LedgerWriter, id: string): Rows {
  knownSource(ledger, id);
  const sourceOf = sourceFinder(ledger.sources.sources());
  return { named: [], isTheirs: (observation) => sourceOf(observation)?.id === id };
}

function pendingOf(ledger: LedgerWriter, leaver: Leaver): number[] {
  const hashes = intakeHashes(ledger.purposeKey, registeredIn(ledger.sources));
  const own = "observer" in leaver ? hashOf(ledger, leaver.observer) : undefined;
  return [...ledger.pending.all()].flatMap(({ id, input: text }) => {
    const input = parseObservation(JSON.parse(text));
    const leaves =
      "source" in leaver ? namedSource(input) === leaver.source : observerHashOf(input, hashes) === own;
    return leaves ? [id] : [];
  });
}

/** Does what is done at once, and queues the rest. `LedgerWriter.scrub` follows. */
export function leave(ledger: LedgerWriter, { rows, observers, source, pending }: LeavingPlan): void {
  const leaving = [...rows.keys()];
  const plan = planLeaving(ledger, leaving);
  const lookers = source === undefined ? { observers } : { source };
  const lookRows = ledger.looks.rowsMadeOnlyBy(lookers); // other look rows are sums, and stay
  const hashes = intakeHashes(ledger.purposeKey);
  const { sources } = ledger;
  ledger.transaction(() => {
    const today = utcDayStart(ledger.now());
    // Records and assets that only these rows support leave with them.
    ledger.strip([...plan.rows, ...plan.stripped]);
    ledger.intake.forgetVehicleSightings(plan.rows);
    sources.forgetRows(leaving);
    const eraseLater = (target: number, group: number) => {
      const change = { erase: true } as const;
      sources.delay({ target, change, due: today + delayOf(group, change, hashes) });
    };
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
