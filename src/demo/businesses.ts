import type { AssetType } from "../contract/enums.ts";
import { asciiName } from "../intake/places/gazetteer.ts";
import { SeededNumbers } from "../kernel/seeded.ts";
import { nameKey } from "../kernel/text/name-key.ts";
import {
  CAST,
  type DemoCity,
  type NameStyle,
  type Place,
  type Profile,
  placeIn,
  styleOf,
} from "./fixture.ts";

export interface DemoAsset {
  readonly type: AssetType;
  readonly ref: string | null; // of a vehicle
  readonly place: Place;
  readonly from: number; // first and last day on which it can be seen
  readonly until: number;
}

/** Ground truth for a demo business, independent of what intake infers about it. */
export interface Business {
  readonly city: DemoCity;
  readonly name: string;
  readonly industry: string | null; // ISIC code
  readonly declared: boolean; // whether the sources state the industry
  readonly website: string | null;
  readonly phone: string | null;
  readonly assets: readonly DemoAsset[]; // the first lasts as long as the business
  readonly visits: number; // how often it is seen
  readonly from: number;
  readonly until: number;
}

/** The ordinary businesses of a city, those of the cast first. */
export function businessesOf(city: DemoCity): Business[] {
  const numbers = new SeededNumbers(`businesses of ${city.slug}`);
  const style = styleOf(city);
  const named = CAST.named.filter((each) => each.city === city.slug);
  const taken = new Set(named.map(({ name }) => nameKey(name)));
  return Array.from({ length: city.businesses }, (_, serial) => {
    const known = named[serial];
    if (known) return business(city, numbers, serial, { ...known, profile: "shop", declared: true });
    const [trade, industry, profile] = numbers.pick(style.trades);
    const name = freshName(style, trade, numbers, taken);
    return business(city, numbers, serial, { name, industry, profile, declared: numbers.chance(0.64) });
  });
}

interface Identity {
  readonly name: string;
  readonly industry: string | null;
  readonly profile: Profile;
  readonly declared: boolean;
}

function business(city: DemoCity, numbers: SeededNumbers, serial: number, identity: Identity): Business {
  const { name, industry, profile, declared } = identity;
  const life = lifeOf(city, numbers);
  const assets = assetsOf(city, numbers, profile, life).map((asset, at) => ({
    ...asset,
    ref: asset.type === "vehicle_wrap" ? `${city.slug}-unit-${serial}-${at}` : null,
  }));
  // Places of one name become one record only if they share a contact.
  const reachable = assets.length > 1 || numbers.chance(0.45);
  const byPhone = reachable && serial < FICTIONAL_NUMBERS && city.slug === "guelph" && numbers.chance(0.2);
  return {
    city,
    name,
    industry,
    declared: declared && industry !== null,
    website:
      reachable && !byPhone ? `https://www.${domainLabel(name, `${city.slug}-${serial}`)}.example` : null,
    phone: byPhone ? `+1 519 555 0${String(100 + serial).slice(-3)}` : null,
    assets,
    visits: visitsOf(city, numbers, life),
    ...life,
  };
}

/** A name as a label of a host name; names in other scripts get `fallback`. The domain `example` is reserved (RFC 2606). */
function domainLabel(name: string, fallback: string): string {
  const ascii = asciiName(name);
  if (!/^[\x20-\x7e]+$/.test(ascii)) return fallback;
  const label = ascii.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return label.slice(0, 50).replace(/^-|-$/g, "");
}

/** Numbers from 555-0100 to 555-0199 are reserved for fiction. */
const FICTIONAL_NUMBERS = 100;

interface Life {
  readonly from: number;
  readonly until: number;
}

function lifeOf({ first_day, last_day }: DemoCity, numbers: SeededNumbers): Life {
  const kind = numbers.next();
  if (kind < 0.6) return { from: first_day + numbers.between(0, 40), until: last_day };
  if (kind < 0.8) return { from: numbers.between(first_day + 30, last_day - 45), until: last_day };
  if (kind < 0.9) return { from: numbers.between(last_day - 27, last_day - 3), until: last_day };
  const from = first_day + numbers.between(0, 30);
  return { from, until: numbers.between(from + 20, last_day - 92) };
}

function visitsOf({ pace }: DemoCity, numbers: SeededNumbers, { from, until }: Life): number {
  const [low, high] = numbers.weighted([
    [[150, 220], 10],
    [[50, 90], 35],
    [[10, 25], 33],
    [[1, 4], 22],
  ] as const);
  const share = Math.max(0.12, (until - from + 1) / 365);
  return Math.max(1, Math.round(numbers.between(low, high) * pace * share));
}

/** The kinds of assets of a trade, with their likelihood. */
const PROFILES: Readonly<Record<Profile, readonly (readonly [AssetType, number])[]>> = {
  shop: [
    ["storefront", 1],
    ["temp_sign", 0.2],
    ["site_sign", 0.15],
  ],
  office: [
    ["site_sign", 1],
    ["storefront", 0.3],
    ["billboard", 0.08],
  ],
  fleet: [
    ["vehicle_wrap", 1],
    ["vehicle_wrap", 0.6],
    ["vehicle_wrap", 0.3],
    ["site_sign", 0.4],
    ["temp_sign", 0.5],
  ],
  signs: [
    ["site_sign", 1],
    ["temp_sign", 0.9],
    ["temp_sign", 0.6],
    ["temp_sign", 0.5],
    ["billboard", 0.5],
  ],
  maker: [
    ["storefront", 1],
    ["billboard", 0.6],
    ["vehicle_wrap", 0.6],
  ],
  chain: [
    ["storefront", 1],
    ["storefront", 0.9],
    ["storefront", 0.4],
    ["billboard", 0.4],
  ],
};

function assetsOf(
  city: DemoCity,
  numbers: SeededNumbers,
  profile: Profile,
  life: Life,
): Omit<DemoAsset, "ref">[] {
  const types = PROFILES[profile].filter(([, likely]) => numbers.chance(likely)).map(([type]) => type);
  return types.map((type, at) => {
    const place = placeIn(city, numbers);
    return at === 0 ? { type, place, ...life } : { type, place, ...laterLife(type, numbers, life) };
  });
}

function laterLife(type: AssetType, numbers: SeededNumbers, { from, until }: Life): Life {
  const start = numbers.between(from, until);
  const days = type === "temp_sign" ? numbers.between(20, 80) : numbers.between(120, 500);
  return { from: start, until: Math.min(until, start + days) };
}

function freshName(style: NameStyle, trade: string, numbers: SeededNumbers, taken: Set<string>): string {
  const words = { a: style.a, b: style.b, c: style.c, trade: [trade] } as const;
  for (;;) {
    const name = numbers
      .pick(style.patterns)
      .replace(/\{(a|b|c|trade)\}/g, (_, word: keyof typeof words) => numbers.pick(words[word]));
    const key = nameKey(name);
    if (taken.has(key)) continue;
    taken.add(key);
    return name;
  }
}
