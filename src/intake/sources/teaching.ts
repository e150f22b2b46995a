import { nameKey } from "../../kernel/text/name-key.ts";
import type { LedgerState } from "../../ledger/decisions/ledger-state.ts";
import type { RecountBody } from "../../ledger/rows/rows.ts";
import type { SetAsideRow, Source } from "../../ledger/sources/source-store.ts";
import type { StoredObservation } from "../../ledger/sources/stored-observations.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { checkedName } from "../lines/name.ts";
import { Affiliations } from "./affiliations.ts";
import { sourceFinder } from "./ledger-traces.ts";
import { isLasting, Principals } from "./principals.ts";

/** What a row is worth to its record. */
export interface Lesson {
  readonly record: number; // at the end of merges
  /** Undefined for the built-in sources, whose lines teach no contacts. */
  readonly principal: string | undefined;
  readonly teaches: boolean;
}

/**
 * Which rows teach: those whose names, places and contacts become the record's. A row teaches if it counts, its last review did not
 * reject it, and nothing that is known in private sets it aside now; the public rows say so only when their keyed day has come.
 */
export class Teaching {
  readonly #state: LedgerState;
  readonly #counts: CurrentCounts;
  readonly #setAside: ReadonlyMap<number, SetAsideRow>;
  readonly #sourceOf: (observation: StoredObservation) => Source | undefined;
  readonly #principals: Principals;
  readonly #affiliations: Affiliations;

  /** Reads the ledger through for the rows that changed what counts. */
  constructor({ sources, live }: Pick<LedgerWriter, "sources" | "live">, state: LedgerState) {
    this.#state = state;
    this.#counts = new CurrentCounts(live.recounts());
    this.#setAside = sources.setAside();
    this.#sourceOf = sourceFinder(sources.sources());
    this.#principals = new Principals(sources);
    this.#affiliations = new Affiliations(sources, state.merges);
  }

  /** The record that an observation is one of, at the end of merges. */
  recordOf({ body }: Pick<StoredObservation, "row" | "body">): number {
    return this.#state.merges.root(body.record);
  }

  of(stored: StoredObservation): Lesson {
    const record = this.recordOf(stored);
    const source = this.#sourceOf(stored);
    if (source === undefined) return { record, principal: undefined, teaches: this.#isSound(stored) };
    const principal = this.principalOf(stored, source);
    const teaches =
      this.#isSound(stored) &&
      !this.#isSuspended(stored, source) &&
      !this.#affiliations.has(principal, { record, nameKey: nameKey(checkedName(stored.hidden.seen.name)) });
    return { record, principal, teaches };
  }

  /** By what is known today of who controls whom. */
  principalOf({ hidden }: StoredObservation, source: Source): string {
    return this.#principals.of(source.id, hidden.observer.hash);
  }

  #isSuspended({ hidden }: StoredObservation, { vetting }: Source): boolean {
    return vetting === "individual" && this.#principals.observer(hidden.observer.hash).isSuspended;
  }

  #isSound(stored: StoredObservation): boolean {
    const known = this.#setAside.get(stored.row);
    const isSetAside = known !== undefined && isLasting(known.check) && known.review !== "restored";
    const isRejected = this.#state.verdicts.get(stored.row)?.decision === "reject";
    return !isSetAside && !isRejected && this.#counts.of({ row: stored.row, stored });
  }
}

/** Whether rows count now, as they and the rows about them say. */
export class CurrentCounts {
  readonly #changed = new Map<number, boolean>();

  constructor(recounts: Iterable<{ readonly body: RecountBody }>) {
    for (const { body } of recounts) this.#changed.set(body.target, body.counts);
  }

  of({ row, stored }: { readonly row: number; readonly stored: Pick<StoredObservation, "body"> }): boolean {
    return this.#changed.get(row) ?? stored.body.counts;
  }
}
