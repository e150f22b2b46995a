import { DAY_MS, isoDate } from "../../../kernel/time.ts";
import type { Snapshot } from "./restic.ts";

/**
 * The snapshots to remove: all but those of the last 24 hours, the last one of each UTC day of `days` days before `now` (ms), and what a restore would take.
 * An age is counted from `now`, not from the newest snapshot: what was erased is gone in time also where nothing has been backed up since.
 */
export function outdated(snapshots: readonly Snapshot[], now: number, days: number): Snapshot[] {
  const newestFirst = [...snapshots].sort((a, b) => b.at - a.at);
  const ledgerAt = newestFirst.find(({ kind }) => kind === "ledger")?.at ?? 0;
  const seen = new Set<string>();
  const isFirst = (name: string) => seen.size < seen.add(name).size;
  return newestFirst.filter(({ kind, at }) => {
    const isSuperseded = kind === "state" && at <= ledgerAt; // the ledger's holds a newer one
    const isTaken = isFirst(kind) && !isSuperseded;
    const isLastOfDay = isFirst(`${kind} ${isoDate(at)}`);
    const age = now - at;
    return !(isTaken || age <= DAY_MS || (isLastOfDay && age <= days * DAY_MS));
  });
}
