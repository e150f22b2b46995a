import { HOUR_MS, solarDayNumber, solarOffsetHours } from "../../kernel/time.ts";
import type { NewLook } from "../../ledger/looks/waiting-looks.ts";
import { LineFault } from "../lines/fault.ts";
import type { CityOfCell } from "../places/place.ts";
import type { Look } from "./look.ts";

export type LookedPlace = Pick<NewLook, "city" | "cell" | "day">;

/** The cells of a look with their cities and solar days, each once. Throws LineFault when no cell is in a registered city. */
export function placedLook({ cells }: Pick<Look, "cells">, cityOf: CityOfCell): LookedPlace[] {
  const places = new Map<string, LookedPlace>();
  for (const { cell, hour } of cells) {
    const city = cityOf(cell);
    if (city === undefined) continue;
    const day = solarDayNumber(hour * HOUR_MS, solarOffsetHours(city.details.lng));
    places.set(`${cell} ${day}`, { city: city.slug, cell, day });
  }
  if (places.size === 0)
    throw new LineFault("outside_registered_cities", null, "no cell of the look is in a registered city");
  return [...places.values()];
}
