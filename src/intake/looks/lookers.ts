/** Whose look a line is. Independence is counted by principal, when the rows are written: who they are may be learned by then. */
import { BUILT_IN } from "../../contract/fields.ts";
import type { SourceStore } from "../../ledger/sources/source-store.ts";
import type { ObservationInput } from "../lines/observation-input.ts";
import { type IntakeHashes, observerHashOf } from "../lines/sighting.ts";
import { type LineSources, type LineStep, lineSources } from "../sources/line-sources.ts";
import { collectivePrincipal, Principals } from "../sources/principals.ts";

/** What is kept of whoever looked until the rows are written. */
export interface Looker {
  readonly source: string; // id, or the constant of the built-in ones
  /** Keyed hash of an observer of an individual source; all observers of another source are one. */
  readonly observer: string;
}

type LineOrigin = Pick<ObservationInput, "source" | "source_type" | "observer">;

/** Over the sources and observers as they are registered now. */
export class Lookers {
  readonly #sourceOf: LineSources;
  readonly #hashes: IntakeHashes;

  /** `hashes` know the operators of the sources. */
  constructor(store: Pick<SourceStore, "sources">, hashes: IntakeHashes, step: LineStep) {
    this.#sourceOf = lineSources(store, step);
    this.#hashes = hashes;
  }

  /**
   * `hash` is the keyed hash of the line's observer, where it is known. Throws LineFault for a source that is not registered, or
   * not active.
   */
  of(line: LineOrigin, hash?: string): Looker {
    const source = this.#sourceOf(line);
    if (source === undefined) return { source: BUILT_IN, observer: BUILT_IN };
    const isCollective = source.vetting === "collective";
    const observer = isCollective
      ? collectivePrincipal(source)
      : (hash ?? observerHashOf(line, this.#hashes));
    return { source: source.id, observer };
  }
}

/** The principal who controls whoever looked; undefined for one whose looks do not count. */
export type PrincipalOfLooker = (observer: string) => string | undefined;

/**
 * As is known when the rows are written: an observer of an individual source counts if it is established and not suspended, so that
 * nobody who is new makes an area a looked one.
 */
export function principalsOfLookers(
  store: Pick<SourceStore, "observers" | "sources" | "standings">,
): PrincipalOfLooker {
  const principals = new Principals(store);
  const standings = store.standings();
  const given = new Set<string>([BUILT_IN, ...store.sources().map(collectivePrincipal)]);
  return (observer) => {
    const { principal, isSuspended, isVouched } = principals.observer(observer);
    const counts = isVouched || standings.has(principal) || given.has(principal);
    return counts && !isSuspended ? principal : undefined;
  };
}
