/** Limits of what a look may say, and how much of it is dropped before anything is kept. docs/methodology.md repeats them. */
export const LOOK_PARAMETERS = {
  cutMeters: 200, // both ends of a walk are dropped up to this distance from them,
  cutMinutes: 2, // and for this long
  gapMeters: 1_000, // between two points farther apart nothing is taken as looked at
  maxHours: 24, // of one look
  maxPoints: 5_000, // of a track or polyline
  maxCells: 2_000, // of one look
  maxKilometersAnHour: 150, // faster looks are refused
  dayPrincipals: 3, // that looked in a cell, so that the row of a day names it
  weekPrincipals: 1,
  monthPrincipals: 2,
  graceDays: 7, // from the end of a span to its row
} as const;
