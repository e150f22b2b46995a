import { BUILT_IN } from "../../contract/fields.ts";
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
