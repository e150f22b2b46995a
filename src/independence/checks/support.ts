import { INDEPENDENCE } from "../parameters.ts";

/** Individual principals that count for a record, and how many others do. */
export interface Support {
  readonly individuals: ReadonlySet<string>;
  readonly others: number;
}

export type Supports = ReadonlyMap<number, Support>;

/** Whether a record would miss the gate without a group. */
export function isCarriedBy(group: ReadonlySet<string>, { individuals, others }: Support): boolean {
  const outside = [...individuals].filter((principal) => !group.has(principal)).length + others;
  return outside < INDEPENDENCE.ring.gateObservers;
}

/** A group of principals, and the records that they carry. */
export interface Ring {
  readonly principals: ReadonlySet<string>;
  readonly records: ReadonlySet<number>;
}
