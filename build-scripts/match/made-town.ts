/**
 * Invented towns: shops in streets and malls, chains, vehicles, shops that move and shops whose place gets another owner, seen by
 * vouched observers and by newcomers, whose rows do not count. The same seed gives the same town.
 */
import { DAY_MS } from "../../src/kernel/time.ts";
import { Chance } from "../../tests/lab/adversary/chance.ts";
import type { MatchLine, MatchSet } from "./feed.ts";

const CENTER = { lat: 52.1, lng: 5.1 };
const METERS_PER_DEGREE = 111_320;
const START = Date.UTC(2026, 0, 1);
const DAYS = 120;
const SHOP_GRID_M = 60;
const MALL_SHOPS = 12;
const MALL_EXTENT_M = 60;
const MALL_PHONE_SHARE = 0.5; // of a mall's shops that give the telephone of the mall
const NOT_COUNTED_SHARE = 0.4;
const BUILT_IN_SHARE = 0.1; // of the lines that count
const CONTACT_SHARE = 1 / 3;
const MISREAD_SHARE = 0.02;
const VARIED_SHARE = 0.2;
const DAMAGED_SHARE = 0.002;
const GPS_NOISE_M = 5;
const BAD_GPS_NOISE_M = 25;
const BAD_GPS_SHARE = 0.03;
const VOUCHED = 20;
const NEWCOMERS = 40;

/** Of 100 businesses. Branches of a chain on the package's list are one record by the rule; those of a local one share a website. */
const KINDS = {
  mall: 24,
  chain: 8,
  localChain: 6,
  vehicle: 8,
  mover: 4,
  successor: 4,
  namesake: 6,
  shop: 40,
};
export const BRANDS = [
  "Subway",
  "Starbucks",
  "McDonald's",
  "7-Eleven",
  "H&M",
  "Domino's",
  "Lidl",
  "Burger King",
];
const FIRST =
  "Rossi Bakker Müller García O'Brien Nguyen Kim Lee Chen Silva Jansen Peeters Dubois Schmidt Novak Kowalski Costa Ali Singh Patel " +
  "Golden Royal Green Blue Happy Sunny Old Little Grand City Corner Lucky Star Sun Moon River Park Market Bridge Harbor Garden Maple Oak " +
  "Café Chez Casa Villa Ter Van Saint North South East West Mama Papa Uncle King Queen Lion Dragon Tiger Phoenix Lotus Jade Pearl";
const LAST =
  "Bakery|Flowers|Shoes|Books|Nails|Hair|Kitchen|Grill|Noodles|Sushi|Pizza|Bistro|Tailor|Optics|Pharmacy|Cycles|Motors|Tiles|Paints|" +
  "Jewelers|Music|Toys|Pets|Travel|Dental|Laundry|Locksmith|Butcher|Fish Market|Wine & Spirits|Coffee & Tea|Hardware|Garden Center";

interface Business {
  readonly id: string;
  readonly name: string;
  readonly type: "storefront" | "vehicle_wrap";
  /** A chain's branches are one business with several. */
  readonly places: readonly Place[];
  readonly website: string | undefined;
  readonly phone: string | undefined;
}

interface Place {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly from: number; // first day
  readonly until: number;
  readonly ref?: string; // of a vehicle
}

export function makeTown(seed: number, businesses: number, linesPerPlace = 12): MatchSet {
  const town = new TownMaker(new Chance(seed), businesses);
  const lines = town.businesses().flatMap((business) => town.lines(business, linesPerPlace));
  return {
    name: `town ${seed}`,
    ...CENTER,
    radiusKm: 8,
    vouched: Array.from({ length: VOUCHED }, (_, at) => `vouched-${at}`),
    lines: lines.sort((a, b) => (a.input.observed_at < b.input.observed_at ? -1 : 1)),
  };
}

class TownMaker {
  readonly #chance: Chance;
  readonly #hundreds: number;
  readonly #extent: number;
  readonly #used = new Set<string>();
  #ids = 0;

  constructor(chance: Chance, businesses: number) {
    this.#chance = chance;
    this.#hundreds = businesses / 100;
    this.#extent = Math.ceil(Math.sqrt(4 * businesses)); // lines of the grid, a quarter of it built up
  }

  businesses(): Business[] {
    const many = <T>(share: number, make: () => T): T[] =>
      Array.from({ length: Math.round(share * this.#hundreds) }, make);
    return [
      ...many(KINDS.mall / MALL_SHOPS, () => this.#mall()).flat(),
      ...many(KINDS.chain / 4, () => this.#chain(this.#chance.pick(BRANDS), 4, undefined)),
      ...many(KINDS.localChain / 3, () => this.#chain(this.#name(), 3, this.#website())),
      ...many(KINDS.vehicle, () => this.#fleet()),
      ...many(KINDS.mover, () => this.#mover()),
      ...many(KINDS.successor / 2, () => this.#successors()).flat(),
      ...many(KINDS.namesake / 2, () => this.#namesakes()).flat(),
      ...many(KINDS.shop, () => this.#shop({})),
    ];
  }

  #shop(changes: Partial<Business>): Business {
    return {
      id: this.#id(),
      name: this.#name(),
      type: "storefront",
      places: [this.#place()],
      website: this.#chance.is(0.6) ? this.#website() : undefined,
      phone: this.#phone(),
      ...changes,
    };
  }

  #mall(): Business[] {
    const [{ x, y }, phone] = [this.#place(), this.#phone()];
    return Array.from({ length: MALL_SHOPS }, () => {
      const near = {
        x: x + this.#chance.within(0, MALL_EXTENT_M),
        y: y + this.#chance.within(0, MALL_EXTENT_M),
      };
      return this.#shop({
        places: [{ ...this.#place(), ...near }],
        ...(this.#chance.is(MALL_PHONE_SHARE) && { phone }),
      });
    });
  }

  /** The telephones of branches differ, and no line gives them. */
  #chain(name: string, branches: number, website: string | undefined): Business {
    const places = Array.from({ length: branches }, () => this.#place());
    return this.#shop({ id: `chain ${name}`, name, places, website, phone: undefined });
  }

  #fleet(): Business {
    const hasRefs = this.#chance.is(0.5);
    const places = Array.from({ length: this.#chance.whole(1, 3) }, () => {
      const place = this.#place();
      return hasRefs ? { ...place, ref: `van ${place.id}` } : place;
    });
    return this.#shop({ type: "vehicle_wrap", places });
  }

  #mover(): Business {
    const day = this.#chance.whole(40, 80);
    return this.#shop({
      places: [
        { ...this.#place(), until: day },
        { ...this.#place(), from: day },
      ],
    });
  }

  /** Another business at the same place, with the same telephone. */
  #successors(): Business[] {
    const [day, place, phone] = [this.#chance.whole(40, 80), this.#place(), this.#phone()];
    return [
      this.#shop({ places: [{ ...place, until: day }], phone }),
      this.#shop({ places: [{ ...place, id: this.#id(), from: day }], phone }),
    ];
  }

  #namesakes(): Business[] {
    const name = this.#name();
    return [this.#shop({ name }), this.#shop({ name })];
  }

  #place(): Place {
    let spot: string;
    let [x, y] = [0, 0];
    do {
      x = this.#chance.whole(0, this.#extent);
      y = this.#chance.whole(0, this.#extent);
      spot = `${x} ${y}`;
    } while (this.#used.has(spot));
    this.#used.add(spot);
    return { id: this.#id(), x: x * SHOP_GRID_M, y: y * SHOP_GRID_M, from: 0, until: DAYS };
  }

  #id(): string {
    this.#ids += 1;
    return String(this.#ids);
  }

  #name(): string {
    const [first, last] = [this.#chance.pick(FIRST.split(" ")), this.#chance.pick(LAST.split("|"))];
    const second = this.#chance.is(0.5) ? ` ${this.#chance.pick(FIRST.split(" "))}` : "";
    const name = `${first}${second} ${last}`;
    if (this.#used.has(name)) return this.#name();
    this.#used.add(name);
    return name;
  }

  #website(): string {
    return `https://site${this.#id()}.example`;
  }

  #phone(): string {
    return `+3130${String(1_000_000 + Number(this.#id()))}`;
  }

  lines(business: Business, linesPerPlace: number): MatchLine[] {
    return business.places.flatMap((place) =>
      Array.from({ length: this.#chance.whole(1, 2 * linesPerPlace) }, () => this.#line(business, place)),
    );
  }

  #line(business: Business, place: Place): MatchLine {
    const chance = this.#chance;
    const counts = !chance.is(NOT_COUNTED_SHARE);
    const isMobile = business.type === "vehicle_wrap";
    const spread = isMobile ? 1000 : chance.is(BAD_GPS_SHARE) ? BAD_GPS_NOISE_M : GPS_NOISE_M;
    const at = START + chance.within(place.from, place.until) * DAY_MS;
    const contact = chance.is(CONTACT_SHARE) ? this.#contact(business) : {};
    return {
      input: {
        source_type: "scout",
        observer: counts
          ? `vouched-${chance.whole(0, VOUCHED - 1)}`
          : `newcomer-${chance.whole(0, NEWCOMERS - 1)}`,
        observed_at: new Date(at).toISOString(),
        ...coordinates(place.x + chance.noise(spread), place.y + chance.noise(spread)),
        name: seenName(chance, business.name),
        asset_type: business.type,
        ...(place.ref !== undefined && { asset_ref: place.ref }),
        ...contact,
      },
      isBuiltIn: counts && chance.is(BUILT_IN_SHARE),
      truth: {
        asset: isMobile && place.ref === undefined ? `vehicles of ${business.id}` : place.id,
        record: business.id,
      },
      address: `${Math.round(place.x)}/${Math.round(place.y)}`,
    };
  }

  #contact({ website, phone }: Business): { website?: string; phone?: string } {
    const given = [...(website ? [{ website }] : []), ...(phone ? [{ phone }] : [])];
    return given.length === 0 ? {} : this.#chance.pick(given);
  }
}

function coordinates(x: number, y: number): { lat: number; lng: number } {
  const lat = CENTER.lat + y / METERS_PER_DEGREE;
  return { lat, lng: CENTER.lng + x / (METERS_PER_DEGREE * Math.cos((CENTER.lat * Math.PI) / 180)) };
}

/** As a reader gives it: mostly right, written another way at times, misread or damaged at others. */
function seenName(chance: Chance, name: string): string {
  if (chance.is(DAMAGED_SHARE)) return `${name}Ã©`;
  if (chance.is(MISREAD_SHARE)) return chance.pick(MISREADINGS)(name, chance);
  return chance.is(VARIED_SHARE) ? chance.pick(VARIATIONS)(name, chance) : name;
}

type Change = (name: string, chance: Chance) => string;

/** Ways to write one name. */
const VARIATIONS: readonly Change[] = [
  (name) => name.toUpperCase(),
  (name) => name.replace(" & ", " and "),
  (name) => name.replace("&", "+"),
  (name) => name.normalize("NFD").replace(/\p{M}/gu, ""),
  (name) => `The ${name}`,
  (name, chance) => `${name} ${chance.pick(["Inc.", "Ltd", "BV", "GmbH"])}`,
  (name, chance) => `${name} #${chance.whole(1, 99)}`,
  (name) => name.replace("'", "’"),
  (name) => [...name].join("\u200b"), // invisible characters between the letters
];

/** Misreadings give another name: a letter less, another letter, a letter twice, or a word less. */
const MISREADINGS: readonly Change[] = [
  (name, chance) => spliced(name, chance, () => ""),
  (name, chance) => spliced(name, chance, () => chance.pick([..."aeiloursnt"])),
  (name, chance) => spliced(name, chance, (letter) => letter + letter),
  (name) => name.split(" ").slice(1).join(" "),
];

function spliced(name: string, chance: Chance, change: (letter: string) => string): string {
  const letters = [...name];
  const at = chance.whole(0, letters.length - 1);
  return letters
    .with(at, change(letters[at] ?? ""))
    .join("")
    .trim();
}
