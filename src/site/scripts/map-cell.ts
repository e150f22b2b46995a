import { latLngToCell } from "h3-js";

/** Returns the H3 cell of a position in degrees. A separate file, so the library loads only on demand. */
export function cellAt(lat: number, lng: number, resolution: number): string {
  return latLngToCell(lat, lng, resolution);
}
