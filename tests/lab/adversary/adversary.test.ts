/** The short form of `npm run adversary`: every bound of the table, in few runs. */

import { beforeAll, expect, test } from "vitest";
import { isPromise, stated, UNRAISED } from "./bounds.ts";
import { ATTACKS, type Attack, type Proof } from "./catalog.ts";
import { makeDemoWorld } from "./demo-world.ts";
import { HONEST_LINES } from "./honest.ts";
import { makeStage, playAttack, type Stage } from "./play.ts";
import { makeWorld } from "./world.ts";

const RUNS = 20;
const SEED = 7;
let stages: Stage[];

beforeAll(() => {
  stages = [makeStage(makeWorld(2)), makeStage(makeDemoWorld(1))];
});

const promised = ATTACKS.filter(({ proofs }) => proofs.some(isPromise));

test.each(promised)("$name", (attack) => {
  const proofs = attack.proofs.filter(isPromise);
  const measured = playAttack({ ...attack, proofs }, stages, RUNS, SEED);
  for (const [at, { bound }] of proofs.entries()) {
    const values = measured[at] ?? [];
    expect(values).toHaveLength(RUNS);
    expect(bound.holds(values), `${bound.text}: ${bound.tell(values)}`).toBe(true);
  }
});

test.each(HONEST_LINES.filter(isPromise))("$title: $bound.text", (line) => {
  const measured = stages.slice(0, 1).map(line.measure);
  expect(line.bound.holds(measured), line.bound.tell(measured)).toBe(true);
});

function attackNamed(wanted: string): Attack {
  const attack = ATTACKS.find(({ name }) => name === wanted);
  if (!attack) throw new Error(`no attack is named ${wanted}`);
  return attack;
}

test("the same seed plays the same runs, another one others", () => {
  const proof: Proof = { bound: stated("rows"), measure: (run) => run.case.rows.length };
  const counted = { ...attackNamed("weak-records"), proofs: [proof] };
  const rowsOf = (seed: number) => playAttack(counted, stages, 3, seed);
  expect(rowsOf(1)).toEqual(rowsOf(1));
  expect(rowsOf(1)).not.toEqual(rowsOf(2));
});

/** Were nothing ever eligible, every bound would hold. */
test("an attack that nothing stops is measured as one that works", () => {
  const [measured] = playAttack(attackNamed("bought-vouching"), stages, 2, SEED);
  expect(measured).toContain(UNRAISED);
});

test("weak records that nothing stops are measured as a lift, and front-run lines as harm", () => {
  const [lift] = playAttack(attackNamed("weak-records-vouched"), stages, 3, SEED);
  expect(Math.max(...(lift ?? []))).toBeGreaterThan(1);
  const [harm] = playAttack(attackNamed("flood-by-insider"), stages, 2, SEED);
  expect(harm).toContain(1);
});

test("honest observers earn standing, so that the checks have something to protect", () => {
  const line = HONEST_LINES.find(({ name }) => name === "honest-established");
  for (const stage of stages.slice(0, 1)) expect(line?.measure(stage)).toBeGreaterThan(0.5);
});
