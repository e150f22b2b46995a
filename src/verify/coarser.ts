/**
 * Values that a list publishes coarser than the row that it rests on. Rows of the methodology version `pps-2026-11.v1` hold the hour
 * of a fixed asset and a cell of resolution 7 of a mobile one; lists publish the day, and the cell of resolution 5 around it.
 */
import type { JsonObject } from "./json.ts";

const FINER_ROWS = "pps-2026-11.v1";
const DAY_MS = 86_400_000;

/** Whether `published` is the value of the row, or the coarser one that a list may publish instead. */
export function isPublishedAs(name: string, body: JsonObject, inRow: unknown, published: unknown): boolean {
  if (published === inRow) return true;
  if (body["methodology_version"] !== FINER_ROWS) return false;
  const isMobile = body["presence_kind"] === "mobile_presence";
  if (name === "h3_cell") return isMobile && published === cityCell(String(inRow));
  return name === "observed_at" && !isMobile && isDayOf(String(inRow), String(published));
}

/** Whether a day that begins at `start` contains the hour. The longitude of the city, which decides, is not in the row. */
function isDayOf(hour: string, start: string): boolean {
  const since = Date.parse(hour) - Date.parse(start);
  return /^\d{4}-\d\d-\d\dT\d\d:00:00Z$/.test(start) && since >= 0 && since < DAY_MS;
}

/**
 * The H3 cell of resolution 5 around a smaller one: bits 52 to 55 are the resolution, and the three bits of each further digit are
 * ones (h3geo.org, bit layout).
 */
function cityCell(cell: string): string {
  const digits = (Number.parseInt(cell.charAt(7), 16) | 3).toString(16);
  return `${cell.charAt(0)}5${cell.slice(2, 7)}${digits}fffffff`;
}
