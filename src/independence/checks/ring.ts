import type { Registry, ReviewItem, Trace } from "../trace.ts";
import { connectedOwners } from "./owner-rings.ts";
import { similarGroups } from "./similar-records.ts";
import type { Ring, Supports } from "./support.ts";

function supportsOf(counted: readonly Trace[]): Supports {
  const supports = new Map<number, { individuals: Set<string>; collectives: Set<string> }>();
  for (const { record, principal, isCollective } of counted) {
    const known = supports.get(record) ?? { individuals: new Set(), collectives: new Set() };
    supports.set(record, known);
    (isCollective ? known.collectives : known.individuals).add(principal);
  }
  return new Map(
    [...supports].map(([record, { individuals, collectives }]) => [
      record,
      { individuals, others: collectives.size },
    ]),
  );
}

function ringKey({ principals }: Ring): string {
  return [...principals].sort().join(" ");
}

function itemsOf(rings: readonly Ring[], counted: readonly Trace[]): readonly ReviewItem[] {
  const ringsByRecord = new Map<number, Ring[]>();
  const found = new Map<Ring, Trace[]>(rings.map((ring) => [ring, []]));
  for (const ring of rings) {
    for (const record of ring.records)
      ringsByRecord.set(record, [...(ringsByRecord.get(record) ?? []), ring]);
  }
  for (const trace of counted) {
    for (const ring of ringsByRecord.get(trace.record) ?? []) {
      if (ring.principals.has(trace.principal)) found.get(ring)?.push(trace);
    }
  }
  return [...found.values()].map((traces) => ({
    check: "ring" as const,
    record: null,
    observers: [...new Set(traces.map(({ observer }) => observer))],
    rows: traces.map(({ row }) => row),
  }));
}

/**
 * Groups of principals whose records live from each other's rows: owners who see each other's records, and, where owners are
 * not known, a few records seen by nearly the same few principals and hardly by anybody else. Raises items; sets nothing
 * aside, for honest neighbors look like a small ring.
 */
export function findRings(counted: readonly Trace[], registry: Registry): readonly ReviewItem[] {
  const supports = supportsOf(counted);
  const rings = new Map<string, Ring>();
  for (const ring of [...connectedOwners(supports, registry), ...similarGroups(supports)]) {
    const key = ringKey(ring);
    if (!rings.has(key)) rings.set(key, ring);
  }
  return itemsOf([...rings.values()], counted);
}
