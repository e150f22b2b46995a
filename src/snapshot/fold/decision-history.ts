import type { Merge } from "./merge-chain.ts";

interface Erasure {
  readonly by: number; // the row that names the erased one
  readonly kind: "redaction" | "opt_out";
}

/** Decisions in row order, each with its own row: what a release of an earlier tree knew is those up to its last sealed row. */
export interface DecisionHistory {
  readonly verdicts: {
    readonly row: number;
    readonly target: number; // observation
    readonly decision: "verify" | "reject";
  }[];
  readonly merges: (Merge & { readonly row: number; readonly record: number })[];
  readonly erasures: Map<number, Erasure>; // by erased row
  /** What a city was called, and whether it was published, from that row on. */
  readonly cities: {
    readonly row: number;
    readonly slug: string;
    readonly name: string;
    readonly lng: number;
    readonly isPublished: boolean;
  }[];
}
