/** A year of a service: every evening lines and decisions, every night a release, and everything that goes wrong in a year. */
import { join } from "node:path";
import { z } from "zod";
import { seededRandom } from "../../../src/kernel/seeded.ts";
import { DAY_MS, isoDate } from "../../../src/kernel/time.ts";
import type { Outcome } from "../../support/operations/presence-process.ts";
import { BENCH_CITY_RADIUS_KM, benchCities } from "../../support/towns/observations.ts";
import { gazetteerDump, ndjson } from "../../support/towns/town.ts";
import { headFaults } from "../week/heads-check.ts";
import { type Published, readJson, readPublished } from "../week/published.ts";
import { Erased, filesWith } from "./erased.ts";
import { EVENTS, type Event } from "./events.ts";
import type { Plan } from "./plan.ts";
import { Mirror, Subscriber } from "./readers.ts";
import { Service, Status } from "./service.ts";
import { type Line, OBSERVERS, observerId, SOURCE, seenByDay } from "./town.ts";

const HEADS = 30; // nights between those whose heads are proved again and again
const DAYS_BEFORE = 11;

const Night = z.looseObject({
  steps: z.array(z.looseObject({ name: z.string(), facts: z.record(z.string(), z.unknown()) })),
});
const Built = z.looseObject({ rows: z.int(), records: z.int() });

export interface YearReport {
  readonly nights: number;
  readonly checked: number; // nights that were verified, replayed and mirrored
  readonly lines: number;
  readonly rows: number;
  readonly records: number;
  readonly erased: number; // records
  readonly arrived: Readonly<Record<"events" | "deliveries" | "emails", number>>;
  readonly serverMb: number;
  readonly seconds: number;
  readonly nightSeconds: readonly number[]; // sorted
  readonly events: readonly (readonly [night: number, name: string, seconds: number])[];
  readonly faults: readonly string[];
}

interface YearOptions {
  readonly say: (line: string) => void;
  readonly pages?: string; // see Service.open
}

/** Throws when a command fails that must not; what turns out wrong is a fault. */
export async function runYear(plan: Plan, options: YearOptions): Promise<YearReport> {
  await using service = await Service.open(options.pages);
  const year = new Year(service, plan, options);
  await year.begin();
  for (let night = 1; night <= plan.nights; night += 1) await year.day(night);
  return year.report();
}

type Work = () => Promise<readonly string[]>;

export class Year {
  readonly service: Service;
  readonly subscriber: Subscriber;
  readonly erased: Erased;
  readonly #plan: Plan;
  readonly #say: YearOptions["say"];
  readonly #mirror: Mirror;
  readonly #seen: ReadonlyMap<string, readonly Line[]>;
  readonly #random = seededRandom(365);
  readonly #start = performance.now();
  readonly #events: [number, string, number][] = [];
  readonly #nightSeconds: number[] = [];
  readonly #faults: string[] = [];
  readonly #checkpoints: string[] = [];
  readonly #beforeNight: Work[] = [];
  readonly #afterNight: Work[] = [];
  #before: Published | undefined;
  #last = { rows: 0, records: 0 };
  #checked = 0;
  #lines = 0;

  constructor(service: Service, plan: Plan, { say }: YearOptions) {
    this.service = service;
    this.#plan = plan;
    this.#say = say;
    this.erased = new Erased(service);
    this.subscriber = new Subscriber(service);
    this.#mirror = new Mirror(service);
    this.#seen = seenByDay(Date.parse(plan.firstDay) + plan.nights * DAY_MS, plan.observations);
  }

  /** A new service, with what was seen on the days before. */
  async begin(): Promise<void> {
    const { service } = this;
    this.#set(0, 12);
    await service.ok(["init", "--origin", "year.example/presence", "--environment", "demo"]);
    const catalog = service.write("cities.txt", gazetteerDump());
    const [city] = benchCities(1);
    const place = ["--geoname", String(city?.geonameId), "--radius-km", String(BENCH_CITY_RADIUS_KM)];
    await service.ok(["city", "add", "--gazetteer", catalog, ...place]);
    const terms = ["--operator", "Year", "--licence", "own", "--consent", "own", "--vetting", "individual"];
    await service.ok(["source", "add", SOURCE, "--kind", "scout", ...terms]);
    for (let number = 0; number < OBSERVERS; number += 1)
      await service.ok(["observer", "enrol", SOURCE, observerId(number), "--vouch"]);
    await service.setUpBackups();
    const days = Array.from({ length: DAYS_BEFORE }, (_, before) => this.#dateOf(-before));
    await this.#takeIn("before", days);
    await service.ok(["batch", "approve", "b1"]); // a source's first delivery
    await service.ok(["nightly", "--now"]);
    await service.serve();
  }

  published = (): Published => readPublished(this.service.home);

  night = (): Promise<Outcome> => this.service.run(["nightly", "--json"]);

  /** Draws a record that is published and has not left. */
  readonly records = {
    next: (): string => {
      const ids = [...this.published().records.keys()].filter((id) => !this.erased.records.has(id)).sort();
      const id = ids[Math.floor(this.#random() * ids.length)];
      if (id === undefined) throw new Error("no record is published");
      return id;
    },
  };

  /** The command that takes in lines. */
  intake(name: string, lines: readonly Line[]): string[] {
    const file = this.service.write(`${name}.ndjson`, ndjson(lines));
    const rejects = join(this.service.own("rejects"), `${name}.ndjson`);
    return ["ingest", file, "--rejects", rejects, "--max-rejected", "1"];
  }

  /** What is to be done after midnight, before the night of this evening. Resolves to what is wrong. */
  readonly beforeNight = (work: Work): void => {
    this.#beforeNight.push(work);
  };

  /** The same when the night is over. */
  readonly afterNight = (work: Work): void => {
    this.#afterNight.push(work);
  };

  async day(night: number): Promise<void> {
    this.#set(night, 21);
    await this.#takeIn(`day-${night}`, [this.#dateOf(night)]);
    this.#set(night, 22);
    for (const [name, event] of Object.entries(EVENTS))
      if (this.#isDue(name, night)) await this.#happen(night, name, event);
    this.#set(night + 1, 0);
    const faults: string[] = [];
    for (const work of this.#beforeNight.splice(0)) faults.push(...(await work()));
    await this.#spend(night);
    faults.push(...(await this.#look(night)));
    for (const work of this.#afterNight.splice(0)) faults.push(...(await work()));
    this.#note(night, faults);
  }

  report(): YearReport {
    return {
      nights: this.#plan.nights,
      checked: this.#checked,
      lines: this.#lines,
      ...this.#last,
      erased: this.erased.records.size,
      arrived: this.subscriber.counts,
      serverMb: this.service.serverMb,
      seconds: (performance.now() - this.#start) / 1000,
      nightSeconds: this.#nightSeconds.toSorted((a, b) => a - b),
      events: this.#events,
      faults: this.#faults,
    };
  }

  /** Ten minutes past the hour of a day. */
  #set(night: number, hour: number): void {
    this.service.clock.set(`${this.#dateOf(night)}T${String(hour).padStart(2, "0")}:10:00Z`);
  }

  #dateOf(night: number): string {
    return isoDate(Date.parse(this.#plan.firstDay) + (night - 1) * DAY_MS);
  }

  async #takeIn(name: string, days: readonly string[]): Promise<void> {
    const lines = days.flatMap((day) => this.#seen.get(day) ?? []);
    if (lines.length === 0) return;
    const { code, stderr } = await this.service.run(this.intake(name, lines));
    // A day may bring nothing but what has opted out.
    if (code !== 0 && !stderr.includes("nothing came in"))
      throw new Error(`the lines of ${name}: ${code} ${stderr}`);
    this.#lines += lines.length;
  }

  #isDue(name: string, night: number): boolean {
    const nights: Readonly<Record<string, readonly number[]>> = this.#plan.events;
    return nights[name]?.includes(night) === true;
  }

  async #happen(night: number, name: string, event: Event): Promise<void> {
    const start = performance.now();
    const faults = await event(this);
    const seconds = (performance.now() - start) / 1000;
    this.#events.push([night, name, seconds]);
    this.#say(`  night ${night}: ${name}, ${seconds.toFixed(1)} s`);
    this.#note(
      night,
      faults.map((fault) => `${name}: ${fault}`),
    );
  }

  #note(night: number, faults: readonly string[]): void {
    const texts = faults.map((fault) => `night ${night}: ${fault}`);
    for (const text of texts) this.#say(`FAULT ${text}`);
    this.#faults.push(...texts);
  }

  async #spend(night: number): Promise<void> {
    const { code, stdout, stderr, seconds } = await this.night();
    if (code !== 0) throw new Error(`night ${night} ended with ${code}:\n${stderr}`);
    const facts = Night.parse(JSON.parse(stdout)).steps.find(({ name }) => name === "build")?.facts;
    const { rows, records } = Built.parse(facts);
    this.#last = { rows, records };
    this.#nightSeconds.push(seconds);
    if (night % 10 === 0)
      this.#say(`night ${night}, ${this.#dateOf(night)}: ${rows} rows, ${seconds.toFixed(1)} s`);
  }

  async #look(night: number): Promise<string[]> {
    const now = this.published();
    const before = this.#before;
    this.#before = now;
    const { snapshot_id } = Status.parse(readJson(now.site, "api/v1/status.json"));
    await this.service.serves(snapshot_id);
    const lost = [...(before?.records.keys() ?? [])].filter(
      (id) => !now.records.has(id) && !this.erased.records.has(id) && !this.erased.withdrawn.has(id),
    );
    const faults = [
      ...lost.map((id) => `${id} is gone`),
      ...(await headFaults(this.#checkpoints, now)),
      ...filesWith(now.directory, this.erased.values).map((file) => `${file} has something that was erased`),
      ...this.subscriber.look(now.site),
    ];
    if (this.#plan.isChecked(night) || night === this.#plan.nights) faults.push(...(await this.#check(now)));
    if (night % HEADS === 0 || this.#checkpoints.length === 0) this.#checkpoints.push(now.checkpoint);
    return faults;
  }

  /** What strangers find out. */
  async #check(now: Published): Promise<string[]> {
    const { service } = this;
    this.#checked += 1;
    const since = service.write("since", this.#checkpoints[0] ?? now.checkpoint);
    const faults: string[] = [];
    for (const command of [["verify", "--since", since], ["replay"]]) {
      const { code, stdout, stderr } = await service.run(command);
      if (code !== 0)
        faults.push(`presence ${command[0]} ended with ${code}: ${stdout.slice(-2000)}${stderr}`);
    }
    return [...faults, ...(await this.#mirror.look(now.site, this.erased.values))];
  }
}
