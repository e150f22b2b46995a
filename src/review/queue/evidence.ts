/** What was seen of records, for reviewers: names as lines gave them, who saw it (as letters), when, and coarsely where. */
import { cellToLatLng, greatCircleDistance, latLngToCell, UNITS } from "h3-js";
import { findIndustry } from "../../contract/cities/industry.ts";
import { isMobile } from "../../intake/matching/keyed-hash.ts";
import { CurrentCounts } from "../../intake/sources/teaching.ts";
import { cityDate } from "../../kernel/time.ts";
import type { RecordState } from "../../ledger/decisions/ledger-state.ts";
import type { DeskRows } from "../../ledger/rows/desk-rows.ts";
import type { LiveRows } from "../../ledger/rows/live-rows.ts";
import { namedSourceOf, type StoredObservation } from "../../ledger/sources/stored-observations.ts";
import type { DeskState } from "../desk-state.ts";
import type { About } from "../items.ts";
import type { QueueSubject } from "./model.ts";

export interface EvidenceSources {
  readonly state: DeskState;
  readonly rows: DeskRows;
  readonly live: LiveRows;
}

/** A street's worth: cells of about 130 meters across. */
const COARSE_RESOLUTION = 10;
const MAX_NAMES = 8;
const MAX_OBSERVERS = 12;

export interface Point {
  readonly lat: number;
  readonly lng: number;
}

type Line = NonNullable<About["line"]>;

/** The observations of some records, read once. */
export class Evidence {
  readonly #state: DeskState;
  readonly #counts: CurrentCounts;
  readonly #byRecord: ReadonlyMap<number, readonly StoredObservation[]>;

  constructor({ state, rows, live }: EvidenceSources, records: ReadonlySet<number>) {
    this.#state = state;
    this.#counts = new CurrentCounts(live.recounts());
    const own = [...state.records.keys()].filter((record) => records.has(state.merges.root(record)));
    const read = own.length === 0 ? [] : rows.observations({ records: new Set(own) });
    this.#byRecord = Map.groupBy(read, ({ body }) => state.merges.root(body.record));
  }

  /** What is known of a record; letters stand for its observers as `letters` has them. */
  subjectOf(record: RecordState, letters: Letters, from?: Point): QueueSubject {
    const seen = this.of(record.id);
    const point = placeOf(seen);
    const { code, method } = record.industry;
    return {
      row: record.id,
      public_id: record.body.public_id,
      name: record.name,
      website: record.website,
      industry: code === null ? null : { code, title: findIndustry(code)?.title ?? code, method },
      status: record.status,
      names: counted(seen.map(({ hidden }) => hidden.seen.name)).map(([name, times]) => ({
        name,
        seen: times,
      })),
      observations: seen.length,
      counting: seen.filter((stored) => this.#isCounted(stored)).length,
      observers: letters.of(seen.map(({ hidden }) => hidden.observer.principal)),
      assets: assetsOf(seen),
      ...span(seen.map(({ body }) => this.#dayOf(body))),
      place: point === undefined ? null : coarse(point),
      distance_m: from === undefined || point === undefined ? null : meters(from, point),
    };
  }

  of(record: number): readonly StoredObservation[] {
    return this.#byRecord.get(record) ?? [];
  }

  pointOf(record: number): Point | undefined {
    return placeOf(this.of(record));
  }

  /** The registered sources whose lines a record has, and the built-in ones by their type. */
  sourcesOf(record: number): string[] {
    return [...new Set(this.of(record).map(sourceOf))].sort();
  }

  /** The city's solar day, which `observed_at` is the beginning of. */
  #dayOf({ city, observed_at }: StoredObservation["body"]): string {
    const lng = this.#state.cities.get(city)?.details.lng ?? 0;
    return cityDate(Date.parse(observed_at), lng);
  }

  #isCounted(stored: StoredObservation): boolean {
    return this.#counts.of({ row: stored.row, stored }) && this.#state.verdictOf(stored.row) !== "rejected";
  }
}

export function sourceOf({ body, hidden }: StoredObservation): string {
  return namedSourceOf(hidden) ?? body.source_type;
}

/** A line may give a date without a time, which is that date everywhere. */
function dayOfLine({ observed_at: text, lng }: Line["input"]): string {
  return text.length === "2026-05-01".length ? text : cityDate(Date.parse(text), lng);
}

/** What is known of a held line. */
export function subjectOfLine({ input }: Line): QueueSubject {
  return {
    ...{ row: null, public_id: null, name: input.name, website: input.website ?? null },
    ...{ industry: null, status: null, observations: 1, counting: 0 },
    names: [{ name: input.name, seen: 1 }],
    observers: [{ tag: "A", observations: 1 }],
    assets: [{ type: input.asset_type, number: 1 }],
    ...span([dayOfLine(input)]),
    place: isMobile(input.asset_type) ? null : coarse(input),
    distance_m: null,
  };
}

/** Gives each observer of an item a letter, in the order in which they come. Another item has other letters. */
export class Letters {
  readonly #known = new Map<string, string>();

  of(principals: readonly string[]): QueueSubject["observers"] {
    return counted(principals)
      .slice(0, MAX_OBSERVERS)
      .map(([principal, observations]) => ({ tag: this.#letter(principal), observations }));
  }

  #letter(principal: string): string {
    const known = this.#known.get(principal) ?? letterOf(this.#known.size);
    this.#known.set(principal, known);
    return known;
  }
}

/** A, B, … Z, A2, B2, … */
function letterOf(place: number): string {
  const letter = String.fromCharCode("A".charCodeAt(0) + (place % 26));
  return place < 26 ? letter : `${letter}${Math.floor(place / 26) + 1}`;
}

/** Values with how often each comes, the most frequent first. */
function counted(values: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, Math.max(MAX_NAMES, MAX_OBSERVERS));
}

function assetsOf(seen: readonly StoredObservation[]): QueueSubject["assets"] {
  const types = new Map(seen.map(({ body }) => [body.asset, body.asset_type] as const));
  return counted([...types.values()]).map(([type, number]) => ({ type, number }));
}

function span(seen: readonly string[]): Pick<QueueSubject, "first_seen" | "last_seen"> {
  const days = seen.toSorted();
  return { first_seen: days[0] ?? null, last_seen: days.at(-1) ?? null };
}

/** The middle of where the fixed signs of a record were seen; undefined for one of vehicles alone. */
function placeOf(seen: readonly StoredObservation[]): Point | undefined {
  const fixed = seen.filter(({ body }) => !isMobile(body.asset_type)).map(({ hidden }) => hidden.exact);
  if (fixed.length === 0) return undefined;
  return { lat: middle(fixed.map(({ lat }) => lat)), lng: middle(fixed.map(({ lng }) => lng)) };
}

function middle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function coarse({ lat, lng }: Point): Point {
  const [cellLat, cellLng] = cellToLatLng(latLngToCell(lat, lng, COARSE_RESOLUTION));
  return { lat: rounded(cellLat), lng: rounded(cellLng) };
}

function rounded(degrees: number): number {
  return Math.round(degrees * 1e4) / 1e4;
}

function meters(from: Point, to: Point): number {
  return Math.round(greatCircleDistance([from.lat, from.lng], [to.lat, to.lng], UNITS.m));
}
