import { latLngToCell } from "h3-js";

/** The H3 cell of a position in degrees. In a file of its own, because the library is loaded only when a position is asked for. */
export function cellAt(lat: number, lng: number, resolution: number): string {
  return latLngToCell(lat, lng, resolution);
}
