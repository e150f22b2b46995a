/** Every attack of the table: what it plays, what it is measured by, and what must hold. */

import {
  copyCats,
  copyCatsWithAddresses,
  exactCopies,
  floodByInsider,
  floodRival,
  onePrincipal,
  ownFleetDeclared,
  puppets,
  ring,
  sixLines,
  twoOwners,
  weakRecords,
} from "./attacks.ts";
import {
  atLeast,
  atMost,
  type Bound,
  never,
  pointsAtMost,
  stated,
  statedEligibility,
  statedPoints,
} from "./bounds.ts";
import {
  type Measure,
  measureCounted,
  measureEligibility,
  measureEligible,
  measureHarm,
  measureLift,
  measureRaised,
  measureUnraised,
  measureWholeLift,
} from "./measures.ts";
import type { Plot } from "./plot.ts";
import { WEAKNESSES } from "./weaknesses.ts";

/** One line of the table about an attack. */
export interface Proof {
  readonly bound: Bound;
  readonly measure: Measure;
}

export interface Attack {
  readonly name: string;
  readonly title: string;
  /** `target`: a record of the town that is ranked without the attack. */
  readonly play: (plot: Plot, target: number) => void;
  readonly proofs: readonly Proof[];
}

const NEVER_ELIGIBLE: Proof = { bound: never("eligible"), measure: measureEligible };
const RARELY_UNRAISED: Proof = {
  bound: atMost(0.01, "eligible without an earlier review item"),
  measure: measureUnraised,
};
const ELIGIBILITY: Proof = { bound: statedEligibility(), measure: measureEligibility };
const HARM = { measure: measureHarm };

const PROMISED: readonly Attack[] = [
  {
    name: "six-lines",
    title: "six lines by one person: one picture, two days, three source types, no source",
    play: sixLines,
    proofs: [NEVER_ELIGIBLE],
  },
  {
    name: "one-principal",
    title: "one principal: 3 to 30 names, all sources and source types, reused media",
    play: onePrincipal,
    proofs: [NEVER_ELIGIBLE],
  },
  {
    name: "puppets",
    title: "3 to 20 puppets of one individual source, own record only",
    play: puppets,
    proofs: [RARELY_UNRAISED],
  },
  {
    name: "own-fleet",
    title: "owner's fleet, vouched for, on its own wraps",
    play: ownFleetDeclared,
    proofs: [NEVER_ELIGIBLE],
  },
  {
    name: "two-owners",
    title: "two owners with 2 to 5 names each, who see each other's records",
    play: twoOwners,
    proofs: [NEVER_ELIGIBLE],
  },
  {
    name: "ring",
    title: "ring of 5 owners, new or vouched for, who see each other's records only",
    play: ring,
    proofs: [{ bound: atLeast(0.95, "raised"), measure: measureRaised }],
  },
  {
    name: "exact-copies",
    title: "exact copies of old sightings with new ids",
    play: exactCopies,
    proofs: [{ bound: never("a copy counted"), measure: measureCounted }],
  },
  {
    name: "copycats",
    title: "3 to 8 puppets that copy public cells and days to look established",
    play: copyCats,
    proofs: [{ bound: atLeast(0.9, "raised"), measure: measureRaised }, RARELY_UNRAISED],
  },
  {
    name: "weak-records",
    title: "5 to 20 weak puppet records that pull the cohort's median down",
    play: (plot) => weakRecords(plot),
    proofs: [
      { bound: pointsAtMost(1, "own score lifted"), measure: measureLift },
      {
        bound: statedPoints("own score lifted, with real records that the puppets complete"),
        measure: measureWholeLift,
      },
    ],
  },
  {
    name: "flood",
    title: "50 to 300 lines about a rival's record",
    play: floodRival,
    proofs: [{ bound: never("unranked or lowered"), ...HARM }],
  },
];

/** What the methodology tells under "What this does not defend against", with figures. */
const STATED: readonly Attack[] = [
  {
    name: "weak-records-vouched",
    title: "5 to 20 weak records of puppets whose vouching was bought",
    play: (plot) => weakRecords(plot, true),
    proofs: [{ bound: statedPoints("own score lifted"), measure: measureLift }],
  },
  {
    name: "ring-eligible",
    title: "the ring of 5 owners, new or vouched for",
    play: ring,
    proofs: [ELIGIBILITY],
  },
  {
    name: "copycats-with-addresses",
    title: "the same puppets, with places from a map of addresses",
    play: copyCatsWithAddresses,
    proofs: [{ bound: stated("raised"), measure: measureRaised }, ELIGIBILITY],
  },
  {
    name: "flood-by-insider",
    title: "a flood by somebody who has a rival's private lines on their day",
    play: floodByInsider,
    proofs: [{ bound: stated("unranked or lowered"), ...HARM }],
  },
  ...WEAKNESSES.map(({ name, title, play }) => ({ name, title, play, proofs: [ELIGIBILITY] })),
];

export const ATTACKS: readonly Attack[] = [...PROMISED, ...STATED];
