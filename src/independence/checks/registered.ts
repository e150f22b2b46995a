import type { RowCheck } from "./row-check.ts";

/** The operator suspended the observer. */
export const suspended: RowCheck = {
  code: "suspended",
  start: (registry) => (trace) => registry.observers.get(trace.observer)?.isSuspended ?? false,
};

/** The principal runs the record, its brand or its vehicles. */
export const affiliated: RowCheck = {
  code: "affiliated",
  start: (registry) => (trace) => registry.isAffiliated(trace.principal, trace.record),
};

/** The source cannot see assets of this type. The only check that rests on public data alone. */
export const cannotSee: RowCheck = {
  code: "cannot_see",
  start: (registry) => (trace) => !registry.canSee(trace.source, trace.assetType),
};
