/** What an invented firm with cameras and an invented club deliver: with columns, languages, numbers and dates of their own, and with the mistakes of real files. */
import { seededRandom } from "../../../src/kernel/seeded.ts";
import { DAY_MS } from "../../../src/kernel/time.ts";

/** Groningen by GeoNames; everything in it is invented. */
export const TOWN = {
  slug: "groningen",
  geonames: 2_755_251,
  radiusKm: 6,
  lat: 53.2194,
  lng: 6.5665,
} as const;
const TIME_ZONE = "Europe/Amsterdam";

export const FIRM = "straatbeeld";
export const CLUB = "stadsgids";
const MEMBERS = ["anke", "bram", "cas"] as const;
const VEHICLES = ["WAGEN-1", "WAGEN-2", "WAGEN-3"] as const;

/** Trades as the firm calls them, as the club calls them, and their code of ISIC. */
const TRADES = [
  ["Horeca: café", "Gaststätte", "5630"],
  ["Horeca: eten", "Restaurant", "5610"],
  ["Bakkerij", "Bäckerei", "4721"],
  ["Kapsalon", "Friseur", "9621"],
  ["Rijwielen", "Fahrräder", "4763"],
  ["Bloemen", "Blumen", "4773"],
  ["Boeken", "Bücher", "4761"],
] as const;

const FIRST = "Blauwe Gouden Zilveren Oude Nieuwe Kleine Grote Vrolijke Stille Rode Groene Witte".split(" ");
const SECOND =
  "Anker Molen Lantaarn Zwaan Spoel Ketel Lepel Vijzel Zolder Kade Brug Tulp Reiger Klomp Passer Kraan Sluis".split(
    " ",
  );
const KINDS = [
  "Café de",
  "Eethuis de",
  "Bakkerij de",
  "Kapper de",
  "Fietsen de",
  "Bloemen de",
  "Boekhandel de",
] as const;

export interface Business {
  readonly name: string;
  readonly trade: (typeof TRADES)[number];
  readonly lat: number;
  readonly lng: number;
}

export interface Delivery {
  readonly name: string; // of the file
  readonly bytes: Buffer;
  readonly lines: number;
}

/** Every business of the town, each at a place of its own. */
export function businesses(count: number): Business[] {
  const random = seededRandom(7);
  return Array.from({ length: count }, (_, at) => {
    const kind = at % KINDS.length;
    const words = [FIRST[Math.floor(at / KINDS.length) % FIRST.length], SECOND[at % SECOND.length]];
    const [trade = TRADES[0]] = [TRADES[kind]];
    return {
      name: `${KINDS[kind]} ${words.join(" ")}`,
      trade,
      lat: TOWN.lat + (random() - 0.5) * 0.05,
      lng: TOWN.lng + (random() - 0.5) * 0.08,
    };
  });
}

interface Look {
  readonly business: Business;
  readonly at: number; // ms
  readonly who: string;
  readonly ref: string;
}

/** Each business as often as `times`, spread over the days before `end`. */
function looks(
  all: readonly Business[],
  who: readonly string[],
  span: { readonly end: number; readonly days: number; readonly times: number; readonly prefix: string },
): Look[] {
  const random = seededRandom(span.end % 1_000_003);
  return all.flatMap((business, index) =>
    Array.from({ length: span.times }, (_, time) => ({
      business,
      at: span.end - DAY_MS * ((time % span.days) + 0.1 + random() * 0.3),
      who: who[(index + time) % who.length] ?? "",
      ref: `${span.prefix}-${index}-${time}`,
    })),
  );
}

/** About 10 m of error, as GPS has. */
const near = (degrees: number, random: () => number) => degrees + (random() - 0.5) * 0.00015;

function localParts(at: number): Record<string, string> {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone: TIME_ZONE,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hour12: false,
  }).formatToParts(at);
  return Object.fromEntries(parts.map(({ type, value }) => [type, value]));
}

const comma = (degrees: number) => degrees.toFixed(6).replace(".", ",");

export interface Span {
  readonly end: number;
  readonly days: number;
  readonly times: number;
}

/** Dutch, windows-1252, two lines above the header, names in capitals now and then. `misread`: every name is nonsense, as a broken camera reads. */
export function firmDelivery(all: readonly Business[], span: Span, { misread = false } = {}): Delivery {
  const prefix = `sb-${span.end}`;
  const random = seededRandom(11);
  const rows = looks(all, VEHICLES, { ...span, prefix }).map(({ business, at, who, ref }, index) => {
    const { day, month, year, hour, minute } = localParts(at);
    const capitals = random() < 0.1 ? business.name.toUpperCase() : business.name;
    const name = misread ? `Xq${index} Zw${(index * 7919) % 9973} Vv` : capitals;
    const place = [comma(near(business.lat, random)), comma(near(business.lng, random))];
    return [
      ref,
      who,
      `${day}-${month}-${year} ${hour}:${minute}`,
      ...place,
      name,
      business.trade[0],
      "0,91",
    ].join(";");
  });
  const head = [
    "Straatbeeld BV – uitvoer;;;;;;;",
    ";;;;;;;",
    "Kenmerk;Voertuig;Gezien op;Breedtegraad;Lengtegraad;Opschrift;Rubriek;Leesbaarheid",
  ];
  const text = `${[...head, ...rows].join("\r\n")}\r\n`;
  return { name: `uitvoer-${span.end}.csv`, bytes: windows1252(text), lines: rows.length };
}

/** German, UTF-8, by people who walk. */
export function clubDelivery(all: readonly Business[], span: Span): Delivery {
  const prefix = `sg-${span.end}`;
  const random = seededRandom(13);
  const rows = looks(all, MEMBERS, { ...span, prefix }).map(({ business, at, who, ref }) => {
    const { day, month, year, hour, minute } = localParts(at);
    const place = [comma(near(business.lat, random)), comma(near(business.lng, random))];
    return [
      who,
      `${day}.${month}.${year}`,
      `${hour}:${minute}`,
      business.name,
      business.trade[1],
      ...place,
      ref,
    ].join(";");
  });
  const text = `${["Mitglied;Tag;Uhrzeit;Schild;Art;Breite;Länge;Nummer", ...rows].join("\n")}\n`;
  return { name: `rundgang-${span.end}.csv`, bytes: Buffer.from(text), lines: rows.length };
}

function windows1252(text: string): Buffer {
  return Buffer.from(text.replaceAll("–", "\u0096"), "latin1");
}

const industryMap = (column: 0 | 1) => Object.fromEntries(TRADES.map((trade) => [trade[column], trade[2]]));

/** The maps that an operator writes after reading docs/operations/intake.md. */
export const MAPS: Readonly<Record<string, object>> = {
  [FIRM]: {
    columns: {
      Kenmerk: "source_ref",
      Voertuig: "observer",
      "Gezien op": "observed_at",
      Breedtegraad: "lat",
      Lengtegraad: "lng",
      Opschrift: "name",
      Rubriek: "industry",
      Leesbaarheid: "legibility",
    },
    constants: { source_type: "fleet_cam", asset_type: "storefront" },
    date_formats: ["DD-MM-YYYY HH:mm"],
    time_zone: TIME_ZONE,
    decimal: ",",
    delimiter: ";",
    skip_lines: 2,
    industry_map: industryMap(0),
  },
  [CLUB]: {
    columns: {
      Mitglied: "observer",
      Schild: "name",
      Art: "industry",
      Breite: "lat",
      Länge: "lng",
      Nummer: "source_ref",
    },
    templates: { observed_at: "{Tag} {Uhrzeit}" },
    constants: { source_type: "scout", asset_type: "storefront" },
    date_formats: ["DD.MM.YYYY HH:mm"],
    time_zone: TIME_ZONE,
    decimal: ",",
    delimiter: ";",
    industry_map: industryMap(1),
  },
};

/** The values of page 1, as this operator decides them. */
export const VALUES: Readonly<Record<string, string>> = {
  CITY: TOWN.slug,
  GEONAMES: String(TOWN.geonames),
  RADIUS: String(TOWN.radiusKm),
  FIRM,
  FIRM_NAME: "'Straatbeeld BV'",
  FIRM_FILE: "/root/uitvoer.csv",
  FIRM_ENCODING: "windows-1252",
  CLUB,
  CLUB_NAME: "'Stadsgids Vereniging'",
  CLUB_FILE: "/root/rundgang.csv",
  CLUB_MEMBERS: `'${MEMBERS.join(" ")}'`,
};
