import type { Registry, ReviewItem, Trace } from "../trace.ts";
import { similarGroups } from "./similar-records.ts";
import { isCarriedBy, type Ring, type Supports } from "./support.ts";

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

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly record: number;
}

/** Who owns what, and which other owners count for it, where the record needs them. */
function ownerEdges(supports: Supports, registry: Registry): readonly Edge[] {
  const affiliations = [...(registry.affiliations ?? [])];
  const owners = new Set(affiliations.map(({ principal }) => principal));
  return affiliations.flatMap(({ principal: to, record }) => {
    const support = supports.get(record);
    if (support === undefined || !isCarriedBy(owners, support)) return [];
    return [...support.individuals]
      .filter((from) => from !== to && owners.has(from))
      .map((from) => ({ from, to, record }));
  });
}

function neighbors(edges: readonly Edge[], from: "from" | "to", to: "from" | "to"): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const edge of edges) found.set(edge[from], (found.get(edge[from]) ?? new Set()).add(edge[to]));
  return found;
}

/** Principals in the order in which a walk along the edges is done with them. */
function walk(
  start: string,
  next: ReadonlyMap<string, ReadonlySet<string>>,
  seen: Set<string>,
): readonly string[] {
  const finished: string[] = [];
  const open: { readonly name: string; readonly left: string[] }[] = [];
  const enter = (name: string) => {
    if (seen.has(name)) return;
    seen.add(name);
    open.push({ name, left: [...(next.get(name) ?? [])] });
  };
  enter(start);
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const name = top.left.pop();
    if (name !== undefined) enter(name);
    else {
      finished.push(top.name);
      open.pop();
    }
  }
  return finished;
}

/** Groups of owners in which each one is reached from each other (Kosaraju's algorithm), of two owners or more. */
export function connectedOwners(supports: Supports, registry: Registry): readonly Ring[] {
  const edges = ownerEdges(supports, registry);
  const forward = neighbors(edges, "from", "to");
  const backward = neighbors(edges, "to", "from");
  const seen = new Set<string>();
  const order = [...forward.keys()].flatMap((name) => walk(name, forward, seen));
  const grouped = new Set<string>();
  return order
    .reverse()
    .map((name) => new Set(walk(name, backward, grouped)))
    .filter((principals) => principals.size > 1)
    .map((principals) => ({ principals, records: recordsWithin(principals, edges) }));
}

function recordsWithin(principals: ReadonlySet<string>, edges: readonly Edge[]): ReadonlySet<number> {
  const within = edges.filter(({ from, to }) => principals.has(from) && principals.has(to));
  return new Set(within.map(({ record }) => record));
}
