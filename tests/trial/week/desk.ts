import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "csv-stringify/sync";
import { z } from "zod";
import type { EntityResponse } from "../../../src/contract/records/entity.ts";
import type { SeededRandom } from "../../../src/kernel/seeded.ts";
import type { ItemKind } from "../../../src/review/items.ts";
import type { Reason } from "../../../src/review/moves.ts";
import { QueueItem, type QueueSubject } from "../../../src/review/queue/model.ts";
import type { Action } from "../../../src/review/request.ts";
import type { Machine } from "./machine.ts";
import { Told } from "./told.ts";

export const ROLE = "review-desk";

const KnownRecord = z.looseObject({
  row: z.int(),
  public_id: z.string(),
  name: z.string(),
  industry: z.string().nullable(),
});

const Waiting = z.looseObject({
  item: z.string(),
  city: z.string().nullable(),
  version: z.int().nullable(),
  known: z.looseObject({}),
});
export type Waiting = z.infer<typeof Waiting>;

const WithRecord = Waiting.extend({
  city: z.string(),
  version: z.int(),
  known: KnownRecord.extend({ candidates: z.array(KnownRecord).default([]) }),
});
/** An item about a record: a match or an industry. */
export type WaitingRecord = z.infer<typeof WithRecord>;

/** A record that the week may decide about: each is drawn once, so that decisions do not get in each other's way. */
export interface Drawn {
  readonly row: number;
  readonly publicId: string;
  readonly name: string;
  readonly city: string;
}

function waitingOf({ id, city, version, subject, candidates }: QueueItem): Waiting {
  const known = subject === null ? {} : { ...knownOf(subject), candidates: candidates.map(knownOf) };
  return { item: id, city, version, known };
}

function knownOf({ row, public_id, name, industry }: QueueSubject): z.infer<typeof Waiting>["known"] {
  return { row, public_id, name, industry: industry?.code ?? null };
}

/** One line of a list of decisions. */
export interface Listed {
  readonly action: Action;
  readonly subject: string;
  readonly value?: string;
  readonly reason: Reason;
  readonly expect?: number;
}

const Previewed = z.object({ confirm: z.string() });
const Decided = z.object({ done: z.literal("decided"), row: z.int().nullable() });
const Outcomes = z.array(z.object({ done: z.enum(["decided", "already"]) }));
const MAX_ITEMS = 100_000;

/** The review desk as a person sits at it: looks at what waits, and decides by commands. */
export class WeekDesk {
  readonly machine: Machine;
  readonly told = new Told();
  decisions = 0;
  readonly #random: SeededRandom;
  readonly #taken = new Set<string>();
  #pool: Drawn[] = [];

  constructor(machine: Machine, random: SeededRandom) {
    this.machine = machine;
    this.#random = random;
  }

  async waiting(kind: ItemKind): Promise<Waiting[]> {
    const list = ["review", "list", "--kind", kind, "--items", "--limit", String(MAX_ITEMS), "--json"];
    const [, ...items] = jsonLines(await this.machine.ok(list)); // counts come first
    return items.map((line) => waitingOf(QueueItem.parse(line)));
  }

  /** Items about records that nothing was decided about yet, in a seeded order. */
  async waitingRecords(kind: "match" | "industry"): Promise<WaitingRecord[]> {
    const items = (await this.waiting(kind)).map((item) => WithRecord.parse(item));
    const free = items.filter(({ known }) => this.isFree(known.public_id));
    if (kind === "industry")
      this.#pool = this.#shuffled(free).map(({ city, known: { row, public_id, name } }) => ({
        ...{ row, publicId: public_id, name, city },
      }));
    return this.#shuffled(free);
  }

  /** So many records of one city that fit. Throws when there are not so many. */
  draw(count: number, fits: (record: Drawn) => boolean = () => true): Drawn[] {
    const free = this.#pool.filter((record) => this.isFree(record.publicId) && fits(record));
    for (const city of new Set(free.map((record) => record.city))) {
      const drawn = free.filter((record) => record.city === city).slice(0, count);
      if (drawn.length < count) continue;
      for (const { publicId } of drawn) this.take(publicId);
      return drawn;
    }
    throw new Error(`no city has ${count} records left to decide about`);
  }

  drawOne(fits?: (record: Drawn) => boolean): Drawn {
    const [drawn] = this.draw(1, fits);
    if (drawn === undefined) throw new Error("nothing was drawn");
    return drawn;
  }

  isFree(publicId: string): boolean {
    return !this.#taken.has(publicId);
  }

  /** Nothing else shall be decided about it. */
  take(publicId: string): void {
    this.#taken.add(publicId);
  }

  /** A decision that must be taken. Returns its row; null where it is none, as with a held line. */
  async decide(command: readonly string[], reason: Reason): Promise<number | null> {
    const { row } = await this.machine.json([...command, "--as", ROLE, "--reason", reason], Decided);
    this.decisions += 1;
    return row;
  }

  /** A correction: previewed, then made with the code of the preview. */
  async correct(command: readonly string[], reason: Reason): Promise<void> {
    const { confirm } = await this.machine.json([...command, "--as", ROLE, "--reason", reason], Previewed);
    await this.decide([...command, "--confirm", confirm], reason);
  }

  /** All of the list in one go. Returns the file, which can be applied again. */
  async apply(name: string, list: readonly Listed[]): Promise<string> {
    const file = join(this.machine.folder, name);
    const columns = ["action", "subject", "value", "reason", "as", "expect"];
    writeFileSync(file, stringify([...list], { header: true, columns }));
    const outcomes = await this.#applied(file);
    if (outcomes.length !== list.length || outcomes.some(({ done }) => done !== "decided"))
      throw new Error(`${name}: not every decision was taken: ${JSON.stringify(outcomes)}`);
    this.decisions += list.length;
    return file;
  }

  /** A list that was applied before: nothing may come of it. */
  async applyAgain(file: string): Promise<void> {
    const outcomes = await this.#applied(file);
    if (outcomes.some(({ done }) => done !== "already"))
      throw new Error(`${file}: a second time it changed something`);
  }

  async #applied(file: string): Promise<z.infer<typeof Outcomes>> {
    return Outcomes.parse(
      jsonLines(await this.machine.ok(["review", "apply", file, "--as", ROLE, "--json"])),
    );
  }

  /** The first goes into the second. */
  async join(from: string, into: string): Promise<void> {
    await this.correct(["review", "join", from, into], "same_business");
    this.told.merged(from, into);
  }

  /** A move of a record, and what its document says from then on. */
  async move(
    command: readonly [string, string, string],
    reason: Reason,
    [what, read, value]: readonly [string, (document: EntityResponse) => unknown, unknown],
  ): Promise<void> {
    await this.decide(command, reason);
    this.told.expect(command[2], what, read, value);
  }

  #shuffled<T>(list: readonly T[]): T[] {
    return list
      .map((value) => ({ value, order: this.#random() }))
      .sort((a, b) => a.order - b.order)
      .map(({ value }) => value);
  }
}

function jsonLines(text: string): unknown[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));
}
