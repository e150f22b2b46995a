import { INDEPENDENCE } from "../parameters.ts";
import { isCarriedBy, type Ring, type Support, type Supports } from "./support.ts";

const rule = INDEPENDENCE.ring;

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
  return shared >= rule.similarity * Math.max(a.size, b.size);
}

function pairsOf(principals: ReadonlySet<string>): readonly string[] {
  const sorted = [...principals].sort();
  return sorted.flatMap((first, index) => sorted.slice(index + 1).map((second) => `${first} ${second}`));
}

/** Records that reach the gate by a few individual principals. */
function smallSupports(supports: Supports): readonly (readonly [number, Support])[] {
  return [...supports].filter(
    ([, { individuals }]) => individuals.size >= rule.minPrincipals && individuals.size <= rule.maxPrincipals,
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
      for (const [other, { individuals }] of others.slice(-rule.maxCompared)) {
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
  if (principals.size > rule.maxPrincipals) return []; // a town's ordinary observers
  if (group.size < rule.minRecords || group.size > rule.recordsPerPrincipal * principals.size) return [];
  const devoted = [...within].filter(([name, count]) => count >= rule.share * (counts.get(name) ?? 0));
  const carried = [...group].filter(([, support]) => isCarriedBy(principals, support));
  if (2 * devoted.length < principals.size || carried.length < rule.minRecords) return [];
  return [{ principals, records: new Set(carried.map(([record]) => record)) }];
}
