import type { EventType } from "../contract/enums.ts";

/** Null stands for all types. The stored form is sorted, so that the same choice is the same text. */
export function storedEventTypes(types: readonly EventType[] | null): string | null {
  return types === null ? null : JSON.stringify([...new Set(types)].sort());
}
