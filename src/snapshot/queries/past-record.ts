import type { PresenceKind, SourceType } from "../../contract/enums.ts";
import { solarDayNumber, solarOffsetHours } from "../../kernel/time.ts";
import { type CitedEvidence, citedEvidence } from "../../method/citation.ts";
import { judge } from "../../method/standing/verification.ts";
import type { Sighting } from "../../method/types.ts";
import { applyMerge, type Merge, type Mergeable, mergeChain, mergedTag } from "../fold/merge-chain.ts";

/** A merge with the row of the review that decided it. */
export interface MergeRow extends Merge {
  readonly row: number;
  readonly record: number;
}

interface Node extends Mergeable {
  readonly id: number;
}

/** Which record stood for which after the merges up to a row. */
export class PastMerges {
  readonly #nodes = new Map<number, Node>();
  readonly #find = (record: number) => this.#nodes.get(record);

  /** `merges` in row order; of these the ones up to `lastRow` count. */
  constructor(record: number, merges: readonly MergeRow[], lastRow: number) {
    for (const id of [record, ...merges.flatMap((merge) => [merge.record, merge.into])])
      this.#nodes.set(id, { id, merge: undefined });
    for (const { row, record: id, into, tags } of merges) {
      const node = this.#nodes.get(id);
      if (row <= lastRow && node !== undefined) applyMerge(node, { into, tags }, this.#find);
    }
  }

  /** Every record that a merge connects, the one asked for included. */
  get records(): readonly number[] {
    return [...this.#nodes.keys()];
  }

  rootOf(record: number): number {
    const node = this.#nodes.get(record);
    return (node && mergeChain(node, this.#find).at(-1)?.id) ?? record;
  }

  tagOf(record: number, tag: string): string {
    return mergedTag(tag, this.#nodes.get(record), this.#find);
  }
}

/** An observation as its own row has it, with the last verdict that the release knew. */
export interface PastObservation {
  readonly id: number;
  readonly record: number;
  readonly asset: number;
  readonly source: SourceType;
  readonly observer: string;
  readonly observedAt: number; // ms
  readonly kind: PresenceKind;
  readonly verdict: Sighting["verdict"];
}

/** What a release of those observations said of the record: its accepted rows, newest observed first, and what is cited of them. */
export function pastEvidence(
  observations: readonly PastObservation[],
  merges: PastMerges,
  lng: number,
): { readonly cited: CitedEvidence; readonly rows: readonly number[] } {
  const offset = solarOffsetHours(lng);
  const judged = judge(
    observations.map((observation) => ({
      ...observation,
      observer: merges.tagOf(observation.record, observation.observer),
      day: solarDayNumber(observation.observedAt, offset),
    })),
  );
  const kinds = new Map(observations.map(({ id, kind }) => [id, kind]));
  const accepted = judged
    .filter(({ state }) => state !== "rejected")
    .sort((a, b) => b.observedAt - a.observedAt || b.id - a.id);
  return {
    cited: citedEvidence(judged, (row) => kinds.get(row) ?? "brand_mention"),
    rows: accepted.map(({ id }) => id),
  };
}
