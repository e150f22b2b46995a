import { LineFault } from "../lines/fault.ts";
import type { ReadLine } from "../lines/sighting.ts";
import { type City, type CityOfCell, cityAt } from "./place.ts";

/** The city of a sighting. Throws LineFault, with a hint when latitude and longitude seem to be swapped. */
export function requiredCity(cityOf: CityOfCell, line: Pick<ReadLine, "cell" | "input">): City {
  return cityOf(line.cell) ?? refuseOutside(cityOf, line.input.lat, line.input.lng);
}

function refuseOutside(cityOf: CityOfCell, lat: number, lng: number): never {
  const swapped = cityAt(cityOf, lng, lat);
  const hint =
    swapped === undefined ? "" : `, but with latitude and longitude swapped it is in ${swapped.details.name}`;
  throw new LineFault("outside_registered_cities", "lat", `the position is in no registered city${hint}`);
}
