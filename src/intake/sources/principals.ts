import type { KnownObserver, Source, SourceStore } from "../../ledger/sources/source-store.ts";

/** Observers and who controls them. */
export class Principals {
  readonly #observers: Map<string, KnownObserver>;

  constructor(store: Pick<SourceStore, "observers">) {
    this.#observers = new Map(store.observers().map((known) => [known.observer, known]));
  }

  /** What is known of an observer: one that the operator said nothing of is a principal of its own. */
  observer(observer: string): KnownObserver {
    const own = { observer, principal: observer, isSuspended: false, isVouched: false };
    return this.#observers.get(observer) ?? own;
  }
}

/** The principal of all observers of a collective source. */
export function collectivePrincipal({ id }: Pick<Source, "id">): string {
  return `source ${id}`;
}
