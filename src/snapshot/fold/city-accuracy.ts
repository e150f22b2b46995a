import type { Measurement } from "../../method/revisit/measurement.ts";

/** The newest measurement of a city with the rows that it rests on, and how many plans there were. */
export interface CityAccuracy {
  readonly plans: number;
  readonly plansWithoutResult: number;
  readonly measured: {
    readonly planRow: number;
    readonly resultRow: number;
    readonly manifestSha256: string; // of the seal that drew the plan
    readonly measurement: Measurement;
    readonly age: {
      readonly from: string; // solar days of the first and the last visit
      readonly until: string;
      readonly days: number; // since the first visit
      readonly supportsHigh: boolean; // the coverage confidence
    };
  } | null; // null: never measured
}
