/** The lines of the table about identity: who can make sightings of others rows of another record, or change what is published of it. */

import { makeTown } from "../../../../build-scripts/match/made-town.ts";
import { classifier, loadClassifierReference } from "../../../../src/intake/matching/classify.ts";
import type { AdversaryLine } from "../table.ts";
import { THEFTS, type Theft } from "./thefts.ts";
import { playThefts, type Thief, type Toll } from "./thieves.ts";

export interface TheftOptions {
  readonly sightings: number;
  readonly seed: number;
  readonly attack?: string;
  readonly progress: (message: string) => void;
}

const SIGHTINGS_A_BUSINESS = 14; // about, in an invented town
const MAX_DIVERTED_SHARE = 0.0001;
const ALL: Theft = {
  name: "all",
  title: "all of these together",
  signs: (...args) => THEFTS.flatMap(({ signs }) => signs(...args)),
};

const THIEVES: Readonly<
  Record<Thief, { readonly title: string; readonly bound: string; readonly thefts: readonly Theft[] }>
> = {
  newcomers: {
    title: "newcomers",
    bound: "0 sightings diverted, 0 records changed, 0 items",
    thefts: [...THEFTS, ALL],
  },
  "newcomers-and-built-in": {
    title: "newcomers and lines without a source",
    bound: "0 sightings diverted, 0 records changed, 0 items",
    thefts: [...THEFTS, ALL],
  },
  established: {
    title: "an established observer",
    bound: "at most 0.01 % of sightings diverted, each on the review list",
    thefts: [ALL],
  },
  "established-and-built-in": {
    title: "an established observer, and lines without a source",
    bound: "at most 0.01 % of sightings diverted, each on the review list",
    thefts: [ALL],
  },
  "set-aside": {
    title: "an established observer who is set aside later",
    bound: "0 sightings diverted after the judgement",
    thefts: [ALL],
  },
};

const nameOf = (thief: string, theft: Theft) => `${thief}-${theft.name}`;

export const THEFT_NAMES: readonly string[] = Object.entries(THIEVES).flatMap(([thief, { thefts }]) =>
  thefts.map((theft) => nameOf(thief, theft)),
);

/** Each line in a town of about so many honest sightings. */
export async function theftLines({
  sightings,
  seed,
  attack,
  progress,
}: TheftOptions): Promise<AdversaryLine[]> {
  const town = makeTown(seed, Math.ceil(sightings / SIGHTINGS_A_BUSINESS));
  const industries = classifier(loadClassifierReference());
  const lines: AdversaryLine[] = [];
  for (const thief of Object.keys(THIEVES).filter(isThief)) {
    const { title, bound, thefts } = THIEVES[thief];
    const asked = thefts.filter((theft) => attack === undefined || attack === nameOf(thief, theft));
    if (asked.length === 0) continue;
    progress(`${thief}: ${asked.length} thefts of ${town.lines.length} sightings each`);
    const tolls = await playThefts(town, asked, thief, { classifier: industries, seed });
    for (const [at, theft] of asked.entries()) {
      const toll = tolls[at];
      if (toll === undefined) continue;
      const name = nameOf(thief, theft);
      const measured = tollText(toll);
      lines.push({
        name,
        attack: `${title}: ${theft.title}`,
        bound,
        runs: toll.sightings,
        measured,
        holds: holds(thief, toll),
      });
    }
  }
  return lines;
}

function isThief(name: string): name is Thief {
  return Object.hasOwn(THIEVES, name);
}

function tollText({ diverted, unlisted, changed, changedStanding, items }: Toll): string {
  const sightings = `${diverted.length} diverted, ${unlisted.length} of them not on the list`;
  return `${sightings}; ${changed.length} records changed, ${changedStanding.length} by newcomers' standing; ${items} items`;
}

/** Whether what was promised of a thief held. */
function holds(thief: Thief, { sightings, diverted, unlisted, changed, items }: Toll): boolean {
  if (thief.startsWith("newcomers")) return diverted.length === 0 && changed.length === 0 && items <= 0;
  if (thief === "set-aside") return diverted.length === 0;
  return unlisted.length === 0 && diverted.length <= MAX_DIVERTED_SHARE * sightings;
}
