import { gridDisk, gridRing } from "h3-js";
import type { IntakeStore } from "../../ledger/matching/intake-store.ts";
import type { KeyedHash } from "../matching/keyed-hash.ts";

/** Who says where a thing is: rows that do not count, rows of built-in sources, or rows of registered ones and reviewers. */
export const UNTAUGHT = 0;
export const BUILT_IN = 1;
export const TAUGHT = 2;
/** Taught by two principals: what one alone says cannot come between. */
export const CONFIRMED = 3;
/** What counting rows taught; built-in sources are asked only where no registered one taught anything. */
export const TAUGHT_LEVELS = [TAUGHT, BUILT_IN] as const;
const LEVELS = [CONFIRMED, ...TAUGHT_LEVELS, UNTAUGHT] as const;
export type Level = (typeof LEVELS)[number];

/** A thing at a place. `row` brought it there, of a principal, unless it is of no registered source. */
export interface Anchor {
  readonly id: number;
  readonly row: number;
  readonly level: Level;
  readonly principal?: string | null | undefined; // none for what is of no registered source
}

/** Who saw a sighting: undefined for no registered source. A brand has branches next to each other. */
export interface Sighter {
  readonly principal?: string | undefined;
  readonly brand?: boolean;
}

interface Placed extends Omit<Anchor, "level"> {
  readonly place: string;
  level: Level;
}

/**
 * Things known at places: a place is its resolution-11 cell and the six around it, because positions are a few metres off.
 * Only the cell where a thing was first seen counts as its own; otherwise sightings could carry it down the street, cell by
 * cell. Where rings overlap, the earliest row wins, so that nothing takes a place over. Anchors are added in the order of rows.
 *
 * What a registered source taught reaches one ring further for everybody else. Otherwise one observer could surround a place
 * before it is listed, and take what others see at its edge.
 */
export class Anchors {
  readonly #own = new Map<string, readonly Placed[]>();
  readonly #around = new Map<string, readonly Placed[]>();
  /** The first anchor of each thing. */
  readonly #first = new Map<number, Placed>();

  add(key: string, anchor: Anchor): void {
    const placed = { ...anchor, place: key };
    if (!this.#first.has(anchor.id)) this.#first.set(anchor.id, placed);
    const alone = [placed];
    put(this.#own, key, alone);
    if (isCell(key)) for (const cell of gridDisk(key, 1)) put(this.#around, cell, alone);
  }

  /** Forgets all places of a thing. */
  remove(id: number): void {
    if (!this.#first.delete(id)) return;
    for (const places of [this.#own, this.#around])
      for (const [key, anchors] of places)
        places.set(
          key,
          anchors.filter((anchor) => anchor.id !== id),
        );
  }

  /** The first anchor of a thing. */
  of(id: number): Anchor | undefined {
    return this.#first.get(id);
  }

  /** Whether a thing has an anchor that covers a place; a confirmed one covers what it reaches. */
  covers(id: number, key: string): boolean {
    const isOfThing = (anchor: Anchor) => anchor.id === id;
    return (
      this.#findNear(key, isOfThing) !== undefined ||
      this.#beyond(key).some((anchor) => isOfThing(anchor) && anchor.level === CONFIRMED)
    );
  }

  /**
   * Confirms what another principal taught of a thing within two cells. Returns the places of the confirmed anchors: none where that is
   * done, or where nobody else taught it. The caller adds the cell itself, where it is not among them.
   */
  confirm(id: number, cell: string, principal: string): string[] {
    const isOfThing = (anchor: Anchor) => anchor.id === id;
    const near = (this.#around.get(cell) ?? []).filter(isOfThing);
    if (near.some(({ level }) => level === CONFIRMED)) return [];
    const known = [...near, ...this.#beyond(cell).filter(isOfThing)];
    if (known.some(({ level }) => level === CONFIRMED)) return [];
    if (!known.some((anchor) => anchor.level === TAUGHT && anchor.principal !== principal)) return [];
    for (const anchor of known) anchor.level = CONFIRMED;
    return known.map(({ place }) => place);
  }

  /** The thing at a place, of the highest level. */
  at(key: string, sighter: Sighter = {}): number | undefined {
    for (const level of LEVELS) {
      const id = this.among(key, level, sighter);
      if (id !== undefined) return id;
    }
    return undefined;
  }

  /** The thing of a level at a place. */
  among(key: string, level: Level, { principal, brand = false }: Sighter = {}): number | undefined {
    const isMeant = (anchor: Anchor) => isOf(anchor, level);
    const here = this.#findNear(key, isMeant);
    if (here !== undefined || level < TAUGHT) return here?.id;
    const reaches = (anchor: Anchor) =>
      isMeant(anchor) && anchor.principal !== principal && !(brand && anchor.level === CONFIRMED);
    return this.#beyond(key).find(reaches)?.id;
  }

  /** Everything of a level whose anchors are within two cells of a place, the earliest first. */
  allAt(key: string, level: Level): number[] {
    const within = [...(this.#own.get(key) ?? []), ...(this.#around.get(key) ?? []), ...this.#beyond(key)];
    const meant = within.filter((anchor) => isOf(anchor, level));
    return [...new Set(meant.toSorted((a, b) => a.row - b.row).map(({ id }) => id))];
  }

  /** The first of the anchors whose place covers another one, its own before others. */
  #findNear(key: string, isMeant: (anchor: Anchor) => boolean): Placed | undefined {
    return this.#own.get(key)?.find(isMeant) ?? this.#around.get(key)?.find(isMeant);
  }

  /** What registered sources taught two cells from a cell, the earliest first. */
  #beyond(key: string): readonly Placed[] {
    if (!isCell(key)) return [];
    // The usual case, on the path of every line: the only cell is this one or beside it.
    if (this.#own.size === 1 && (this.#own.has(key) || this.#around.has(key))) return [];
    const anchors = gridRing(key, 2).flatMap((cell) => this.#own.get(cell) ?? []);
    return anchors.filter(({ level }) => level >= TAUGHT).sort((a, b) => a.row - b.row);
  }

  /** Everything without a place, what has the highest level first. */
  atNowhere(): number[] {
    return [...(this.#own.get(NOWHERE) ?? [])].sort((a, b) => b.level - a.level).map(({ id }) => id);
  }

  /** Everything of a level, in the order of the rows that brought it. */
  all(level: Level): number[] {
    return [...this.#first.values()].filter((anchor) => isOf(anchor, level)).map(({ id }) => id);
  }
}

const REF_MARK = "#";
/** The key of a sighting that has neither place nor reference. */
export const NOWHERE = "";

/** What stands for the place of a mobile asset: its source's own reference, as a keyed hash. */
export function refKey(hash: string): string {
  return REF_MARK + hash.slice(0, 24);
}

/** The key of an asset's reference; `hash` is that of source references. */
export function assetRefKey(ref: string, hash: KeyedHash): string {
  return refKey(hash(JSON.stringify(["asset_ref", ref])));
}

/** Whether a place is a cell: not a reference, and not nowhere. */
export function isCell(key: string): boolean {
  return key !== NOWHERE && !key.startsWith(REF_MARK);
}

/** What is confirmed is taught. */
function isOf({ level: own }: Anchor, level: Level): boolean {
  return level === TAUGHT ? own >= TAUGHT : own === level;
}

function put(map: Map<string, readonly Placed[]>, key: string, alone: readonly Placed[]): void {
  const known = map.get(key);
  map.set(key, known === undefined || known.length === 0 ? alone : [...known, ...alone]);
}

interface Point {
  readonly place: string;
  readonly lat: number;
  readonly lng: number;
}

const PER_DEGREE = 1e6;

/** Records of one name at one address that a reviewer keeps apart. Few, so all pairs are held. */
export class Twins {
  readonly #store: IntakeStore;
  readonly #others: ReadonlyMap<number, ReadonlySet<number>>;

  constructor(store: IntakeStore) {
    this.#store = store;
    const pairs = Map.groupBy(store.apart(), ({ record }) => record);
    this.#others = new Map(
      [...pairs].map(([record, own]) => [record, new Set(own.map(({ other }) => other))]),
    );
  }

  has(record: number): boolean {
    return this.#others.has(record);
  }

  areApart(record: number, other: number): boolean {
    return this.#others.get(record)?.has(other) === true;
  }

  /** A record and those of the others that are kept apart from it. */
  among(records: readonly number[], record: number): number[] {
    const others = this.#others.get(record);
    return records.filter((other) => other === record || others?.has(other) === true);
  }

  /** The record whose centre of exact places is nearest, the first of those that are equally near. */
  nearest(records: readonly number[], point: Point): number | undefined {
    const distances = records.map((record) => ({ record, distance: this.#distance(record, point) }));
    const least = Math.min(...distances.map(({ distance }) => distance));
    return distances.find(({ distance }) => distance === least)?.record;
  }

  /** Remembers where a counting row saw a record. */
  learn(record: number, { place, lat, lng }: Point): void {
    if (!this.has(record) || !isCell(place)) return;
    const at = { place, lat: Math.round(lat * PER_DEGREE), lng: Math.round(lng * PER_DEGREE) };
    this.#store.addApartPlace(record, at);
  }

  /** To the centre of a record's counting rows at a place and around it, in units of no meaning. */
  #distance(record: number, { place, lat, lng }: Point): number {
    const around = new Set(gridDisk(place, 1));
    const here = this.#store.apartPlaces(record).filter((known) => around.has(known.place));
    const sum = (of: (known: (typeof here)[number]) => number) =>
      here.reduce((all, known) => all + of(known), 0);
    const rows = sum((known) => known.rows) * PER_DEGREE;
    if (rows === 0) return Number.POSITIVE_INFINITY;
    const [north, east] = [sum((known) => known.lat) / rows - lat, sum((known) => known.lng) / rows - lng];
    return Math.hypot(north, east * Math.cos((lat * Math.PI) / 180));
  }
}
