/** Judges a world with the lines of an attack in it, as the service would: the checks first, then the methodology. */

import { BUILT_IN } from "../../../src/contract/fields.ts";
import { judge } from "../../../src/independence/judge.ts";
import type {
  CheckCode,
  Judgement,
  ObserverFacts,
  Registry,
  ReviewItem,
  Trace,
} from "../../../src/independence/trace.ts";
import { DAY_MS } from "../../../src/kernel/time.ts";
import { asOfAt } from "../../../src/method/numbers.ts";
import { countable, type Gate, rankingGate, setAsideReason } from "../../../src/method/standing/counting.ts";
import { type CityStandings, cityStandings } from "../../../src/method/standing/standing.ts";
import { judge as judgeStates } from "../../../src/method/standing/verification.ts";
import type { Industry, RecordFacts, Sighting } from "../../../src/method/types.ts";
import { GATES, type Line, SURVEY } from "./fleet.ts";
import type { Affiliation, Enrolled } from "./plot.ts";
import { DAYS, SOLAR_OFFSET_HOURS, START } from "./town.ts";
import type { Row, World } from "./world.ts";

export const END = START + DAYS * DAY_MS;
const DECLARED: Industry = { code: "5610", method: "declared", authoritative: true };
const COLLECTIVE = new Set([BUILT_IN, SURVEY]);

export interface Case {
  readonly world: World;
  readonly rows: readonly Row[]; // of the attack
  readonly enrolled: readonly Enrolled[];
  readonly affiliations: readonly Affiliation[];
}

export class Court {
  readonly rows: readonly Row[];
  readonly judgement: Judgement;
  readonly #byRecord: ReadonlyMap<number, Row[]>;
  /** Rows that entered before the night that established their principal. */
  readonly #early: ReadonlySet<number>;
  #standings: CityStandings | undefined;
  readonly #principals: ReadonlyMap<string, string>;

  /** Judges what was received before `until`, in ms; reviews made later are not known. */
  constructor({ world, rows, enrolled, affiliations }: Case, until = END) {
    this.rows = merged(world.rows, rows).filter(({ receivedAt }) => receivedAt < until);
    this.#principals = new Map(enrolled.flatMap(({ id, principal }) => (principal ? [[id, principal]] : [])));
    const registry = registryOf(world, enrolled, affiliations, (observer) => this.#enrolledAs(observer));
    const traces = this.#traces(until);
    this.judgement = judge(traces, registry, Math.floor(until / DAY_MS) * DAY_MS);
    this.#early = new Set(
      traces.filter((trace) => trace.acceptedDay <= this.#establishedOn(trace)).map(({ row }) => row),
    );
    this.#byRecord = Map.groupBy(this.rows, ({ record }) => record);
  }

  gateOf(record: number): Gate {
    const { sightings } = this.#facts(record);
    return rankingGate(countable(sightings, AS_OF), DECLARED, false);
  }

  isEligible(record: number): boolean {
    return this.gateOf(record).status === "eligible";
  }

  /** Whether a row counts as independent evidence. */
  counts(row: number): boolean {
    return this.checkOf(row) === undefined;
  }

  /** Why a row does not count. Standing counts from the row on that enters after the night that gave it. */
  checkOf(row: number): CheckCode | undefined {
    return this.judgement.setAside.get(row) ?? (this.#early.has(row) ? "not_established" : undefined);
  }

  #establishedOn({ principal }: Trace): number {
    return this.judgement.established.get(principal) ?? Number.POSITIVE_INFINITY;
  }

  /** The standings of the whole town. */
  standings(): CityStandings {
    this.#standings ??= cityStandings(
      [...this.#byRecord.keys()].map((record) => this.#facts(record)),
      AS_OF,
    );
    return this.#standings;
  }

  /** Review items that name one of the observers or records. */
  itemsAbout(observers: ReadonlySet<string>, records: readonly number[]): ReviewItem[] {
    return this.judgement.items.filter(
      (item) =>
        item.observers.some((observer) => observers.has(observer)) ||
        (item.record !== null && records.includes(item.record)),
    );
  }

  #traces(until: number): Trace[] {
    const published = new Map<number, number>();
    return this.rows.map((row): Trace => {
      const acceptedDay = Math.floor(row.receivedAt / DAY_MS) * DAY_MS;
      const assetPublishedDay = published.get(row.asset) ?? acceptedDay;
      published.set(row.asset, assetPublishedDay);
      return {
        row: row.row,
        observer: row.observer,
        principal: this.#principalOf(row),
        source: row.source,
        isCollective: COLLECTIVE.has(row.source),
        assetType: row.assetType,
        record: row.record,
        asset: row.asset,
        cell: row.cell,
        lat: row.lat,
        lng: row.lng,
        instant: row.observedAt,
        isBareDate: false,
        isArchive: false,
        acceptedDay,
        assetPublishedDay,
        media: row.media,
        mediaLook: row.mediaLook,
        verdict: verdictOf(row, until),
        isRestored: false,
      };
    });
  }

  #facts(record: number): RecordFacts {
    const sightings = (this.#byRecord.get(record) ?? []).map((row) => this.#sighting(row));
    return {
      id: record,
      publicId: `town_${record}`,
      industry: DECLARED,
      flagged: false,
      matchUnderReview: false,
      sightings: judgeStates(sightings),
    };
  }

  #sighting(row: Row): Sighting {
    const day = Math.floor(row.observedAt / DAY_MS + SOLAR_OFFSET_HOURS / 24);
    const fine = row.assetType !== "vehicle_wrap";
    const counts = this.counts(row.row);
    return {
      id: row.row,
      asset: row.asset,
      assetType: row.assetType,
      source: row.sourceType,
      observer: this.#principalOf(row),
      observedAt: day * DAY_MS,
      day,
      cell: row.publishedCell,
      fine,
      publishedAt: (Math.floor(row.receivedAt / DAY_MS) + 1) * DAY_MS,
      archived: false,
      verdict: verdictOf(row, END),
      setAside: setAsideReason({ source: row.sourceType, assetType: row.assetType, counts }),
    };
  }

  #principalOf({ source, observer }: Line): string {
    return COLLECTIVE.has(source) ? source : this.#enrolledAs(observer);
  }

  #enrolledAs(observer: string): string {
    return this.#principals.get(observer) ?? observer;
  }
}

const AS_OF = asOfAt(END, SOLAR_OFFSET_HOURS);

function verdictOf({ review }: Row, until: number): Trace["verdict"] {
  return review && review.at < until ? review.verdict : undefined;
}

function registryOf(
  world: World,
  enrolled: readonly Enrolled[],
  affiliations: readonly Affiliation[],
  principalOf: (observer: string) => string,
): Registry {
  const observers = new Map<string, ObserverFacts>();
  for (const { id, isFounder } of world.observers) {
    observers.set(id, { principal: id, isSuspended: false, isVouched: isFounder });
  }
  for (const { id, isVouched } of enrolled) {
    observers.set(id, { principal: principalOf(id), isSuspended: false, isVouched });
  }
  const owned = affiliations.map(({ observer, record }) => ({ principal: principalOf(observer), record }));
  const keys = new Set(owned.map(({ principal, record }) => `${record} ${principal}`));
  return {
    observers,
    isAffiliated: (principal, record) => keys.has(`${record} ${principal}`),
    canSee: (source, assetType) => source !== GATES || assetType === "vehicle_wrap",
    affiliations: owned,
  };
}

/** Both are in order of rows. */
function merged(rows: readonly Row[], added: readonly Row[]): Row[] {
  return added.length === 0 ? [...rows] : [...rows, ...added].sort((a, b) => a.row - b.row);
}
