/**
 * The honest observers of the simulated town: scouts who walk, cameras on vehicles that drive shifts, gates that read passing
 * vehicles. Each walks or drives its own way through the grid and reports a part of what it passes, with the noise of
 * positions, misread names, second pictures and late uploads.
 */

import type { SourceType } from "../../../src/contract/enums.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../../src/kernel/time.ts";
import type { Chance } from "./chance.ts";
import {
  BLOCK_M,
  Crossings,
  DAYS,
  EXTENT_M,
  GRID_LINES,
  HIGH_STREET_EVERY,
  latLngOf,
  type Point,
  placeOf,
  START,
  type Town,
  type TownAsset,
} from "./town.ts";

/** One line as an observer sends it, with the record and the asset that intake matches it to. */
export interface Line {
  readonly observer: string;
  readonly source: string;
  readonly sourceType: SourceType;
  readonly record: number;
  readonly asset: number;
  readonly assetType: TownAsset["type"];
  readonly lat: number;
  readonly lng: number;
  readonly observedAt: number; // ms
  readonly receivedAt: number; // ms
  readonly media: string | null;
  readonly mediaLook: bigint | null; // 64 bits
}

/** What a line says about who sent it. */
export interface Agent {
  readonly id: string;
  readonly source: string;
  readonly sourceType: SourceType;
  readonly uploadsAtNight: boolean;
}

export interface Observer extends Agent {
  readonly joins: number; // day of the simulation
  readonly isFounder: boolean; // vouched for at enrolment
  readonly home: Point;
}

const MINUTE_MS = 60 * SECOND_MS;

interface Habit {
  readonly prefix: string;
  readonly source: string;
  readonly sourceType: SourceType;
  readonly count: number;
  readonly founders: number;
  readonly outingsAWeek: number;
  readonly minutes: readonly [fewest: number, most: number];
  readonly secondsABlock: number;
  readonly sees: number; // chance to report an asset that is passed
  readonly firstHour: readonly [number, number];
}

export const SCOUTS = "town-scouts";
export const CAMERAS = "town-cameras";
export const GATES = "town-gates";
/** A collective source: whoever reports for it is the same principal. */
export const SURVEY = "town-survey";

const HABITS: readonly Habit[] = [
  {
    prefix: "scout",
    source: SCOUTS,
    sourceType: "scout",
    count: 14,
    founders: 4,
    outingsAWeek: 2,
    minutes: [70, 140],
    secondsABlock: 95,
    sees: 0.3,
    firstHour: [8, 16],
  },
  {
    prefix: "camera",
    source: CAMERAS,
    sourceType: "fleet_cam",
    count: 9,
    founders: 2,
    outingsAWeek: 4,
    minutes: [90, 210],
    secondsABlock: 26,
    sees: 0.04,
    firstHour: [7, 14],
  },
];
const GATE_COUNT = 2;
const GATE_SEES_A_DAY = 0.01; // chance that a vehicle passes a gate on a day
const LAST_JOIN_DAY = 35;
const GPS_NOISE_M = 7;
const BAD_GPS_SHARE = 0.05;
const BAD_GPS_NOISE_M = 30;
export const MISREAD_SHARE = 0.03;
const SECOND_PICTURE_SHARE = 0.002;
const LATE_SHARE = 0.02; // a phone that was offline for days
const NIGHT_UPLOADS_SHARE = 0.3;
const TRAINING_SHARE = 0.3; // new scouts who spend their first walk beside another
const TURN_SHARE = 0.3;
const TURN_INTO_HIGH_STREET_SHARE = 0.8;
const LEAVE_HIGH_STREET_SHARE = 0.02;
const MAX_SECONDS_AT_A_CROSSING = 20;
const LOOK_NOISE = 0.25; // share of bits in which two pictures of one sign differ from its mean
const SAME_SCENE_NOISE = 0.03;
export const MISREAD_IDS_FROM = 10_000;

export function makeObservers(chance: Chance): Observer[] {
  const walkers = HABITS.flatMap((habit) =>
    Array.from({ length: habit.count }, (_, at): Observer => {
      const isFounder = at < habit.founders;
      return {
        id: `${habit.prefix}-${at + 1}`,
        source: habit.source,
        sourceType: habit.sourceType,
        joins: isFounder ? 0 : chance.whole(0, LAST_JOIN_DAY),
        isFounder,
        home: { x: chance.within(0, EXTENT_M), y: chance.within(0, EXTENT_M) },
        uploadsAtNight: chance.is(NIGHT_UPLOADS_SHARE),
      };
    }),
  );
  const gates = Array.from(
    { length: GATE_COUNT },
    (_, at): Observer => ({
      id: `gate-${at + 1}`,
      source: GATES,
      sourceType: "telematics_api",
      joins: 0,
      isFounder: false,
      home: { x: chance.within(0, EXTENT_M), y: chance.within(0, EXTENT_M) },
      uploadsAtNight: false,
    }),
  );
  return [...walkers, ...gates];
}

/** Lines of the grid, not meters. */
interface Step extends Point {
  readonly at: number; // ms
}

/** All lines of all observers, in no order. */
export function honestLines(chance: Chance, town: Town, observers: readonly Observer[]): Line[] {
  const camera = new Camera(chance, MISREAD_SHARE);
  const crossings = new Crossings(town);
  const lines: Line[] = [];
  for (const observer of observers) {
    const habit = HABITS.find(({ source }) => source === observer.source);
    lines.push(
      ...(habit
        ? outings(chance, crossings, observers, observer, habit, camera)
        : gateReads(chance, town, observer, camera)),
    );
  }
  return lines;
}

function* outings(
  chance: Chance,
  crossings: Crossings,
  observers: readonly Observer[],
  observer: Observer,
  habit: Habit,
  camera: Camera,
): Generator<Line> {
  let isFirst = true;
  for (let day = observer.joins; day < DAYS; day += 1) {
    if (!chance.is(habit.outingsAWeek / 7)) continue;
    const start = START + day * DAY_MS + chance.within(...habit.firstHour) * HOUR_MS;
    const walk = wander(
      chance,
      observer.home,
      start,
      chance.within(...habit.minutes) * MINUTE_MS,
      habit.secondsABlock,
    );
    yield* reports(chance, crossings, observer, walk, habit.sees, camera);
    if (isFirst && habit.sourceType === "scout" && chance.is(TRAINING_SHARE)) {
      const trainer = chance.pick(
        observers.filter(({ isFounder, source }) => isFounder && source === habit.source),
      );
      yield* reports(chance, crossings, trainer, walk, habit.sees, camera);
    }
    isFirst = false;
  }
}

/** A way along the grid that starts near `home`, turns now and then, and follows high streets where it meets one. */
function wander(chance: Chance, home: Point, start: number, length: number, secondsABlock: number): Step[] {
  const corner = (meters: number) => clamp(Math.round(meters / BLOCK_M) + chance.whole(-6, 6));
  let heading: Heading = { x: corner(home.x), y: corner(home.y), dx: chance.is(0.5) ? 1 : 0, dy: 0 };
  if (heading.dx === 0) heading = { ...heading, dy: 1 };
  const steps: Step[] = [];
  for (let at = start; at < start + length; at += secondsABlock * 1000 * chance.within(0.8, 1.3)) {
    steps.push({ x: heading.x, y: heading.y, at });
    heading = onwards(chance.is(turnChance(heading)) ? turned(chance, heading) : heading);
  }
  return steps;
}

/** At a crossing of two lines of the grid, going east, west, north or south. */
interface Heading extends Point {
  readonly dx: number;
  readonly dy: number;
}

function turnChance({ x, y, dx }: Heading): number {
  const isHighStreet = (line: number) => line % HIGH_STREET_EVERY === 0;
  const [along, across] = dx === 0 ? [x, y] : [y, x];
  if (isHighStreet(along) === isHighStreet(across)) return TURN_SHARE;
  return isHighStreet(across) ? TURN_INTO_HIGH_STREET_SHARE : LEAVE_HIGH_STREET_SHARE;
}

function turned(chance: Chance, { x, y, dx, dy }: Heading): Heading {
  return chance.is(0.5) ? { x, y, dx: dy, dy: dx } : { x, y, dx: -dy, dy: -dx };
}

/** One block on, or back where the town ends. */
function onwards({ x, y, dx, dy }: Heading): Heading {
  const isInTown = x + dx === clamp(x + dx) && y + dy === clamp(y + dy);
  const sign = isInTown ? 1 : -1;
  return { x: x + sign * dx, y: y + sign * dy, dx: sign * dx, dy: sign * dy };
}

function clamp(line: number): number {
  return Math.min(GRID_LINES, Math.max(0, line));
}

function* reports(
  chance: Chance,
  crossings: Crossings,
  observer: Observer,
  walk: readonly Step[],
  sees: number,
  camera: Camera,
): Generator<Line> {
  for (const { asset, at } of passedOn(walk, crossings)) {
    if (!chance.is(sees)) continue;
    const instant = at + chance.within(0, MAX_SECONDS_AT_A_CROSSING * SECOND_MS);
    const place = placeOf(asset, instant);
    if (place === undefined) continue;
    const line = camera.line(observer, asset, place, instant);
    yield line;
    if (chance.is(SECOND_PICTURE_SHARE)) yield camera.again(line);
  }
}

/** Each asset on the way once, when it is passed first. */
function* passedOn(walk: readonly Step[], crossings: Crossings): Generator<{ asset: TownAsset; at: number }> {
  const passed = new Set<number>();
  for (const { x, y, at } of walk) {
    for (const asset of crossings.near(x, y, at)) {
      if (!passed.has(asset.id)) yield { asset, at };
      passed.add(asset.id);
    }
  }
}

function* gateReads(chance: Chance, town: Town, observer: Observer, camera: Camera): Generator<Line> {
  for (const asset of town.assets) {
    if (asset.type !== "vehicle_wrap") continue;
    for (let day = observer.joins; day < DAYS; day += 1) {
      if (!chance.is(GATE_SEES_A_DAY)) continue;
      yield camera.line(
        observer,
        asset,
        observer.home,
        START + day * DAY_MS + chance.within(8, 18) * HOUR_MS,
      );
    }
  }
}

/** What turns a sight into a line: noise of the position, a picture, a name that is misread at times, an upload. */
export class Camera {
  readonly #chance: Chance;
  readonly #misreadShare: number;
  readonly #scenes = new Map<number, bigint>();
  #misread = MISREAD_IDS_FROM;

  constructor(chance: Chance, misreadShare: number) {
    this.#chance = chance;
    this.#misreadShare = misreadShare;
  }

  line(observer: Agent, asset: TownAsset, place: Point, at: number): Line {
    const noise = this.#chance.is(BAD_GPS_SHARE) ? BAD_GPS_NOISE_M : GPS_NOISE_M;
    const seen = { x: place.x + this.#chance.noise(noise), y: place.y + this.#chance.noise(noise) };
    const isMisread = this.#chance.is(this.#misreadShare);
    if (isMisread) this.#misread += 1;
    const observedAt = Math.floor(at);
    return {
      observer: observer.id,
      source: observer.source,
      sourceType: observer.sourceType,
      record: isMisread ? this.#misread : asset.record,
      asset: isMisread ? this.#misread : asset.id,
      assetType: asset.type,
      ...latLngOf(seen),
      observedAt,
      receivedAt: observedAt + this.#delay(observer, observedAt),
      media: this.#chance.hex(64),
      mediaLook: this.#picture(asset.id, LOOK_NOISE),
    };
  }

  /** A second picture of the same sight, seconds later. */
  again(line: Line): Line {
    const later = this.#chance.whole(4, 60) * 1000;
    const mediaLook = flipped(this.#chance, line.mediaLook ?? 0n, SAME_SCENE_NOISE);
    return {
      ...line,
      observedAt: line.observedAt + later,
      receivedAt: line.receivedAt + later,
      media: this.#chance.hex(64),
      mediaLook,
    };
  }

  #delay({ uploadsAtNight }: Agent, observedAt: number): number {
    if (this.#chance.is(LATE_SHARE)) return Math.floor(this.#chance.within(1, 3) * DAY_MS);
    if (!uploadsAtNight) return Math.floor(this.#chance.within(0.1, 20) * MINUTE_MS);
    const untilNight = DAY_MS - ((observedAt - START) % DAY_MS);
    return Math.max(MINUTE_MS, untilNight - Math.floor(this.#chance.within(1, 3) * HOUR_MS));
  }

  #picture(asset: number, noise: number): bigint {
    const scene = this.#scenes.get(asset) ?? BigInt(`0x${this.#chance.hex(16)}`);
    this.#scenes.set(asset, scene);
    return flipped(this.#chance, scene, noise);
  }
}

function flipped(chance: Chance, bits: bigint, share: number): bigint {
  let mask = 0n;
  for (let bit = 0; bit < 64; bit += 1) mask = (mask << 1n) | (chance.is(share) ? 1n : 0n);
  return bits ^ mask;
}
