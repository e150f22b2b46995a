/** How much evidence a published statistic needs at least; below it the value is left out and the answer says so. */
export const MINIMUMS = {
  /** Ranked records of an explorer row with averages: of two, each party could compute the other's score from its own. */
  averagedRecords: 3,
  /** Reviewed observations of a sample with a precision: with fewer the interval is too wide to say anything. */
  reviewedObservations: 30,
} as const;
