import type { GazetteerCity } from "../../contract/cities/city.ts";
import type { Column } from "./column-words.ts";

interface GuessedPlaces {
  readonly members: object;
  readonly isSwapped: boolean;
  readonly country: string | undefined; // ISO 3166 code
  readonly lng: number | undefined; // about
  readonly doubts: readonly string[];
}

const COMMA = /^[+-]?\d+,\d+$/;
const NEAR_KM = 50;
const KM_A_DEGREE = 111.2;

/** Planes of Europe in which coordinates are handed out in meters. */
const PLANES: readonly (readonly [
  name: string,
  x: readonly [number, number],
  y: readonly [number, number],
])[] = [
  ["Belgian Lambert 72 (EPSG:31370)", [14_000, 300_000], [20_000, 260_000]],
  ["Dutch RD New (EPSG:28992)", [0, 300_000], [300_000, 630_000]],
  ["Belgian Lambert 2008 (EPSG:3812)", [510_000, 800_000], [515_000, 760_000]],
  ["Lambert-93 of France (EPSG:2154)", [90_000, 1_300_000], [6_000_000, 7_200_000]],
  ["UTM or Gauss-Krüger", [150_000, 850_000], [3_500_000, 7_500_000]],
];

export function guessPlaces(
  lat: Column | undefined,
  lng: Column | undefined,
  cities: readonly GazetteerCity[],
): GuessedPlaces {
  const hasComma = [lat, lng].some((column) => hasCommas(column?.values ?? []));
  const [y, x] = [lat, lng].map(middle);
  const members = hasComma ? { decimal: "," } : {};
  const nowhere = { members, isSwapped: false, country: undefined, lng: undefined };
  const damaged = [lat, lng].flatMap((column) => damagedBySpreadsheet(column));
  if (damaged.length > 0) return { ...nowhere, doubts: damaged };
  if (y === undefined || x === undefined) return { ...nowhere, doubts: [lat, lng].flatMap(wordsForNumbers) };
  if (Math.max(Math.abs(x), Math.abs(y)) > 180) return { ...nowhere, doubts: [projected(x, y)] };
  return { members, ...inDegrees(x, y, cities) };
}

/** The columns whose values lie near a city as latitude and longitude: the pair that is nearest. */
export function placeColumns(
  columns: readonly Column[],
  cities: readonly GazetteerCity[],
): { readonly lat: string; readonly lng: string; readonly city: GazetteerCity } | undefined {
  const degrees = columns.flatMap(({ name, values }) => {
    const value = middle({ name, values });
    const isDegrees =
      value !== undefined &&
      Math.abs(value) <= 180 &&
      values.filter((text) => DEGREES.test(text)).length > values.length / 2;
    return isDegrees ? [{ name, value }] : [];
  });
  const pairs = degrees.slice(0, MAX_DEGREES).flatMap((lat, at, all) =>
    all
      .filter((_, other) => other !== at)
      .flatMap((lng) => {
        const { city, km } = nearest(cities, lat.value, lng.value);
        return city === undefined || Math.abs(lat.value) > 90 || km > NEAR_KM
          ? []
          : [{ lat: lat.name, lng: lng.name, city, km }];
      }),
  );
  return pairs.sort((a, b) => a.km - b.km)[0];
}

const DEGREES = /^[+-]?\d{1,3}[.,]\d{2,}$/;
const MAX_DEGREES = 5;
/** 51.340.123: a program took the decimal point for one of thousands, and the number is lost. */
const DAMAGED = /^[+-]?\d{1,3}([.,' ])\d{3}\1\d{3}/;

function damagedBySpreadsheet(column: Column | undefined): string[] {
  const damaged = column?.values.filter((value) => DAMAGED.test(value)) ?? [];
  return column === undefined || damaged.length <= column.values.length / 2
    ? []
    : [
        `"${column.name}" has no coordinates any more (${damaged[0]}): a spreadsheet took their decimal point for one of thousands; ask for the file as it was exported.`,
      ];
}

function wordsForNumbers(column: Column | undefined): string[] {
  const [first] = column?.values ?? [];
  return first === undefined || middle(column) !== undefined
    ? []
    : [
        `"${column?.name}" has no numbers (the first is ${first}): coordinates are degrees with decimals, such as 51.0543.`,
      ];
}

function hasCommas(values: readonly string[]): boolean {
  return values.length > 0 && values.filter((value) => COMMA.test(value)).length > values.length / 2;
}

/** The median of a column's numbers. */
function middle(column: Column | undefined): number | undefined {
  const values = column?.values ?? [];
  const hasComma = hasCommas(values);
  const number = (text: string) => Number(hasComma ? text.replaceAll(".", "").replace(",", ".") : text);
  return median(values.map(number).filter(Number.isFinite));
}

function inDegrees(x: number, y: number, cities: readonly GazetteerCity[]): Omit<GuessedPlaces, "members"> {
  const [asNamed, exchanged] = [nearest(cities, y, x), nearest(cities, x, y)];
  const isSwapped = Math.abs(y) > 90 || (asNamed.km > NEAR_KM && exchanged.km < NEAR_KM);
  const { city, km } = isSwapped ? exchanged : asNamed;
  const doubts = [
    ...(isSwapped
      ? ["Latitude and longitude are exchanged in the file: they are mapped the other way round."]
      : []),
    ...(km > NEAR_KM ? [`The places are far from every city (about ${y}, ${x}): are they WGS 84?`] : []),
  ];
  return { isSwapped, country: km > NEAR_KM ? undefined : city?.countryCode, lng: isSwapped ? y : x, doubts };
}

function projected(x: number, y: number): string {
  const within = (value: number, [from, to]: readonly [number, number]) => value >= from && value <= to;
  const fits = PLANES.filter(
    ([, xs, ys]) => (within(x, xs) && within(y, ys)) || (within(y, xs) && within(x, ys)),
  );
  const said = fits.length === 0 ? "of a plane" : `perhaps of ${fits.map(([name]) => name).join(" or ")}`;
  return `The coordinates are not WGS 84 (degrees), but meters, ${said}: have the file converted, for example with \`ogr2ogr -t_srs EPSG:4326\`.`;
}

function median(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function nearest(
  cities: readonly GazetteerCity[],
  lat: number,
  lng: number,
): { city: GazetteerCity | undefined; km: number } {
  let best: { city: GazetteerCity | undefined; km: number } = {
    city: undefined,
    km: Number.POSITIVE_INFINITY,
  };
  const narrow = Math.cos((lat * Math.PI) / 180);
  for (const city of cities) {
    const km = KM_A_DEGREE * Math.hypot(city.lat - lat, (city.lng - lng) * narrow);
    if (km < best.km) best = { city, km };
  }
  return best;
}
