/** The attacks of the table, one function each. All draw their size and style anew in each run. */

import { cellToBoundary } from "h3-js";
import { BUILT_IN } from "../../../src/contract/fields.ts";
import { DAY_MS, HOUR_MS } from "../../../src/kernel/time.ts";
import { type Agent, CAMERAS, type Line, SURVEY } from "./fleet.ts";
import { ATTACK_FROM, type Plot } from "./plot.ts";
import { DAYS, START, type TownAsset } from "./town.ts";
import { dayOf, type Row } from "./world.ts";

const SOURCE_TYPES = ["scout", "fleet_cam", "telematics_api", "seed_survey"] as const;

/** Six lines by one person with one picture, on two days, under three source types, without a source. */
export function sixLines(plot: Plot): void {
  const sign = plot.ownAsset(plot.ownRecord());
  const media = plot.chance.hex(64);
  for (const day of [ATTACK_FROM, ATTACK_FROM + 1]) {
    for (const sourceType of ["scout", "fleet_cam", "telematics_api"] as const) {
      const person: Agent = { id: "one-person", source: BUILT_IN, sourceType, uploadsAtNight: false };
      plot.visit(person, sign, plot.during(day), { media });
    }
  }
}

/** One principal: names without a source, names in a collective source, names enrolled under one principal; pictures reused. */
export function onePrincipal(plot: Plot): void {
  const record = plot.ownRecord();
  const signs = Array.from({ length: plot.chance.whole(1, 4) }, () => plot.ownAsset(record));
  const picture = { media: plot.chance.hex(64), mediaLook: BigInt(`0x${plot.chance.hex(16)}`) };
  const names = plot.chance.whole(3, 30);
  const agents = plot.chance.pick([nameless, enrolledUnderOne])(plot, names);
  plot.visitOnDays(agents, signs, 3, plot.chance.is(0.5) ? picture : {});
}

/** Names of one's own choice, in sources whose observers are one principal. */
function nameless(plot: Plot, names: number): Agent[] {
  const source = plot.chance.pick([BUILT_IN, SURVEY]);
  return Array.from({ length: names }, (_, at) => ({
    id: `name-${at}`,
    source,
    sourceType: plot.chance.pick(SOURCE_TYPES),
    uploadsAtNight: false,
  }));
}

/** Observers of one or two individual sources, enrolled as one person's. */
function enrolledUnderOne(plot: Plot, names: number): Agent[] {
  const terms = { isVouched: plot.chance.is(0.5), principal: "one-person" };
  const scouts = plot.puppets(names, terms);
  if (plot.chance.is(0.5)) return scouts;
  return [...scouts, ...plot.puppets(names, { ...terms, source: CAMERAS, sourceType: "fleet_cam" })];
}

/** k = 3 to 20 puppets of one individual source, on the own record only. */
export function puppets(plot: Plot): void {
  const record = plot.ownRecord();
  const signs = Array.from({ length: plot.chance.whole(1, 3) }, () => plot.ownAsset(record));
  const agents = plot.puppets(plot.chance.whole(3, 20));
  if (plot.chance.is(0.3))
    plot.visitTogether(agents, signs, [ATTACK_FROM + 3, ATTACK_FROM + 9, ATTACK_FROM + 15]);
  else plot.visitOnDays(agents, signs, plot.chance.whole(2, 5));
}

/** An owner's fleet of 3 to 8 cameras, at honest work everywhere, that also sees the owner's own wraps. */
export function ownFleet(
  plot: Plot,
  terms: { readonly isDeclared: boolean; readonly isVouched: boolean },
): void {
  const record = plot.ownRecord();
  const wraps = Array.from({ length: plot.chance.whole(2, 5) }, () => plot.ownAsset(record, "vehicle_wrap"));
  const fleet = plot.puppets(plot.chance.whole(3, 8), {
    source: CAMERAS,
    sourceType: "fleet_cam",
    isVouched: terms.isVouched,
  });
  for (const camera of fleet) {
    honestWork(plot, camera, 40);
    if (terms.isDeclared) plot.affiliations.push({ observer: camera.id, record });
  }
  plot.visitOnDays(fleet, wraps, 3);
}

export function ownFleetDeclared(plot: Plot): void {
  ownFleet(plot, { isDeclared: true, isVouched: true });
}

/** Two owners with two to five names each, known as one principal each: everybody sees the other's record. */
export function twoOwners(plot: Plot): void {
  const owners = ["owner-a", "owner-b"].map((principal) => ({
    agents: plot.puppets(plot.chance.whole(2, 5), { principal, isVouched: plot.chance.is(0.5) }),
    sign: plot.ownAsset(plot.ownRecord()),
  }));
  for (const { agents } of owners)
    plot.visitOnDays(
      agents,
      owners.map(({ sign }) => sign),
      4,
    );
}

/** Five owners who see each other's records and nothing else. */
export function ring(plot: Plot): void {
  const members = plot.puppets(5, { isVouched: plot.chance.is(0.5) });
  const signs = members.map(() => plot.ownAsset(plot.ownRecord()));
  members.forEach((member, at) => {
    const others = signs.filter((_, of) => of !== at);
    plot.visitOnDays([member], others, plot.chance.whole(2, 5));
  });
}

/** Exact copies of old lines: place, time and picture as they were, under new names, a day to weeks later. */
export function exactCopies(plot: Plot): void {
  const agents = plot.puppets(plot.chance.whole(1, 5), { isVouched: plot.chance.is(0.5) });
  const record = plot.chance.pick(plot.world.rows).record;
  const old = plot.world.rows.filter((row) => row.record === record || plot.chance.is(0.01));
  for (const agent of agents) {
    for (const row of old) {
      repeat(plot, agent, row, plot.chance.within(1, 20) * DAY_MS);
    }
  }
}

/** Puppets that report what is published, somewhere in its cell and on its day, until they look established; then the own record. */
export function copyCats(plot: Plot): void {
  playCopyCats(plot, (row) => placeInCell(plot, row));
}

/** The same with the true places: a map tells the address of most shops. */
export function copyCatsWithAddresses(plot: Plot): void {
  playCopyCats(plot, () => ({}));
}

function playCopyCats(plot: Plot, placed: (row: Row) => Partial<Line>): void {
  const published = plot.world.rows.filter(
    (row) => dayOf(row.receivedAt) < LAST_COPIED_DAY && row.assetType !== "vehicle_wrap",
  );
  const agents = plot.puppets(plot.chance.whole(3, 8));
  const copies = plot.chance.whole(10, 40);
  const lag = plot.chance.pick([0, 1, 3]); // days by which the claimed day follows the published one
  for (const agent of agents) {
    for (const row of plot.chance.some(published, copies)) copyRow(plot, agent, row, lag, placed(row));
  }
  plot.visitOnDays(agents, [plot.ownAsset(plot.ownRecord())], 3);
}

const LAST_COPIED_DAY = 50;

function copyRow(plot: Plot, agent: Agent, row: Row, lag: number, place: Partial<Line>): void {
  const asset = plot.assetOf(row);
  const day = dayOf(row.observedAt) + lag;
  const seen = Math.max(row.receivedAt + DAY_MS, START + day * DAY_MS);
  const receivedAt = seen + plot.chance.whole(1, 10) * HOUR_MS;
  if (asset && dayOf(receivedAt) < DAYS) plot.visit(agent, asset, plot.during(day), { ...place, receivedAt });
}

/** Any point of the published cell. */
function placeInCell(plot: Plot, { cell }: Row): Partial<Line> {
  const outline = cellToBoundary(cell);
  const [a, b, c] = plot.chance.some(outline, 3);
  const [p, q] = [plot.chance.next(), plot.chance.next()].toSorted((one, other) => one - other);
  if (!a || !b || !c || p === undefined || q === undefined)
    throw new RangeError("a cell has at least five corners");
  const mixed = (at: 0 | 1) => p * a[at] + (q - p) * b[at] + (1 - q) * c[at];
  return { lat: mixed(0), lng: mixed(1) };
}

/** Weak records made by puppets, which would pull the cohort's median below an own record that is ranked honestly. */
export function weakRecords(plot: Plot, isVouched = false): void {
  const agents = plot.puppets(plot.chance.whole(3, 8), { isVouched });
  for (const agent of agents) copyPublished(plot, agent, 15);
  const weak = plot.chance.whole(5, 20);
  for (let at = 0; at < weak; at += 1)
    plot.visitOnDays(agents.slice(0, 3), [plot.ownAsset(plot.ownRecord())], 2);
}

/** 50 to 300 lines about a rival's record, by names and by puppets, alone or after honest observers, with leaked lines or without. */
export function floodRival(plot: Plot, rival: number): void {
  const agents = plot.puppets(plot.chance.whole(1, 10));
  const sources = rivalSources(plot, rival);
  const anyDay = () => plot.during(plot.chance.whole(ATTACK_FROM, DAYS - 1));
  flood(plot, [
    () => plot.visit(plot.chance.pick(agents), plot.chance.pick(sources.signs), anyDay()),
    () => plot.visit(NAMELESS, plot.chance.pick(sources.signs), anyDay()),
    () => shadow(plot, plot.chance.pick(agents), plot.chance.pick(sources.rows)),
    () =>
      repeat(
        plot,
        plot.chance.pick(agents),
        plot.chance.pick(sources.rows),
        plot.chance.within(1, 20) * DAY_MS,
      ),
  ]);
}

/** Somebody at a source or on the way to intake sends the rival's lines under other names, on the day of the real ones. */
export function floodByInsider(plot: Plot, rival: number): void {
  const agents = plot.puppets(plot.chance.whole(1, 10));
  const { rows } = rivalSources(plot, rival);
  flood(plot, [() => repeat(plot, plot.chance.pick(agents), plot.chance.pick(rows), 0)]);
}

const NAMELESS: Agent = { id: "nobody", source: BUILT_IN, sourceType: "scout", uploadsAtNight: false };

function rivalSources(plot: Plot, rival: number): { signs: readonly TownAsset[]; rows: readonly Row[] } {
  return {
    signs: plot.world.town.assets.filter(({ record }) => record === rival),
    rows: plot.world.rows.filter(({ record }) => record === rival),
  };
}

/** In one of the ways, or in all. */
function flood(plot: Plot, ways: readonly (() => void)[]): void {
  const style = plot.chance.is(0.5) ? [plot.chance.pick(ways)] : ways;
  const count = plot.chance.whole(50, 300);
  for (let at = 0; at < count; at += 1) plot.chance.pick(style)();
}

/** Minutes after an honest observer, at the same sign: as if the two were one. */
function shadow(plot: Plot, agent: Agent, row: Row): void {
  const asset = plot.assetOf(row);
  if (asset) plot.visit(agent, asset, row.observedAt + Math.floor(plot.chance.within(0.01, 0.3) * HOUR_MS));
}

/** A line with the place, time and picture of another. */
function repeat(plot: Plot, agent: Agent, row: Row, after: number): void {
  const receivedAt = row.receivedAt + Math.floor(after);
  if (dayOf(receivedAt) < DAYS) plot.lines.push({ ...lineOf(row), ...named(agent, row), receivedAt });
}

/** Real visits of real signs, old and new, as a real employee makes them. */
export function honestWork(plot: Plot, agent: Agent, visits: number): void {
  const fixed = plot.world.town.assets.filter(({ stops }) => stops.length === 0);
  for (let at = 0; at < visits; at += 1) {
    plot.visit(agent, plot.chance.pick(fixed), plot.during(plot.chance.whole(0, DAYS - 1)));
  }
}

/** Published signs at their true places, some days after they were published. */
export function copyPublished(plot: Plot, agent: Agent, copies: number): void {
  const published = plot.world.rows.filter(
    ({ receivedAt, assetType }) => dayOf(receivedAt) < ATTACK_FROM && assetType !== "vehicle_wrap",
  );
  for (const row of plot.chance.some(published, copies)) {
    const asset = plot.assetOf(row);
    const first = Math.max(dayOf(row.receivedAt) + 2, ATTACK_FROM - 10);
    if (asset) plot.visit(agent, asset, plot.during(plot.chance.whole(first, ATTACK_FROM + 10)));
  }
}

function named(agent: Agent, row: Row): Pick<Line, "observer" | "source" | "sourceType"> {
  return { observer: agent.id, source: agent.source, sourceType: row.sourceType };
}

function lineOf({ row: _row, review: _review, cell: _cell, publishedCell: _published, ...line }: Row): Line {
  return line;
}
