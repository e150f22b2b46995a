import type { ScalePoint } from "./points.ts";

/** What grows with the number of observations, and the bench line that measures it. */
export interface Cost {
  readonly what: string;
  readonly line: string;
  /** Whether the line is a speed, of which the cost is the time for all observations. */
  readonly isSpeed?: true;
}

export const COSTS: readonly Cost[] = [
  { what: "intake of all observations", line: "intake", isSpeed: true },
  { what: "release from nothing: time", line: "release of # rows, # records: time" },
  { what: "release from nothing: memory", line: "release of # rows, # records: memory of all its processes" },
  { what: "night, 1 % new: time", line: "night of # new rows: time" },
  { what: "night, 1 % new: memory", line: "night of # new rows: memory of all its processes" },
  { what: "night: files made, uploads to a store", line: "night of # new rows: files made" },
  { what: "night: bytes made", line: "night of # new rows: size of files made" },
  { what: "files of a release", line: "release of # rows, # records: files" },
  { what: "a release on the disk", line: "release of # rows, # records: size on disk" },
  { what: "the ledger on the disk", line: "ledger of # rows: size" },
  { what: "`presence verify`: time", line: "presence verify of # rows: time" },
  { what: "opt-out: patch release", line: "patch release after an opt-out, # files made, # linked" },
];

export interface Amount {
  readonly value: number;
  readonly unit: string;
  readonly isMeasured: boolean;
}

/**
 * A cost at a number of observations: as measured there, else projected from the two largest sizes measured, by the line through them;
 * from a single one in proportion. Undefined where nothing was measured.
 */
export function costAt(cost: Cost, points: readonly ScalePoint[], observations: number): Amount | undefined {
  const known = points.flatMap((point) => measuredCost(cost, point));
  const there = known.find((each) => each.observations === observations);
  if (there !== undefined) return { value: there.value, unit: there.unit, isMeasured: true };
  const [last, before] = known.toSorted((a, b) => b.observations - a.observations);
  if (last === undefined) return undefined;
  const from = before ?? { observations: 0, value: 0 };
  const slope = Math.max(0, (last.value - from.value) / (last.observations - from.observations));
  const value = Math.max(0, last.value + slope * (observations - last.observations));
  return { value, unit: last.unit, isMeasured: false };
}

function measuredCost({ line, isSpeed }: Cost, { observations, coefficients }: ScalePoint) {
  const found = coefficients.find((each) => each.line === line);
  if (found === undefined) return [];
  const { value, unit } = isSpeed ? { value: observations / found.value, unit: "s" } : found;
  return [{ observations, value, unit }];
}
