/** The whole table: every attack, the honest observers, the real cities. */

import { type Bound, isPromise } from "./bounds.ts";
import { ATTACKS } from "./catalog.ts";
import { makeDemoWorld } from "./demo-world.ts";
import { HONEST_LINES } from "./honest.ts";
import { THEFT_NAMES } from "./identity/theft-lines.ts";
import { makeStage, playAttack } from "./play.ts";
import { judgeRealCity, REAL_CITIES, type Vetting } from "./real-visits.ts";
import type { AdversaryLine } from "./table.ts";
import { makeWorld } from "./world.ts";

export interface AdversaryOptions {
  readonly runs: number; // of each attack
  readonly towns: number;
  readonly seed: number;
  readonly attack?: string; // plays this one only
  /** The folder with files of real visits; none are judged without it. */
  readonly realVisits?: string;
  readonly progress: (message: string) => void;
}

export const NAMES: readonly string[] = [
  ...ATTACKS.map(({ name }) => name),
  ...HONEST_LINES.map(({ name }) => name),
  ...THEFT_NAMES,
  "real-cities",
];

/** Runs of attacks that nothing is promised about: those that work are played again night by night, which takes long. */
const MAX_STATED_RUNS = 100;

export function playAll(options: AdversaryOptions): AdversaryLine[] {
  const { seed, attack, progress } = options;
  const isAsked = ({ name }: { name: string }) => attack === undefined || attack === name;
  progress(`making ${options.towns} towns and the demonstration's`);
  const towns = Array.from({ length: options.towns }, (_, at) => makeStage(makeWorld(1000 * seed + at)));
  const stages = [...towns, makeStage(makeDemoWorld(seed))];
  const attacks = ATTACKS.filter(isAsked).flatMap((each) => {
    const runs = each.proofs.some(isPromise) ? options.runs : Math.min(options.runs, MAX_STATED_RUNS);
    progress(`${each.name}: ${runs} runs`);
    const measured = playAttack(each, stages, runs, seed);
    return each.proofs.map(({ bound }, at) => lineOf(each, bound, measured[at] ?? []));
  });
  const honest = HONEST_LINES.filter(isAsked).map((each) =>
    lineOf(each, each.bound, towns.map(each.measure)),
  );
  return [...attacks, ...honest, ...(isAsked({ name: "real-cities" }) ? realLines(options) : [])];
}

function lineOf(
  { name, title }: { readonly name: string; readonly title: string },
  bound: Bound,
  values: readonly number[],
): AdversaryLine {
  return {
    name,
    attack: title,
    bound: bound.text,
    runs: values.length,
    measured: bound.tell(values),
    holds: bound.holds(values),
  };
}

const VETTINGS: readonly Vetting[] = ["collective", "individual"];

function realLines({ realVisits, progress }: AdversaryOptions): AdversaryLine[] {
  if (realVisits === undefined) return [];
  return REAL_CITIES.flatMap((city) =>
    VETTINGS.flatMap((vetting): AdversaryLine[] => {
      const result = judgeRealCity(realVisits, city, vetting);
      if (result === undefined) {
        progress(`${city.name}: skipped, ${city.file} is not in ${realVisits}`);
        return [];
      }
      return [
        {
          name: "real-cities",
          attack: `${city.name}, bare dates, ${vetting === "collective" ? "one collective source" : "each observer vouched for"}`,
          bound: "no row set aside",
          runs: 1,
          measured: `${result.setAside} of ${result.rows} rows`,
          holds: result.setAside === 0,
        },
      ];
    }),
  );
}
