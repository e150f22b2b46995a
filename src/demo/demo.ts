/**
 * The demonstration: a year of invented sightings in real places, taken in, reviewed and sealed night by night by the same functions as real data. All
 * of it is fixed, even the keys, so that every machine creates the same ledger. The keys are therefore public, and the signatures prove nothing.
 */

import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gridDisk, latLngToCell } from "h3-js";
import { withProgress } from "../build/reporter.ts";
import { AssetType } from "../contract/enums.ts";
import { ingest } from "../intake/ingest.ts";
import type { ObservationInput } from "../intake/lines/observation-input.ts";
import type { RejectSink } from "../intake/lines/rejects.ts";
import type { LookInput } from "../intake/looks/look.ts";
import { writeLookRows } from "../intake/looks/look-rows.ts";
import { standardClassifier } from "../intake/matching/classify.ts";
import { radiusCells } from "../intake/places/city-outline.ts";
import { CITY_RESOLUTION } from "../intake/places/place.ts";
import { registerCity } from "../intake/places/register-city.ts";
import { applyDueChanges } from "../intake/sources/due-changes.ts";
import { judgeLedger } from "../intake/sources/judge-ledger.ts";
import { takeIn } from "../intake/take-in/take-in.ts";
import { OperatorError } from "../kernel/errors.ts";
import { moveWithoutReplacing } from "../kernel/files/durable-file.ts";
import { type Home, homePaths } from "../kernel/home.ts";
import { seededBytes } from "../kernel/seeded.ts";
import { DAY_MS, HOUR_MS, isoTime, SECOND_MS } from "../kernel/time.ts";
import { createLedger } from "../ledger/database/ledger-file.ts";
import { acquireLock } from "../ledger/database/lock.ts";
import { createKeys } from "../ledger/keys/keys.ts";
import { openLedgerReader } from "../ledger/reader.ts";
import { type LedgerWriter, openLedgerWriter } from "../ledger/writer.ts";
import { type CommandContext, homeOf } from "../operations/context.ts";
import { businessesOf } from "./businesses.ts";
import { crowded, genericSigns, loneEligible, namesakes, twins } from "./cast.ts";
import {
  cityDecisions,
  type Decision,
  Desk,
  decisionsAbout,
  flagDecisions,
  namesakeDecisions,
} from "./decisions.ts";
import { CITIES, type DemoCity } from "./fixture.ts";
import { DEMO_MODELS, type DemoSighting, registerSources, threadOf, vouchForFounders } from "./sightings.ts";

const ORIGIN = "demo.presence.example/ledger";
const SEED = "physical presence demonstration 2026-11";
const INTAKE_TIME = DAY_MS - 30 * SECOND_MS; // of a UTC day, after its last sighting
/** The demonstration judges once a week what a real ledger judges each night: a year takes seconds less. */
const JUDGED_NIGHTS = 7;
const SEAL_TIME = 300 * SECOND_MS; // of the day after

/** The demonstration's own keys, always the same. */
export function makeKeys(keysDir: string): void {
  createKeys(keysDir, "demo", ORIGIN, seededBytes(SEED));
}

/**
 * Writes the whole story to a new ledger, night by night; `onNight` gets the nights done and their total. The file is a draft, discarded after a crash,
 * so the caller must sync it.
 */
export async function playYear(home: Home, onNight: (done: number, total: number) => void): Promise<void> {
  const nights = tellStory();
  const random = seededBytes(SEED);
  let time = (nights[0]?.day ?? 0) * DAY_MS;
  const clock = () => time;
  const keysDir = home.keys;
  createLedger(home.ledger, { environment: "demo", origin: ORIGIN, keysDir, clock, random });
  using ledger = openLedgerWriter(home.ledger, { keysDir, clock, random, isDurable: false });
  registerSources(ledger);
  const desk = new Desk(ledger);
  for (const [at, night] of nights.entries()) {
    time = night.day * DAY_MS + INTAKE_TIME;
    for (const city of night.registered) {
      const { gazetteer, radius_km } = city;
      registerCity(ledger, gazetteer, radiusCells(gazetteer.lat, gazetteer.lng, radius_km));
      vouchForFounders(ledger, city);
    }
    await accept(night, ledger);
    const classifier = standardClassifier;
    await takeIn({ ledger, classifier, random, models: MODELS, now: true }); // the evening has all lines of the day
    for (const decision of night.decisions) decision.act(desk);
    time = (night.day + 1) * DAY_MS + SEAL_TIME;
    writeLookRows(ledger, { now: false });
    if (at % JUDGED_NIGHTS === 0) judgeLedger(ledger);
    applyDueChanges(ledger);
    ledger.seal({ now: false });
    onNight(at + 1, nights.length);
  }
}

const MODELS = new Set(DEMO_MODELS.map((version) => `fleet_cam:${version}`));

async function accept(night: Night, ledger: LedgerWriter): Promise<void> {
  if (night.sightings.length === 0) return;
  const values = [...night.sightings.map(({ line }) => line), ...looksOf(night)];
  const lines = values.map((value) => `${JSON.stringify(value)}\n`).join("");
  await ingest({
    ledger,
    source: Readable.from([Buffer.from(lines)]),
    name: "the demonstration's sightings",
    synthetic: true,
    dryRun: false,
    rejects: NO_REJECTS,
  });
}

const NO_REJECTS: RejectSink = {
  write: (text) => {
    throw new Error(`intake rejects a line of the story: ${text}`);
  },
};

/** The events of one UTC day, in this order. */
export interface Night {
  readonly day: number;
  readonly registered: readonly DemoCity[];
  readonly sightings: readonly DemoSighting[];
  readonly decisions: readonly Decision[];
}

/** The year of the demonstration, day by day. Pure: the same fixtures give the same story. */
export function tellStory(): Night[] {
  const ordinary = CITIES.flatMap(businessesOf).map(threadOf);
  const pairs = namesakes();
  const cast = [...twins(), crowded(), loneEligible(), ...pairs.flatMap(({ threads }) => threads)];
  const sightings = [...[...ordinary, ...cast].flatMap((thread) => thread.sightings), ...genericSigns()];
  const decisions = [
    ...cityDecisions(),
    ...ordinary.flatMap(decisionsAbout),
    ...pairs.flatMap(namesakeDecisions),
    ...flagDecisions(ordinary),
  ];
  const [first, last] = [FIRST_DAY, LAST_DAY];
  const sightingsOf = Map.groupBy(sightings, ({ night }) => night);
  const decisionsOf = Map.groupBy(decisions, ({ night }) => night);
  return Array.from({ length: last - first + 1 }, (_, at) => ({
    day: first + at,
    registered: CITIES.filter(({ first_day }) => first_day === first + at),
    sightings: sightingsOf.get(first + at) ?? [],
    decisions: decisionsOf.get(first + at) ?? [],
  }));
}

const FIRST_DAY = Math.min(...CITIES.map(({ first_day }) => first_day));
const LAST_DAY = Math.max(...CITIES.map(({ last_day }) => last_day));

const LONGEST_MS = 12 * HOUR_MS; // from the first sighting to the last; the walk begins and ends an hour off

/** Where the scouts and cameras of a day looked: around what they saw. A line each, in the order of the observers. */
export function looksOf({ sightings }: Night): LookInput[] {
  const lines = sightings.map(({ line }) => line).filter(isWalk);
  return [...Map.groupBy(lines, ({ observer }) => observer)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, seen]) => lookAround(seen));
}

/** A survey gives no times, a picture from an archive shows another day, and positions of vans are no looks. */
function isWalk({ source_type, derived_from_archive }: ObservationInput): boolean {
  return (source_type === "scout" || source_type === "fleet_cam") && derived_from_archive !== true;
}

function lookAround(seen: readonly ObservationInput[]): LookInput[] {
  const times = seen.map(({ observed_at }) => Date.parse(observed_at));
  const [first] = seen;
  const [start, end] = [Math.min(...times), Math.max(...times)];
  if (first === undefined || end - start > LONGEST_MS) return [];
  const [from, until] = [isoTime(start - HOUR_MS), isoTime(end + HOUR_MS)];
  const cells = seen.flatMap(({ lat, lng }) => gridDisk(latLngToCell(lat, lng, CITY_RESOLUTION), 2));
  const { source, source_type, observer } = first;
  return [
    {
      kind: "look",
      source,
      source_type,
      source_ref: `look-${observer}-${from}`,
      observer,
      from,
      until,
      asset_types: AssetType.options.filter((type) => type !== "vehicle_wrap"),
      cells: [...new Set(cells)].sort(),
    },
  ];
}

export interface DemoSummary {
  readonly ledger: string;
  readonly origin: string;
  readonly treeSize: number;
  readonly root: string; // hex
  readonly asOf: string; // time of its last seal
  readonly rows: Readonly<Record<string, number>>; // by kind
  readonly checkedOnline: number; // records
}

/** Creates ledger and keys in PRESENCE_HOME, completely or not at all. Throws OperatorError when there is a ledger already. */
export async function createDemo(context: CommandContext): Promise<DemoSummary> {
  const home = homeOf(context);
  mkdirSync(home.night, { recursive: true });
  using _lock = acquireLock(join(home.night, "demo.lock"), `creating the demonstration in ${home.root}`);
  if (existsSync(home.ledger))
    throw new OperatorError(
      `${home.ledger}: a ledger already exists; set PRESENCE_HOME to another folder for the demonstration`,
    );
  const draft = homePaths(join(home.night, "demo.new"));
  rmSync(draft.root, { recursive: true, force: true });
  makeKeys(draft.keys);
  assertNoOtherKeys(draft, home);
  await withProgress(context, "nights of the demonstration", (update) => playYear(draft, update));
  install(draft, home);
  return demoSummary(home);
}

/** A summary of the demonstration's ledger. Throws OperatorError for a ledger of real observations. */
export function demoSummary(home: Home): DemoSummary {
  using reader = openLedgerReader(home.ledger, { keysDir: home.keys });
  const { environment, origin } = reader.meta;
  const head = reader.latestCheckpoint();
  if (environment !== "demo" || head === undefined)
    throw new OperatorError(
      `${home.ledger}: not a sealed demonstration, but a ledger of the ${environment} environment`,
    );
  return {
    ledger: home.ledger,
    origin,
    treeSize: head.size,
    root: head.root.toString("hex"),
    asOf: reader.seals(head.size).at(-1)?.body.created_at ?? "",
    rows: Object.fromEntries(reader.counts(head.size)),
    checkedOnline: reader.latestOnlineChecks(Number.MAX_SAFE_INTEGER).size,
  };
}

/** Moves the ledger last: it completes the demonstration, and until then the next run starts again. */
function install(draft: Home, home: Home): void {
  assertNoOtherKeys(draft, home);
  mkdirSync(home.keys, { recursive: true, mode: 0o700 });
  for (const name of keyFiles(draft)) {
    const place = join(home.keys, name);
    if (!existsSync(place)) moveWithoutReplacing(join(draft.keys, name), place);
  }
  syncFile(draft.ledger);
  moveWithoutReplacing(draft.ledger, home.ledger);
  rmSync(draft.root, { recursive: true });
}

/** Accepts keys and checkpoint of an earlier, interrupted run, which are the same. */
function assertNoOtherKeys(draft: Home, home: Home): void {
  for (const name of keyFiles(draft)) {
    const place = join(home.keys, name);
    if (existsSync(place) && !readFileSync(place).equals(readFileSync(join(draft.keys, name))))
      throw new OperatorError(
        `${place}: this belongs to another ledger; move the folder away, or set PRESENCE_HOME to another one`,
      );
  }
}

function keyFiles({ keys }: Home): string[] {
  return readdirSync(keys).filter((name) => /\.(json|head)$/.test(name));
}

function syncFile(path: string): void {
  const file = openSync(path, "r");
  fsyncSync(file);
  closeSync(file);
}
