/** A week of an operator: sightings and decisions each day, a published and fully checked release each night. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type SeededRandom, seededRandom } from "../../../src/kernel/seeded.ts";
import { DAY_MS, isoDate } from "../../../src/kernel/time.ts";
import { releaseFaults } from "./checks.ts";
import { WeekDesk } from "./desk.ts";
import { firstDay, LATER_DAYS, type Week } from "./desk-days.ts";
import { IdRegistry } from "./ids-check.ts";
import { bringIn, found, NOTHING, type Taken, together } from "./intake.ts";
import type { Machine } from "./machine.ts";
import { EARLY_STAGES, judge, killedNight, type NightRun, runNight } from "./night.ts";
import { type Published, readPublished } from "./published.ts";
import { servedFaults } from "./served-check.ts";
import type { World } from "./world.ts";

export const DAYS = 1 + LATER_DAYS.length;

export interface Night {
  readonly day: number; // the day before it, from 1
  readonly taken: Taken;
  readonly held: number; // lines that the seal kept for the desk
  readonly decisions: number;
  readonly rows: number;
  readonly records: number;
  readonly changes: Readonly<Record<"added" | "changed" | "merged" | "removed", number>>;
  readonly nightSeconds: number;
  readonly verifySeconds: number;
  readonly replaySeconds: number;
  readonly faults: readonly string[];
}

export interface WeekReport {
  readonly before: Taken;
  readonly nights: readonly Night[];
  readonly publicIds: number; // of records and assets that were ever published
}

interface WeekOptions {
  readonly seed: number;
  readonly say: (line: string) => void;
}

/** Lives through the week. Throws when a command fails that must not; what a release says wrongly is a fault of its night. */
export async function runWeek(
  machine: Machine,
  world: World,
  { seed, say }: WeekOptions,
): Promise<WeekReport> {
  const run = new WeekRun(machine, world, seed);
  say("the day before: ledger, cities, and what is known already …");
  const before = await found(machine, world, [run.dateOf(0), run.dateOf(1)]);
  say(`  ${before.accepted} observations in ${before.read} lines`);
  const nights: Night[] = [];
  for (let day = 1; day <= DAYS; day += 1) {
    say(`${run.dateOf(day)} …`);
    await run.day(day);
    if (!world.nights.includes(day)) continue;
    const night = await run.night(day);
    say(`  ${night.rows} rows, ${night.records} records, published in ${night.nightSeconds.toFixed(0)} s`);
    for (const fault of night.faults) say(`  FAULT ${fault}`);
    nights.push(night);
  }
  return { before, nights, publicIds: run.ids.size };
}

class WeekRun {
  readonly ids = new IdRegistry();
  readonly #machine: Machine;
  readonly #world: World;
  readonly #week: Week;
  readonly #random: SeededRandom;
  readonly #checkpoints: string[] = []; // of the nights before
  #last: { readonly published: Published; readonly run: NightRun } | undefined;
  #since = { taken: NOTHING, decisions: 0 }; // the last night

  constructor(machine: Machine, world: World, seed: number) {
    this.#machine = machine;
    this.#world = world;
    this.#random = seededRandom(seed);
    this.#week = { desk: new WeekDesk(machine, this.#random), kept: new Map(), traces: [], openReports: [] };
  }

  /** Day 0 is before the week. */
  dateOf(day: number): string {
    return isoDate(Date.parse(this.#world.firstDay) + (day - 1) * DAY_MS);
  }

  /** What comes in, then the desk. */
  async day(day: number): Promise<void> {
    const { desk } = this.#week;
    const before = desk.decisions;
    this.#machine.setClock(`${this.dateOf(day)}T21:00:00Z`);
    const taken = await bringIn(this.#machine, this.#world.days[day - 1] ?? []);
    const now = `${this.dateOf(day)}T22:00:00Z`;
    this.#machine.setClock(now);
    if (this.#last === undefined) await firstDay(this.#week);
    // A patch release of an earlier day may have replaced the last night's.
    else await LATER_DAYS[day - 2]?.(this.#week, readPublished(this.#machine.home), now);
    this.#since = {
      taken: together(this.#since.taken, taken),
      decisions: this.#since.decisions + desk.decisions - before,
    };
  }

  /** The night after a day, and all that must be true of what it published. */
  async night(day: number): Promise<Night> {
    this.#machine.setClock(`${this.dateOf(day + 1)}T00:10:00Z`);
    const killed = this.#isNight(day, -2) ? await this.#killNight() : [];
    // A patch release of the day follows the last night's.
    const before = this.#last && readPublished(this.#machine.home);
    const run = await runNight(this.#machine);
    const judged = await judge(this.#machine, this.#checkpoints.length === 0 ? undefined : this.#kept);
    const published = readPublished(this.#machine.home);
    const faults = [
      ...killed,
      ...run.faults,
      ...judged.faults,
      ...(await this.#look(published, before, run)),
    ];
    if (this.#isNight(day, -1) || this.#isNight(day, -3))
      faults.push(...(await servedFaults(this.#machine, this.#week.desk.told)));
    this.#checkpoints.push(published.checkpoint);
    writeFileSync(this.#kept, published.checkpoint);
    this.#last = { published, run };
    const { added, changed, merged, removed } = published.changes;
    const { taken, decisions } = this.#since;
    this.#since = { taken: NOTHING, decisions: 0 };
    return {
      ...{ day, taken, held: run.held, decisions, rows: run.rows, records: run.records },
      ...{ changes: { added, changed, merged, removed }, faults },
      ...{ nightSeconds: run.seconds, verifySeconds: judged.verifySeconds },
      replaySeconds: judged.replaySeconds,
    };
  }

  /** Whether it is the night after this day, counted from the last one. */
  #isNight(day: number, fromLast: number): boolean {
    return this.#world.nights.at(fromLast) === day;
  }

  #killNight(): Promise<string[]> {
    const stage = EARLY_STAGES[Math.floor(this.#random() * EARLY_STAGES.length)] ?? EARLY_STAGES[0];
    return killedNight(this.#machine, stage);
  }

  async #look(published: Published, before: Published | undefined, { records }: NightRun): Promise<string[]> {
    const faults = await releaseFaults(published, {
      before,
      told: this.#week.desk.told,
      ids: this.ids,
      traces: this.#week.traces,
      checkpoints: this.#checkpoints,
    });
    return records === published.records.size
      ? faults
      : [...faults, `the night counts ${records} records, and ${published.records.size} are published`];
  }

  /** The last checkpoint, as a stranger keeps it. */
  get #kept(): string {
    return join(this.#machine.folder, "checkpoint");
  }
}
