/** Plays attacks, run by run, in a handful of towns. Every run has a chance of its own, from the seed, the attack and its number. */

import { sha256 } from "../../../src/kernel/hash.ts";
import type { Attack } from "./catalog.ts";
import { Chance } from "./chance.ts";
import { type Case, Court } from "./court.ts";
import type { Run } from "./measures.ts";
import { Plot } from "./plot.ts";
import { attackRows, type World } from "./world.ts";

/** A world with its judgement before any attack, which all runs in it share. */
export interface Stage {
  readonly world: World;
  readonly before: Court;
  readonly ranked: readonly number[]; // records
}

/** Share of an attacker's rows that a reviewer who draws one believes. */
const BELIEVED = 0.5;

export function makeStage(world: World): Stage {
  const before = new Court({ world, rows: [], enrolled: [], affiliations: [] });
  const { standings } = before.standings();
  const ranked = [...standings].filter(([, { pps }]) => pps !== null).map(([record]) => record);
  if (ranked.length === 0)
    throw new Error(`no record of town ${world.seed} is ranked: an attack on nothing would meet every goal`);
  return { world, before, ranked };
}

/** The measured numbers of all runs, by proof of the attack. */
export function playAttack(attack: Attack, stages: readonly Stage[], runs: number, seed: number): number[][] {
  const measured = attack.proofs.map((): number[] => []);
  for (let number = 0; number < runs; number += 1) {
    const chance = new Chance(sha256(`${attack.name} ${seed} ${number}`).readUInt32BE());
    const run = playRun(attack, chance.pick(stages), chance);
    for (const [at, { measure }] of attack.proofs.entries()) measured[at]?.push(measure(run));
  }
  return measured;
}

export function playRun(attack: Pick<Attack, "play">, { world, before, ranked }: Stage, chance: Chance): Run {
  const target = chance.pick(ranked);
  const plot = new Plot(chance, world);
  attack.play(plot, target);
  const { enrolled, affiliations } = plot;
  const played: Case = {
    world,
    rows: attackRows(chance, world, plot.lines, BELIEVED),
    enrolled,
    affiliations,
  };
  return { plot, case: played, court: new Court(played), before, target };
}
