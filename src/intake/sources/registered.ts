import type { ObserverFacts, Registry } from "../../independence/trace.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import type { LedgerState } from "../../ledger/decisions/ledger-state.ts";
import type { SourceStore } from "../../ledger/sources/source-store.ts";
import { Affiliations, recordOf } from "./affiliations.ts";

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
