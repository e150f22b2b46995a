import { DAY_MS } from "../../kernel/time.ts";
import { INDEPENDENCE } from "../parameters.ts";
import type { Standing } from "../standing.ts";
import type { Registry, ReviewItem, Trace } from "../trace.ts";

/** Individual principals that count for a record, and how many others do. */
export interface Support {
  readonly individuals: ReadonlySet<string>;
  readonly others: number;
}

export type Supports = ReadonlyMap<number, Support>;

/** Whether a record would miss the gate without a group. */
export function isCarriedBy(group: ReadonlySet<string>, { individuals, others }: Support): boolean {
  const outside = [...individuals].filter((principal) => !group.has(principal)).length + others;
  return outside < INDEPENDENCE.ring.gateObservers;
}

/** A group of principals, and the records that they carry. */
export interface Ring {
  readonly principals: ReadonlySet<string>;
  readonly records: ReadonlySet<number>;
}

const BURST = INDEPENDENCE.burst;
const NEW_MS = BURST.newDays * DAY_MS;

/** The rows of one principal about one record. */
interface Entrance {
  readonly principal: string;
  readonly traces: Trace[];
  /** From this row on the principal counts for the record: seen, and established. */
  readonly row: number;
  readonly day: number;
  readonly isNew: boolean;
}

export interface Burst {
  readonly record: number;
  /** Rows of the principals that came last. */
  readonly setAside: readonly Trace[];
  readonly item: ReviewItem;
}

function entranceOf(first: Trace, standing: Standing): Entrance {
  const day = Math.max(first.acceptedDay, standing.day);
  return {
    principal: first.principal,
    traces: [first],
    row: Math.max(first.row, standing.row),
    day,
    isNew: standing.isEarned && day < standing.day + NEW_MS,
  };
}

/** Records about which enough principals sent rows while they were new. */
function candidateRecords(
  counted: readonly Trace[],
  standings: ReadonlyMap<string, Standing>,
): ReadonlySet<number> {
  const newcomers = new Map<number, Set<string>>();
  for (const { record, principal, acceptedDay } of counted) {
    const standing = standings.get(principal);
    if (standing?.isEarned !== true || acceptedDay >= standing.day + NEW_MS) continue;
    newcomers.set(record, (newcomers.get(record) ?? new Set()).add(principal));
  }
  const candidates = [...newcomers].filter(([, principals]) => principals.size >= BURST.principals);
  return new Set(candidates.map(([record]) => record));
}

function entrancesByRecord(
  counted: readonly Trace[],
  standings: ReadonlyMap<string, Standing>,
): ReadonlyMap<number, ReadonlyMap<string, Entrance>> {
  const records = new Map<number, Map<string, Entrance>>();
  const candidates = candidateRecords(counted, standings);
  for (const trace of counted) {
    if (!candidates.has(trace.record)) continue;
    const entrances = records.get(trace.record) ?? new Map<string, Entrance>();
    records.set(trace.record, entrances);
    const known = entrances.get(trace.principal);
    const standing = standings.get(trace.principal);
    if (known !== undefined) known.traces.push(trace);
    else if (standing !== undefined) entrances.set(trace.principal, entranceOf(trace, standing));
  }
  return records;
}

/** New principals that came when enough others had come within days. */
function lateComers(newcomers: readonly Entrance[]): readonly Entrance[] {
  return newcomers.filter((entrance, index) => {
    const companion = newcomers[index - (BURST.principals - 1)];
    return companion !== undefined && companion.day >= entrance.day - BURST.days * DAY_MS;
  });
}

function findBurst(record: number, entrances: ReadonlyMap<string, Entrance>): Burst | undefined {
  const all = [...entrances.values()];
  const newcomers = all.filter(({ isNew }) => isNew).sort((a, b) => a.row - b.row);
  if (newcomers.length < BURST.principals || all.length - newcomers.length >= BURST.otherPrincipals)
    return undefined;
  const setAside = lateComers(newcomers)
    .filter(({ traces }) => !traces.some(({ isRestored }) => isRestored))
    .flatMap(({ traces }) => traces);
  if (setAside.length === 0) return undefined;
  const seen = newcomers.flatMap(({ traces }) => traces);
  const observers = [...new Set(seen.map(({ observer }) => observer))];
  const rows = seen.map(({ row }) => row).sort((a, b) => a - b);
  return { record, setAside, item: { check: "burst", record, observers, rows } };
}

/**
 * Records that several principals who earned their standing lately begin to count for within days, and hardly anybody else
 * saw: puppets that were raised for this record. Only the rows of those who came after the others are set aside, and
 * coming is counted from the row that established a principal, so puppets that are established later cannot push out an
 * honest newcomer. A review that restores one row frees its principal for the record.
 */
export function findBursts(
  counted: readonly Trace[],
  standings: ReadonlyMap<string, Standing>,
): readonly Burst[] {
  return [...entrancesByRecord(counted, standings)].flatMap(
    ([record, entrances]) => findBurst(record, entrances) ?? [],
  );
}

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

const SIMILAR = INDEPENDENCE.ring;

/** Which records belong together: a union-find structure. */
class Groups {
  readonly #parents = new Map<number, number>();

  rootOf(record: number): number {
    let root = record;
    for (let parent = this.#parents.get(root); parent !== undefined; parent = this.#parents.get(root))
      root = parent;
    if (root !== record) this.#parents.set(record, root);
    return root;
  }

  join(a: number, b: number): void {
    const [rootA, rootB] = [this.rootOf(a), this.rootOf(b)];
    if (rootA !== rootB) this.#parents.set(Math.max(rootA, rootB), Math.min(rootA, rootB));
  }
}

function isSimilar(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const shared = [...a].filter((principal) => b.has(principal)).length;
  return shared >= SIMILAR.similarity * Math.max(a.size, b.size);
}

function pairsOf(principals: ReadonlySet<string>): readonly string[] {
  const sorted = [...principals].sort();
  return sorted.flatMap((first, index) => sorted.slice(index + 1).map((second) => `${first} ${second}`));
}

/** Records that reach the gate by a few individual principals. */
function smallSupports(supports: Supports): readonly (readonly [number, Support])[] {
  return [...supports].filter(
    ([, { individuals }]) =>
      individuals.size >= SIMILAR.minPrincipals && individuals.size <= SIMILAR.maxPrincipals,
  );
}

/** Compares a record with the last ones that share a pair of principals, so popular pairs stay cheap. */
function groupSimilar(records: readonly (readonly [number, Support])[]): Groups {
  const groups = new Groups();
  const byPair = new Map<string, (readonly [number, Support])[]>();
  for (const entry of records) {
    for (const pair of pairsOf(entry[1].individuals)) {
      const others = byPair.get(pair) ?? [];
      byPair.set(pair, others);
      for (const [other, { individuals }] of others.slice(-SIMILAR.maxCompared)) {
        if (isSimilar(individuals, entry[1].individuals)) groups.join(other, entry[0]);
      }
      others.push(entry);
    }
  }
  return groups;
}

/** How many of these records each principal counts for. */
function countByPrincipal(supports: Iterable<Support>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { individuals } of supports) {
    for (const principal of individuals) counts.set(principal, (counts.get(principal) ?? 0) + 1);
  }
  return counts;
}

/**
 * Groups of records that are supported by nearly the same principals, where the records are few for so many principals
 * (three scouts of one quarter share dozens of records), and matter to at least half of the principals.
 */
export function similarGroups(supports: Supports): readonly Ring[] {
  const records = smallSupports(supports);
  const groups = groupSimilar(records);
  const members = new Map<number, Map<number, Support>>();
  for (const [record, support] of records) {
    const root = groups.rootOf(record);
    members.set(root, (members.get(root) ?? new Map<number, Support>()).set(record, support));
  }
  const counts = countByPrincipal(records.map(([, support]) => support));
  return [...members.values()].flatMap((group) => toRing(group, counts));
}

function toRing(group: ReadonlyMap<number, Support>, counts: ReadonlyMap<string, number>): readonly Ring[] {
  const within = countByPrincipal(group.values());
  const principals = new Set(within.keys());
  if (principals.size > SIMILAR.maxPrincipals) return []; // a town's ordinary observers
  if (group.size < SIMILAR.minRecords || group.size > SIMILAR.recordsPerPrincipal * principals.size)
    return [];
  const devoted = [...within].filter(([name, count]) => count >= SIMILAR.share * (counts.get(name) ?? 0));
  const carried = [...group].filter(([, support]) => isCarriedBy(principals, support));
  if (2 * devoted.length < principals.size || carried.length < SIMILAR.minRecords) return [];
  return [{ principals, records: new Set(carried.map(([record]) => record)) }];
}
