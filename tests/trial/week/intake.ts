import { z } from "zod";
import type { Machine } from "./machine.ts";
import type { Batch, World } from "./world.ts";

const Summary = z.object({
  read: z.int(),
  accepted: z.int(),
  already_known: z.int(),
  rejected: z.int(),
  rejected_by_reason: z.record(z.string(), z.int()),
});

export interface Taken {
  readonly read: number;
  readonly accepted: number;
  readonly known: number;
  readonly rejected: number;
}

export const NOTHING: Taken = { read: 0, accepted: 0, known: 0, rejected: 0 };

export function together(one: Taken, other: Taken): Taken {
  return {
    read: one.read + other.read,
    accepted: one.accepted + other.accepted,
    known: one.known + other.known,
    rejected: one.rejected + other.rejected,
  };
}

/** A ledger with its cities, and all that was observed before the week, on two dates: the second seals what the first brought. */
export async function found(
  machine: Machine,
  world: World,
  [date, next]: readonly [string, string],
): Promise<Taken> {
  machine.setClock(`${date}T06:00:00Z`);
  await machine.ok(["init", "--origin", "week.example/presence"]);
  const catalog = world.gazetteer === undefined ? [] : ["--gazetteer", world.gazetteer];
  for (const options of world.cities) {
    const { city } = await machine.json(
      ["city", "add", ...catalog, ...options],
      z.object({ city: z.string() }),
    );
    await machine.ok(["city", "review", city]); // it is published from the beginning
  }
  world.register?.(machine.home, `${date}T06:00:00Z`);
  const before = await bringIn(machine, world.before);
  machine.setClock(`${next}T00:10:00Z`);
  await machine.ok(["seal"]);
  return before;
}

/** Has files accepted. Throws when the counts of one do not add up. */
export async function bringIn(machine: Machine, batches: readonly Batch[]): Promise<Taken> {
  let sum = NOTHING;
  for (const { file, map } of batches) {
    const options = map === undefined ? [] : ["--map", map];
    const summary = await machine.json(["ingest", file, ...options], Summary);
    const { read, accepted, already_known, rejected, rejected_by_reason } = summary;
    const reasons = Object.values(rejected_by_reason).reduce((total, count) => total + count, 0);
    if (accepted + already_known + rejected !== read || reasons !== rejected)
      throw new Error(`${file}: the lines do not add up: ${JSON.stringify(summary)}`);
    sum = together(sum, { read, accepted, known: already_known, rejected });
  }
  return sum;
}
