import { parse } from "csv-parse/sync";
import { getResolution, isValidCell, latLngToCell, uncompactCells } from "h3-js";
import { z } from "zod";
import type { GazetteerCity } from "../../contract/cities/city.ts";
import { OperatorError } from "../../kernel/errors.ts";
import type { CityStep } from "../../ledger/decisions/ledger-state.ts";
import type { CityDetails } from "../../ledger/rows/rows.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { parseObservation } from "../lines/observation-input.ts";
import { cellManifest, readJson } from "./city-outline.ts";
import { CITY_RESOLUTION, type City, cityAt, cityFinder } from "./place.ts";

/**
 * Adds a city with its resolution-8 cells, or registers a city anew that nothing is known of; `taken` counts cells of the outline that
 * another city has: a cell belongs to one city. Throws OperatorError when anything is known of it, or when others have all its cells.
 */
export function registerCity(ledger: LedgerWriter, city: GazetteerCity, cells: readonly string[]) {
  const cities = ledger.intake.cities();
  const same = cities.find(({ details }) => details.geoname_id === city.geonameId);
  const others = cities.filter((each) => each !== same);
  const owned = new Set(others.flatMap(({ details }) => uncompactCells(details.cells, CITY_RESOLUTION)));
  const free = cells.filter((cell) => !owned.has(cell));
  if (free.length === 0)
    throw new OperatorError(`${city.name}: other registered cities have all cells of this outline`);
  const details = cityDetails(city, cellManifest(free));
  if (same !== undefined) requireUnused(ledger, same, details);
  const slug = same?.slug ?? freeSlug(city, new Set(cities.map((existing) => existing.slug)));
  const row = ledger.transaction(() => {
    const { id } = ledger.append({ kind: "city", body: { city: slug, details, step: "register" } });
    if (same === undefined) ledger.intake.addCity(slug, id, details);
    else ledger.intake.replaceCity(slug, id, details);
    return id;
  });
  return { slug, row, cells: free.length, taken: cells.length - free.length };
}

/** Throws OperatorError for a city that cannot be registered anew, or need not be. */
function requireUnused(ledger: LedgerWriter, { slug, details: before }: City, details: CityDetails): void {
  const already = `${details.name} (GeoNames ${details.geoname_id}) is registered already, as "${slug}"`;
  if (JSON.stringify(before) === JSON.stringify(details)) throw new OperatorError(already);
  if (ledger.live.hasRowsOf(slug) || hasPendingLines(ledger, slug))
    throw new OperatorError(
      `${already}: only a city without observations and looks can be registered anew. \`presence city cells\` replaces its eligible cells`,
    );
}

function hasPendingLines(ledger: LedgerWriter, slug: string): boolean {
  const find = cityFinder(ledger.intake.cities());
  for (const { input } of ledger.pending.all()) {
    const { lat, lng } = parseObservation(JSON.parse(input));
    if (cityAt(find, lat, lng)?.slug === slug) return true;
  }
  return false;
}

/**
 * Replaces the list of a city's eligible cells, the denominator of its coverage; it has to be reviewed again. Observations belong to
 * the city as before: its area is that of its registration, and the list a part of it. Throws OperatorError for an unknown city, for
 * cells outside its area, and for the list that it has.
 */
export function replaceCells(ledger: LedgerWriter, slug: string, weights: CellWeights) {
  const area = ledger.intake.cities().find((city) => city.slug === slug)?.details;
  const present = ledger.intake.eligibleDetails(slug);
  if (area === undefined || present === undefined) throw unknownCity(ledger, slug);
  const inArea = new Set(uncompactCells(area.cells, CITY_RESOLUTION));
  const outside = [...weights.keys()].filter((cell) => !inArea.has(cell));
  if (outside.length > 0)
    throw new OperatorError(
      `${outside.length} of ${weights.size} cells are outside the area of ${area.name}, ${outside[0]} for one: leave them out`,
    );
  const cells = [...weights.keys()].sort();
  const details = detailsWith(
    area,
    cells,
    cells.map((cell) => weights.get(cell) ?? 1),
  );
  if (JSON.stringify(details) === JSON.stringify(present))
    throw new OperatorError(`${area.name} has this list of cells and weights already`);
  const row = ledger.transaction(() => {
    const { id } = ledger.append({ kind: "city", body: { city: slug, details, step: "register" } });
    ledger.intake.replaceEligible(slug, id, details);
    return id;
  });
  return { slug, row, cells: cells.length };
}

/** Weights that are all 1 say nothing. */
function detailsWith(area: CityDetails, cells: readonly string[], weights: number[]): CityDetails {
  const details = { ...area, cells: cellManifest(cells) };
  return weights.every((weight) => weight === 1) ? details : { ...details, weights };
}

function unknownCity(ledger: LedgerWriter, slug: string): OperatorError {
  const slugs = ledger.intake.cities().map((city) => city.slug);
  return new OperatorError(`no city "${slug}"; registered are: ${slugs.join(", ") || "none"}`);
}

/** Appends one step of a city's life. Throws OperatorError for a city that is not registered. */
export function stepCity(ledger: LedgerWriter, slug: string, step: CityStep): number {
  const slugs = ledger.intake.cities().map((city) => city.slug);
  if (!slugs.includes(slug)) throw unknownCity(ledger, slug);
  return ledger.transaction(
    () => ledger.append({ kind: "city", body: { city: slug, details: null, step } }).id,
  );
}

function cityDetails(city: GazetteerCity, cells: string[]): CityDetails {
  return {
    cells,
    country: city.countryCode,
    country_name: city.countryName,
    geoname_id: city.geonameId,
    lat: city.lat,
    lng: city.lng,
    name: city.name,
    region: city.region,
    region_code: city.regionCode,
  };
}

/** "springfield", then "springfield-il", then with the country, then with the GeoNames id. */
function freeSlug(city: GazetteerCity, taken: ReadonlySet<string>): string {
  const { asciiName, regionCode, countryCode, geonameId } = city;
  const base = slugOf(asciiName) || "city";
  const longer = [regionCode, `${regionCode} ${countryCode}`, `${geonameId}`].map((part) =>
    slugOf(`${base} ${part}`),
  );
  return [base, ...longer].find((slug) => !taken.has(slug)) ?? `${base}-${geonameId}`;
}

function slugOf(text: string): string {
  const ascii = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return ascii.replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
}

/** A city's eligible cells as an operator lists them: GeoJSON or CSV, with or without weights. */

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
