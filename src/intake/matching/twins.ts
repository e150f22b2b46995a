import { gridDisk } from "h3-js";
import type { IntakeStore } from "../../ledger/matching/intake-store.ts";
import { isCell } from "../places/anchors.ts";

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
