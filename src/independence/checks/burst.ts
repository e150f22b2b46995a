import { DAY_MS } from "../../kernel/time.ts";
import { INDEPENDENCE } from "../parameters.ts";
import type { Standing } from "../standing.ts";
import type { ReviewItem, Trace } from "../trace.ts";

const rule = INDEPENDENCE.burst;
const NEW_MS = rule.newDays * DAY_MS;

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
  const candidates = [...newcomers].filter(([, principals]) => principals.size >= rule.principals);
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
    const companion = newcomers[index - (rule.principals - 1)];
    return companion !== undefined && companion.day >= entrance.day - rule.days * DAY_MS;
  });
}

function findBurst(record: number, entrances: ReadonlyMap<string, Entrance>): Burst | undefined {
  const all = [...entrances.values()];
  const newcomers = all.filter(({ isNew }) => isNew).sort((a, b) => a.row - b.row);
  if (newcomers.length < rule.principals || all.length - newcomers.length >= rule.otherPrincipals)
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
