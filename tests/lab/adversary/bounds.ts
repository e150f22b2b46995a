/** What a line of the table promises, and whether the runs kept it. A run yields one number: 1 and 0 for yes and no, or points. */

export interface Bound {
  readonly text: string;
  readonly tell: (values: readonly number[]) => string;
  /** Null: stated for the record, because nothing is promised. */
  readonly holds: (values: readonly number[]) => boolean | null;
}

/** Whether a bound can fail. */
export function isPromise({ bound }: { readonly bound: Bound }): boolean {
  return bound.holds([]) !== null;
}

/** In no run. */
export function never(what: string): Bound {
  return { text: `${what} in 0 runs`, tell: tellCount, holds: (values) => sum(values) === 0 };
}

export function atMost(share: number, what: string): Bound {
  return {
    text: `${what} in at most ${percent(share)}`,
    tell: tellShare,
    holds: (values) => mean(values) <= share,
  };
}

export function atLeast(share: number, what: string): Bound {
  return {
    text: `${what} in at least ${percent(share)}`,
    tell: tellShare,
    holds: (values) => mean(values) >= share,
  };
}

export function pointsAtMost(points: number, what: string): Bound {
  return {
    text: `${what} by at most ${points} point`,
    tell: (values) => `${greatest(values).toFixed(2)} points at most`,
    holds: (values) => greatest(values) <= points,
  };
}

export function statedPoints(what: string): Bound {
  return {
    text: `${what}: stated`,
    tell: (values) => `${greatest(values).toFixed(2)} points at most, ${mean(values).toFixed(2)} on average`,
    holds: () => null,
  };
}

export function stated(what: string): Bound {
  return { text: `${what}: stated`, tell: tellShare, holds: () => null };
}

/** Of runs that yield `ELIGIBLE` or `UNRAISED`. */
export function statedEligibility(): Bound {
  return {
    text: "eligible: stated",
    tell: (values) =>
      `${percent(shareFrom(values, ELIGIBLE))}, without an earlier review item ${percent(shareFrom(values, UNRAISED))}`,
    holds: () => null,
  };
}

/** An own record became eligible, after a review item. */
export const ELIGIBLE = 1;
/** An own record became eligible, and no review item came first. */
export const UNRAISED = 2;

function shareFrom(values: readonly number[], least: number): number {
  return mean(values.map((value) => (value >= least ? 1 : 0)));
}

function tellCount(values: readonly number[]): string {
  return `${values.filter((value) => value > 0).length} of ${values.length}`;
}

function tellShare(values: readonly number[]): string {
  return percent(mean(values));
}

function percent(share: number): string {
  return `${Number((100 * share).toFixed(2))} %`;
}

function greatest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length;
}
