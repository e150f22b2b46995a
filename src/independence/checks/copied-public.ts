import { INDEPENDENCE } from "../parameters.ts";
import { isWithin, type Place, type ReviewItem, type Trace } from "../trace.ts";

const rule = INDEPENDENCE.copiedPublic;

interface SeenPlace extends Place {
  readonly principal: string;
  readonly day: number;
}

/** Where established principals saw a record, by published cell. Places close together are kept once. */
class SeenPlaces {
  readonly #places = new Map<string, SeenPlace[]>();

  /** Remembers the records and cells of these rows only. */
  constructor(wanted: readonly Trace[]) {
    for (const { record, cell } of wanted) this.#places.set(`${record} ${cell}`, []);
  }

  add({ record, cell, lat, lng, principal, acceptedDay }: Trace): void {
    const places = this.#places.get(`${record} ${cell}`);
    if (places === undefined) return;
    const place = { lat, lng, principal, day: acceptedDay };
    const isKnown = places.some(
      (other) => other.principal === principal && isWithin(rule.placeMeters, other, place),
    );
    if (!isKnown && places.length < rule.maxPlaces) places.push(place);
  }

  /** Places of others that were public when the row was accepted. */
  publicBefore({ record, cell, principal, acceptedDay }: Trace): readonly SeenPlace[] {
    const places = this.#places.get(`${record} ${cell}`) ?? [];
    return places.filter((place) => place.day < acceptedDay && place.principal !== principal);
  }
}

interface Tally {
  readonly traces: Trace[];
  misplaced: number;
}

/**
 * Principals of individual sources who see what is public, in the right cell at the wrong place, and found nothing that
 * was confirmed: the cell was copied, and the exact place guessed. Raises items; sets nothing aside.
 *
 * @param traces Rows that no check but standing sets aside.
 */
export function findCopiedPublic(
  traces: readonly Trace[],
  isEstablished: (principal: string) => boolean,
  discoverers: ReadonlySet<string>,
): readonly ReviewItem[] {
  const fixed = traces.filter(({ assetType }) => assetType !== "vehicle_wrap");
  const isSuspect = (trace: Trace) => !trace.isCollective && !discoverers.has(trace.principal);
  const places = new SeenPlaces(fixed.filter(isSuspect));
  const tallies = new Map<string, Tally>();
  for (const trace of fixed) {
    if (isSuspect(trace)) tally(tallies, trace, places.publicBefore(trace));
    if (isEstablished(trace.principal)) places.add(trace);
  }
  return [...tallies.values()].filter(isCopying).map(itemOf);
}

function tally(tallies: Map<string, Tally>, trace: Trace, places: readonly SeenPlace[]): void {
  if (places.length === 0) return;
  const known = tallies.get(trace.principal) ?? { traces: [], misplaced: 0 };
  tallies.set(trace.principal, known);
  known.traces.push(trace);
  if (!places.some((place) => isWithin(rule.meters, place, trace))) known.misplaced++;
}

function isCopying({ traces, misplaced }: Tally): boolean {
  return traces.length >= rule.rows && misplaced >= rule.share * traces.length;
}

function itemOf({ traces }: Tally): ReviewItem {
  const observers = [...new Set(traces.map(({ observer }) => observer))];
  return { check: "copied_public", record: null, observers, rows: traces.map(({ row }) => row) };
}
