/** Attacks that nothing is promised about: what still works, and what it costs. */

import { DAY_MS } from "../../../src/kernel/time.ts";
import { copyPublished, honestWork, ownFleet } from "./attacks.ts";
import { type Agent, MISREAD_IDS_FROM } from "./fleet.ts";
import { ATTACK_FROM, type Plot } from "./plot.ts";
import { DAYS, type TownAsset } from "./town.ts";
import { dayOf } from "./world.ts";

/** Puppets whose vouching was bought from the operator or its staff. */
function boughtVouching(plot: Plot): void {
  const sign = plot.ownAsset(plot.ownRecord());
  plot.visitOnDays(plot.puppets(3, { isVouched: true }), [sign], 2);
}

/** `count` observers whom the operator vouched for agree to report a sign that is not there, on days without other work. */
function collusion(plot: Plot, count: number): void {
  const sign = plot.ownAsset(plot.ownRecord());
  const founders = plot.world.observers.filter(({ isFounder }) => isFounder);
  for (const founder of plot.chance.some(founders, count)) {
    const busy = new Set(
      plot.world.rows.flatMap((row) => (row.observer === founder.id ? [dayOf(row.observedAt)] : [])),
    );
    const free = Array.from({ length: DAYS - ATTACK_FROM - 1 }, (_, at) => ATTACK_FROM + at).filter(
      (day) => !busy.has(day),
    );
    for (const day of plot.chance.some(free, 3)) plot.visit(founder, sign, plot.during(day));
  }
}

/** Three puppets that each find `finds` real signs which are not published yet, as people who walk the streets would. */
function discoverers(plot: Plot, finds: number): void {
  const agents = plot.puppets(3);
  for (const agent of agents) discover(plot, agent, finds);
  const sign = plot.ownAsset(plot.ownRecord());
  plot.visitOnDays(agents, [sign], 3, {}, LAST_DAYS);
}

const LAST_DAYS = 10; // after the discoveries have been confirmed by others

function discover(plot: Plot, agent: Agent, finds: number): void {
  const published = new Map<number, number>();
  for (const { asset, receivedAt } of plot.world.rows) {
    if (asset < MISREAD_IDS_FROM && !published.has(asset)) published.set(asset, receivedAt);
  }
  const isNew = (asset: TownAsset, at: number) => (published.get(asset.id) ?? Number.POSITIVE_INFINITY) > at;
  const fixed = plot.world.town.assets.filter(({ stops }) => stops.length === 0);
  const chances = plot.chance.shuffled(fixed).flatMap((asset) => {
    const at = plot.during(plot.chance.whole(asset.from, Math.max(asset.from, DAYS - LAST_DAYS - 1)));
    return isNew(asset, at + DAY_MS) ? [{ asset, at }] : [];
  });
  for (const { asset, at } of chances.slice(0, finds)) plot.visit(agent, asset, at);
}

/** Puppets that see real, published signs on the spot, without copying days, and then their own. */
function diligentPuppets(plot: Plot): void {
  const agents = plot.puppets(3);
  for (const agent of agents) honestWork(plot, agent, 60);
  plot.visitOnDays(agents, [plot.ownAsset(plot.ownRecord())], 3);
}

/** A ring of five whose members see published signs, too. */
function coveredRing(plot: Plot): void {
  const members = plot.puppets(5);
  const signs = members.map(() => plot.ownAsset(plot.ownRecord()));
  members.forEach((member, at) => {
    copyPublished(plot, member, 20);
    plot.visitOnDays(
      [member],
      signs.filter((_, of) => of !== at),
      3,
    );
  });
}

/** The fleet of an owner whom nobody declared. */
function ownFleetUndeclared(plot: Plot): void {
  ownFleet(plot, { isDeclared: false, isVouched: true });
}

/** As above, but nobody vouches for the fleet: it has to earn its standing by its work. */
function ownFleetUnvouched(plot: Plot): void {
  ownFleet(plot, { isDeclared: false, isVouched: false });
}

export interface Weakness {
  readonly name: string;
  readonly title: string;
  readonly play: (plot: Plot) => void;
}

export const WEAKNESSES: readonly Weakness[] = [
  { name: "bought-vouching", title: "3 puppets whose vouching was bought, 6 lines", play: boughtVouching },
  {
    name: "collusion-3",
    title: "3 observers with the operator's word report a sign that is not there, 9 lines",
    play: (plot) => collusion(plot, 3),
  },
  {
    name: "collusion-2",
    title: "2 such observers, 6 lines",
    play: (plot) => collusion(plot, 2),
  },
  ...[5, 10, 20, 40].map((finds) => ({
    name: `discoverers-${finds}`,
    title: `3 puppets that each report ${finds} real, unpublished signs first`,
    play: (plot: Plot) => discoverers(plot, finds),
  })),
  {
    name: "diligent-puppets",
    title: "3 puppets that each report 60 real signs, new and old, at their true places",
    play: diligentPuppets,
  },
  {
    name: "covered-ring",
    title: "ring of 5 new owners who also report 20 published signs each",
    play: coveredRing,
  },
  {
    name: "own-fleet-undeclared",
    title: "owner's fleet, vouched for, on its own wraps, ownership not declared",
    play: ownFleetUndeclared,
  },
  {
    name: "own-fleet-unvouched",
    title: "the same fleet without the operator's word, 40 honest sightings each",
    play: ownFleetUnvouched,
  },
];
