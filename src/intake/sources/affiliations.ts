import type { ObserverFacts, Registry } from "../../independence/trace.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import type { LedgerState } from "../../ledger/decisions/ledger-state.ts";
import type { Merges } from "../../ledger/decisions/merges.ts";
import type { SourceStore } from "../../ledger/sources/source-store.ts";

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
