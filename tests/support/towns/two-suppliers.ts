/**
 * An invented city as two suppliers deliver it: a firm with cameras on vans, whose software misreads a letter here and there and locates
 * signs by a dozen meters, and a scouts' club, whose members type names as they like. Nobody gives industry codes.
 */
import { SeededNumbers } from "../../../src/kernel/seeded.ts";
import { DAY_MS, isoDate } from "../../../src/kernel/time.ts";

export const CAMERAS = "straatbeeld";
export const CLUB = "wandelclub";
export const MEMBERS: readonly string[] = Array.from({ length: 14 }, (_, at) => `lid-${at + 1}`);

const VANS = ["wagen-1", "wagen-2", "wagen-3"];
const DAYS_BACK = 6; // deliveries of a week
const METERS = 1 / 111_320;
const GRID_M = 70;
const SURNAMES =
  "De Smet|Van Damme|Claes|Maes|Wouters|Goossens|Willems|De Clercq|Verhaeghe|Baert|De Backer|Lambrecht|Martens|Van Acker|Segers|Temmerman|De Groote|Haeck|Rottiers|Blomme|Dhondt|Neirynck|Cools|Pauwels|Van Hecke|Roels|Steyaert|De Vos|Lievens|Coppens";
const TRADES =
  "Bakkerij|Slagerij|Frituur|Apotheek|Kapsalon|Garage|Bloemen|Schoenen|Optiek|Fietsen|Café|Brasserie|Bistro|Pizzeria|Traiteur|Juwelier|Drogist|Boekhandel|Wasserette|Nachtwinkel|Immo|Keukens|Sushi|Kebab|Nails|Tattoo|Rijschool|Tandarts|Verzekeringen|Interieur";
const PLAIN =
  "Het Gouden Hoofd|De Kroon|'t Hoekske|Den Turk|De Zwaan|Ter Leie|De Ark|Oude Vismijn|De Kaai|Blauwe Vogel";
const CHAINS = ["Subway", "Starbucks", "Lidl", "Domino's"];
/** What a sign says that names nobody, or that was damaged on its way, or that tells of a person. */
const ODD = [
  "Restaurant",
  "Café",
  "Open",
  "Caf\u00c3\u00a9 Central",
  "Bakkerij &amp; Co",
  "Bel 09 223 44 55",
  "Mr. Jan Peeters",
];

interface Shop {
  readonly name: string;
  readonly x: number; // meters
  readonly y: number;
  readonly phone: string | undefined;
}

export interface SupplierLine {
  readonly [field: string]: unknown;
}

export interface Suppliers {
  readonly center: { readonly lat: number; readonly lng: number };
  /** The lines of each night, in the order of the days on which they were seen. */
  readonly nights: readonly (readonly SupplierLine[])[];
}

export interface SuppliersPlan {
  readonly seed: number;
  readonly shops: number;
  readonly nights: number;
  readonly linesANight: number;
  readonly center: { readonly lat: number; readonly lng: number };
  /** The first night, in ms. */
  readonly start: number;
}

/** The same seed gives the same lines. */
export function twoSuppliers({
  seed,
  shops: count,
  nights,
  linesANight,
  center,
  start,
}: SuppliersPlan): Suppliers {
  const numbers = new SeededNumbers(`two suppliers ${seed}`);
  const shops = Array.from({ length: count }, (_, at) => shop(at, numbers));
  let reference = 0;
  let last: SupplierLine = {};
  const line = (night: number): SupplierLine => {
    reference += 1;
    // Now and then a line is sent once more with another reference.
    if (numbers.chance(0.01)) return { ...last, source_ref: `again ${reference}` };
    const day = isoDate(start + (night - numbers.between(1, DAYS_BACK)) * DAY_MS);
    const visit = { seen: numbers.pick(shops), reference, day, center };
    last = numbers.chance(0.6) ? ofCamera(visit, numbers) : ofClub(visit, numbers);
    return last;
  };
  return {
    center,
    nights: Array.from({ length: nights }, (_, night) =>
      Array.from({ length: linesANight }, () => line(night)),
    ),
  };
}

/** On a grid, so that no two are at one place; some share a name, and chains have branches. */
function shop(at: number, numbers: SeededNumbers): Shop {
  const side = 22;
  return {
    name: nameOf(at, numbers),
    x: ((at * 37) % side) * GRID_M - (side * GRID_M) / 2,
    y: Math.floor(at / side) * GRID_M - (side * GRID_M) / 2,
    phone: numbers.chance(0.3)
      ? `09 ${200 + (at % 700)} ${10 + (at % 80)} ${10 + ((at * 7) % 80)}`
      : undefined,
  };
}

function nameOf(at: number, numbers: SeededNumbers): string {
  if (numbers.chance(0.04)) return numbers.pick(CHAINS);
  if (numbers.chance(0.04)) return numbers.pick(ODD);
  if (numbers.chance(0.15)) return `${numbers.pick(PLAIN.split("|"))} ${at}`;
  return `${numbers.pick(TRADES.split("|"))} ${numbers.pick(SURNAMES.split("|"))}`;
}

interface Visit {
  readonly seen: Shop;
  readonly reference: number;
  readonly day: string;
  readonly center: Suppliers["center"];
}

/** A camera reads capitals, and now and then a letter for another. */
function ofCamera({ seen, reference, day, center }: Visit, numbers: SeededNumbers): SupplierLine {
  return {
    ...{ source: CAMERAS, source_type: "fleet_cam", source_ref: `cam-${reference}` },
    observer: numbers.pick(VANS),
    observed_at: `${day}T${10 + numbers.between(0, 7)}:${10 + numbers.between(0, 49)}:00Z`,
    ...placed(seen, center, 14, numbers),
    name: numbers.chance(0.05) ? misread(seen.name.toUpperCase(), numbers) : seen.name.toUpperCase(),
    asset_type: "storefront",
  };
}

function ofClub({ seen, reference, day, center }: Visit, numbers: SeededNumbers): SupplierLine {
  return {
    ...{ source: CLUB, source_type: "scout", source_ref: `club ${reference}` },
    observer: numbers.pick(MEMBERS),
    observed_at: `${day}T${10 + numbers.between(0, 7)}:${10 + numbers.between(0, 49)}:00Z`,
    ...placed(seen, center, 5, numbers),
    name: numbers.chance(0.03) ? misread(seen.name, numbers) : seen.name,
    asset_type: "storefront",
    ...(seen.phone !== undefined && numbers.chance(0.5) && { phone: seen.phone }),
  };
}

function placed({ x, y }: Shop, { lat, lng }: Suppliers["center"], noise: number, numbers: SeededNumbers) {
  const [east, north] = [x + noise * (2 * numbers.next() - 1), y + noise * (2 * numbers.next() - 1)];
  return { lat: lat + north * METERS, lng: lng + (east * METERS) / Math.cos((lat * Math.PI) / 180) };
}

const MISREAD: Readonly<Record<string, string>> = {
  i: "l",
  l: "i",
  o: "0",
  e: "c",
  n: "m",
  s: "5",
  a: "o",
  r: "n",
};

/** One letter for another that looks like it. */
function misread(name: string, numbers: SeededNumbers): string {
  const letters = [...name];
  const at = numbers.between(0, letters.length - 1);
  const letter = letters[at] ?? "";
  letters[at] = MISREAD[letter.toLowerCase()] ?? letter;
  return letters.join("");
}
