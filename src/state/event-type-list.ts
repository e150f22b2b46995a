import { z } from "zod";
import { EventType } from "../contract/enums.ts";

const EventTypes = z.array(EventType);

/** Null stands for all types. The stored form is sorted, so that the same choice is the same text. */
export function storedEventTypes(types: readonly EventType[] | null): string | null {
  return types === null ? null : JSON.stringify([...new Set(types)].sort());
}

export function readEventTypes(stored: string | null): EventType[] | null {
  return stored === null ? null : EventTypes.parse(JSON.parse(stored));
}
