import { BUILT_IN } from "../../contract/fields.ts";
import type { ObserverFacts, Registry } from "../../independence/trace.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import type { LedgerState } from "../../ledger/decisions/ledger-state.ts";
import type { Merges } from "../../ledger/decisions/merges.ts";
import type { KnownObserver, Source, SourceStore } from "../../ledger/sources/source-store.ts";

/** Observers and who controls them. */
export class Principals {
  readonly #observers: ReadonlyMap<string, KnownObserver>;
  readonly #collective: ReadonlySet<string>;

  constructor(store: Pick<SourceStore, "observers" | "sources">) {
    this.#observers = new Map(store.observers().map((known) => [known.observer, known]));
    const collective = store.sources().filter(({ vetting }) => vetting === "collective");
    this.#collective = new Set(collective.map(({ id }) => id));
  }

  /** The principal of an observer that sends lines of a source; undefined: of a built-in one. */
  of(source: string | undefined, observer: string): string {
    if (source === undefined) return BUILT_IN;
    return this.#collective.has(source)
      ? collectivePrincipal({ id: source })
      : this.observer(observer).principal;
  }

  /** What is known of an observer: one that the operator said nothing of is a principal of its own. */
  observer(observer: string): KnownObserver {
    const own = { observer, principal: observer, isSuspended: false, isVouched: false, enrolledIn: null };
    return this.#observers.get(observer) ?? own;
  }
}

/** The principal of all observers of a collective source. */
export function collectivePrincipal({ id }: Pick<Source, "id">): string {
  return `source ${id}`;
}

/** Reasons that last only while they hold; what another check found stays until a review restores the row. */
const PASSING: ReadonlySet<string> = new Set(["not_established", "suspended", "affiliated"]);

/** Whether what a check found stays, and waits for a review. */
export function isLasting(check: string): boolean {
  return !PASSING.has(check);
}

interface AffiliatedSubject {
  readonly record: number; // ledger row, at the end of merges
  readonly nameKey: string;
}

/** Which principals run which records: they are never independent of them. */
export class Affiliations {
  readonly #known: ReadonlySet<string>;

  /** `merges` as they are in effect: who runs a record runs the one that it went into. */
  constructor(store: Pick<SourceStore, "affiliations">, merges: Pick<Merges, "root">) {
    this.#known = new Set(
      store.affiliations().map(({ principal, subject }) => `${principal} ${rootSubject(subject, merges)}`),
    );
  }

  /** Whether a principal runs a record, or the brand whose name it has. */
  has(principal: string, { record, nameKey }: AffiliatedSubject): boolean {
    if (this.#known.size === 0) return false;
    return (
      this.#known.has(`${principal} ${recordSubject(record)}`) ||
      this.#known.has(`${principal} ${brandSubject(nameKey)}`)
    );
  }
}

function rootSubject(subject: string, merges: Pick<Merges, "root">): string {
  const record = recordOf(subject);
  return record === undefined ? subject : recordSubject(merges.root(record));
}

/** The record of a subject that is one. */
export function recordOf(subject: string): number | undefined {
  const [, row] = /^record (\d+)$/.exec(subject) ?? [];
  return row === undefined ? undefined : Number(row);
}

export function recordSubject(record: number): string {
  return `record ${record}`;
}

export function brandSubject(nameKey: string): string {
  return `name ${nameKey}`;
}

/** What the operator registered, as the checks ask for it. */
export function registryOf(store: SourceStore, state: LedgerState): Registry {
  const affiliations = new Affiliations(store, state.merges);
  const canSee = new Map(store.sources().map(({ id, assetTypes }) => [id, new Set(assetTypes)]));
  const keys = new Map<number, string>();
  const keyOf = (record: number) => {
    const key = keys.get(record) ?? nameKey(state.records.get(record)?.name ?? "");
    keys.set(record, key);
    return key;
  };
  return {
    observers: new Map<string, ObserverFacts>(
      store.observers().map(({ observer, ...facts }) => [observer, facts]),
    ),
    isAffiliated: (principal, record) => affiliations.has(principal, { record, nameKey: keyOf(record) }),
    canSee: (source, assetType) => canSee.get(source)?.has(assetType) ?? true,
    affiliations: store.affiliations().flatMap(({ principal, subject }) => {
      const record = recordOf(subject);
      return record === undefined ? [] : [{ principal, record: state.merges.root(record) }];
    }),
  };
}
