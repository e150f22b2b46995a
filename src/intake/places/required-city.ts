import { LineFault } from "../lines/fault.ts";
import { type City, type CityOfCell, cityAt } from "./place.ts";

/** The city of a sighting. Throws LineFault, with a hint when latitude and longitude seem to be swapped. */
export function requiredCity(
  cityOf: CityOfCell,
  cell: string,
  position: () => { readonly lat: number; readonly lng: number },
): City {
  const city = cityOf(cell);
  if (city !== undefined) return city;
  const { lat, lng } = position();
  const swapped = cityAt(cityOf, lng, lat);
  const hint =
    swapped === undefined ? "" : `, but with latitude and longitude swapped it is in ${swapped.details.name}`;
  throw new LineFault("outside_registered_cities", "lat", `the position is in no registered city${hint}`);
}
