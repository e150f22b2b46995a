/** A city's eligible cells as an operator lists them: GeoJSON or CSV, with or without weights. */
import { parse } from "csv-parse/sync";
import { getResolution, isValidCell, latLngToCell } from "h3-js";
import { z } from "zod";
import { OperatorError } from "../../kernel/errors.ts";
import { readJson } from "./outline-file.ts";
import { CITY_RESOLUTION } from "./place.ts";

/** Cell (resolution 8) -> its weight: a whole number from 1. */
export type CellWeights = ReadonlyMap<string, number>;

const MAX_ENTRIES = 500_000;
const MAX_CELLS = 50_000;
const MAX_WEIGHT = 1_000_000;

const Weight = z.coerce.number().int().min(1).max(MAX_WEIGHT);
const Cell = z.string().refine((text) => isValidCell(text) && getResolution(text) === CITY_RESOLUTION, {
  error: `must be an H3 cell of resolution ${CITY_RESOLUTION}`,
});
const CellFeature = z.object({ properties: z.object({ h3_cell: Cell, weight: Weight.nullish() }) });
const PointFeature = z.object({
  geometry: z.object({
    type: z.literal("Point"),
    coordinates: z.tuple([z.number().min(-180).max(180), z.number().min(-90).max(90)], z.number()), // lng, lat
  }),
  properties: z.object({ weight: Weight.nullish() }).nullish(),
});
const Features = z.object({
  type: z.literal("FeatureCollection"),
  features: z.array(z.unknown()).min(1).max(MAX_ENTRIES),
});
const CsvRow = z.object({
  h3_cell: Cell,
  weight: z.preprocess((text) => (text === "" ? undefined : text), Weight.optional()),
});

/**
 * Reads cells from a GeoJSON FeatureCollection or from CSV with the columns `h3_cell` and `weight`. A feature names its cell
 * (`properties.h3_cell`), or is a point, which lies in one. Weights of several entries in one cell add up; an entry without one weighs
 * 1. Throws OperatorError naming the file, the entry and what is wrong.
 */
export function readCellsFile(text: string, path: string): CellWeights {
  const entries = /^\s*\{/.test(text) ? geoJsonEntries(text, path) : csvEntries(text, path);
  const weights = new Map<string, number>();
  for (const { cell, weight } of entries) weights.set(cell, (weights.get(cell) ?? 0) + weight);
  if (weights.size > MAX_CELLS)
    throw new OperatorError(`${path}: more than ${MAX_CELLS} cells: larger than any city`);
  for (const [cell, weight] of weights) {
    if (weight > MAX_WEIGHT)
      throw new OperatorError(
        `${path}: cell ${cell}: its weights add up to ${weight}; the maximum is ${MAX_WEIGHT}`,
      );
  }
  return weights;
}

interface Entry {
  readonly cell: string;
  readonly weight: number;
}

function geoJsonEntries(text: string, path: string): Entry[] {
  const parsed = Features.safeParse(readJson(text, path));
  if (!parsed.success)
    throw new OperatorError(
      `${path}: expected a GeoJSON FeatureCollection with 1 to ${MAX_ENTRIES} features`,
    );
  return parsed.data.features.map((feature, index) => {
    const place = `${path}: feature ${index + 1}`;
    if (PointFeature.safeParse(feature).success && !CellFeature.safeParse(feature).success) {
      const { geometry, properties } = PointFeature.parse(feature);
      const [lng, lat] = geometry.coordinates;
      return { cell: latLngToCell(lat, lng, CITY_RESOLUTION), weight: properties?.weight ?? 1 };
    }
    const { properties } = checked(CellFeature, feature, place);
    return { cell: properties.h3_cell, weight: properties.weight ?? 1 };
  });
}

function csvEntries(text: string, path: string): Entry[] {
  const rows = table(text, path);
  if (rows.length === 0) throw new OperatorError(`${path}: has no cells`);
  return rows.map((row, index) => {
    const { h3_cell: cell, weight = 1 } = checked(CsvRow, row, `${path}: row ${index + 1}`);
    return { cell, weight };
  });
}

function table(text: string, path: string): unknown[] {
  try {
    return parse(text, { bom: true, columns: true, skip_empty_lines: true, to: MAX_ENTRIES, trim: true });
  } catch (cause) {
    throw new OperatorError(
      `${path}: not CSV with a header: ${cause instanceof Error ? cause.message : cause}`,
      {
        cause,
      },
    );
  }
}

function checked<T>(schema: z.ZodType<T>, value: unknown, place: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new OperatorError(`${place}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "is wrong"}`);
}
