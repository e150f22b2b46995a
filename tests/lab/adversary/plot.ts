/** What an attacker can do: enrol observers, own records with signs, send lines. Each attack is a story told with these words. */

import type { AssetType, SourceType } from "../../../src/contract/enums.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../../src/kernel/time.ts";
import type { Chance } from "./chance.ts";
import { type Agent, Camera, type Line, SCOUTS } from "./fleet.ts";
import { DAYS, type Point, placeOf, placeOnStreet, START, type TownAsset } from "./town.ts";
import type { Row, World } from "./world.ts";

/** An observer of the attack. `principal` is who controls it as far as the operator knows: undefined for itself. */
export interface Enrolled {
  readonly id: string;
  readonly source: string;
  readonly isVouched: boolean;
  readonly principal: string | undefined;
}

export interface Affiliation {
  readonly observer: string;
  readonly record: number;
}

const OWN_IDS_FROM = 20_000;
const OPENING_HOUR = 8;
const CLOSING_HOUR = 19;
/** Attacks begin when the town has rankings. */
export const ATTACK_FROM = 30;

export class Plot {
  readonly chance: Chance;
  readonly world: World;
  readonly camera: Camera;
  readonly lines: Line[] = [];
  readonly enrolled: Enrolled[] = [];
  readonly affiliations: Affiliation[] = [];
  /** Records for which the attack wants to be eligible. */
  readonly ownRecords: number[] = [];
  #ids = OWN_IDS_FROM;
  #assets: ReadonlyMap<number, TownAsset> | undefined;

  constructor(chance: Chance, world: World) {
    this.chance = chance;
    this.world = world;
    this.camera = new Camera(chance, 0);
  }

  /** Observers of an individual source, each one nobody's but its own as far as the operator knows. */
  puppets(
    count: number,
    options: { source?: string; sourceType?: SourceType; isVouched?: boolean; principal?: string } = {},
  ): Agent[] {
    const { source = SCOUTS, sourceType = "scout", isVouched = false, principal } = options;
    return Array.from({ length: count }, () => {
      const id = `puppet-${this.enrolled.length + 1}`;
      this.enrolled.push({ id, source, isVouched, principal });
      return { id, source, sourceType, uploadsAtNight: false };
    });
  }

  ownRecord(): number {
    this.#ids += 1;
    this.ownRecords.push(this.#ids);
    return this.#ids;
  }

  ownAsset(
    record: number,
    type: AssetType = "storefront",
    place: Point = placeOnStreet(this.chance),
  ): TownAsset {
    this.#ids += 1;
    const stops = type === "vehicle_wrap" ? Array.from({ length: 24 * DAYS }, () => place) : [];
    return { id: this.#ids, record, type, ...place, from: 0, stops };
  }

  /** The asset that a row of the world is about; undefined where its name was misread. */
  assetOf({ asset }: Row): TownAsset | undefined {
    this.#assets ??= new Map(this.world.town.assets.map((each) => [each.id, each]));
    return this.#assets.get(asset);
  }

  /** An instant in opening hours of a day of the simulation. */
  during(day: number): number {
    return START + day * DAY_MS + Math.floor(this.chance.within(OPENING_HOUR, CLOSING_HOUR) * HOUR_MS);
  }

  /** A visit as an honest observer would send it, with a picture of its own. */
  visit(agent: Agent, asset: TownAsset, at: number, changes: Partial<Line> = {}): void {
    const place = placeOf(asset, at);
    if (place === undefined || at >= START + DAYS * DAY_MS) return;
    this.lines.push({ ...this.camera.line(agent, asset, place, at), ...changes });
  }

  /** Each agent visits each asset on `days` different days, at hours of its own, in the `last` days of the simulation. */
  visitOnDays(
    agents: readonly Agent[],
    assets: readonly TownAsset[],
    days: number,
    changes: Partial<Line> = {},
    last = DAYS - ATTACK_FROM,
  ): void {
    const left = Array.from({ length: last - 1 }, (_, at) => DAYS - last + at);
    for (const agent of agents) {
      for (const day of this.chance.some(left, days)) {
        for (const asset of assets) this.visit(agent, asset, this.during(day), changes);
      }
    }
  }

  /** All agents at once, as one person who switches devices: seconds to minutes between them. */
  visitTogether(agents: readonly Agent[], assets: readonly TownAsset[], days: readonly number[]): void {
    for (const day of days) {
      let at = this.during(day);
      for (const asset of assets) {
        for (const agent of agents) {
          this.visit(agent, asset, at);
          at += this.chance.whole(15, 240) * SECOND_MS;
        }
      }
    }
  }
}
