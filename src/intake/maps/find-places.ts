/** Where the coordinates of a file are: two columns, or one with both. Pure. */
import type { GazetteerCity } from "../../contract/cities/city.ts";
import { type Position, pairOf } from "../lines/position.ts";
import type { Column, ColumnRole } from "./column-words.ts";
import { guessPlaces, placeColumns } from "./guess-places.ts";

interface Places {
  readonly members: object; // of the map
  readonly gives: readonly ColumnRole[]; // that need no column
  readonly column: string | undefined; // with both
  readonly country: string | undefined; // ISO 3166 code
  readonly lng: number | undefined;
}

/** Puts latitude and longitude right in `roles`. */
export function placesOf(
  columns: readonly Column[],
  roles: Map<string, ColumnRole>,
  cities: readonly GazetteerCity[],
  doubts: string[],
): Places {
  const named = (role: ColumnRole) => columns.find(({ name }) => roles.get(name) === role);
  const pair = named("lat") === undefined ? pairColumn(columns) : undefined;
  const [first, second] = pair?.halves ?? [named("lat"), named("lng")];
  const { members, isSwapped, country, lng, doubts: ofPlaces } = guessPlaces(first, second, cities);
  if (pair === undefined) {
    doubts.push(...ofPlaces);
    if (isSwapped) swap(roles);
    return { members, gives: [], column: undefined, country, lng };
  }
  const position: Position = { column: pair.name, order: isSwapped ? "lng lat" : "lat lng" };
  roles.delete(pair.name);
  doubts.push(`"${pair.name}" has both coordinates in one text, which are read as "${position.order}".`);
  return { members: { ...members, position }, gives: ["lat", "lng"], column: pair.name, country, lng };
}

function swap(fields: Map<string, ColumnRole>): void {
  for (const [name, role] of fields)
    if (role === "lat" || role === "lng") fields.set(name, role === "lat" ? "lng" : "lat");
}

/** The city in which the places are, which says what the encoding may be: numbers and marks are the same in all of them. */
export function nearCity(
  columns: readonly Column[],
  cities: readonly GazetteerCity[],
): GazetteerCity | undefined {
  return placeColumns([...columns, ...(pairColumn(columns)?.halves ?? [])], cities)?.city;
}

/** The column that has both coordinates in one text, with each of the two as a column of its own. */
function pairColumn(
  columns: readonly Column[],
): { readonly name: string; readonly halves: readonly [Column, Column] } | undefined {
  for (const { name, values } of columns) {
    const pairs = values.flatMap((value) => pairOf(value) ?? []);
    if (pairs.length === 0 || pairs.length < 2 * MIN_PAIRS * values.length) continue;
    const half = (odd: number): Column => ({ name, values: pairs.filter((_, at) => at % 2 === odd) });
    return { name, halves: [half(0), half(1)] };
  }
  return undefined;
}

const MIN_PAIRS = 0.9;
