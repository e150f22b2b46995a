/** Minimum evidence for published statistics. Below it, the value is null and the response says why. */
export const MINIMUMS = {
  /** Ranked records behind an explorer average. With two, either party could compute the other's score from its own. */
  averagedRecords: 3,
  /** People counted in one cell or on one day. With fewer, a count speaks of somebody. */
  people: 3,
  /** Reviewed observations behind a precision. With fewer, the interval is too wide to be useful. */
  reviewedObservations: 30,
  /** Visited signs behind a precision or a detection rate, for the same reason. */
  visitedSigns: 30,
  /** Cells with signs behind a detection rate. With fewer, its interval misses the truth too often. */
  visitedCells: 15,
} as const;
