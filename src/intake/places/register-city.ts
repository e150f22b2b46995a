import { parse } from "csv-parse/sync";
import { getResolution, isValidCell, latLngToCell, uncompactCells } from "h3-js";
import { z } from "zod";
import type { GazetteerCity } from "../../contract/cities/city.ts";
import { confirmationCode } from "../../kernel/confirmation.ts";
import { OperatorError } from "../../kernel/errors.ts";
import type { CityStep } from "../../ledger/decisions/ledger-state.ts";
import type { CityDetails } from "../../ledger/rows/rows.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { parseObservation } from "../lines/observation-input.ts";
import { cellManifest, readJson } from "./city-outline.ts";
import { CITY_RESOLUTION } from "./place.ts";

/**
 * Adds a city with its resolution-8 cells; `taken` counts cells of the outline that other cities have or had: a cell belongs to one city.
 * Throws OperatorError for a city that is registered, or when others have all its cells.
 */
export function registerCity(ledger: LedgerWriter, city: GazetteerCity, cells: readonly string[]) {
  const cities = ledger.intake.cities();
  const same = cities.find(({ details }) => details.geoname_id === city.geonameId);
  if (same !== undefined)
    throw new OperatorError(
      `${city.name} (GeoNames ${city.geonameId}) is already registered, as "${same.slug}": \`presence city outline ${same.slug}\` changes its outline, \`presence city cells ${same.slug}\` its eligible cells`,
    );
  const free = freeCells(ledger, cells, undefined);
  const details = cityDetails(city, cellManifest(free));
  const slug = freeSlug(city, new Set(cities.map((existing) => existing.slug)));
  const row = ledger.transaction(() => {
    const { id } = ledger.append({ kind: "city", body: { city: slug, details, step: "register" } });
    ledger.intake.addCity(slug, id, details);
    return id;
  });
  return { slug, row, cells: free.length, taken: cells.length - free.length };
}

/**
 * The cells that no other city has, or had while it had observations: opt-outs hold in their city, so that a cell which changed hands
 * would bring back whoever left.
 */
function freeCells(ledger: LedgerWriter, cells: readonly string[], own: string | undefined): string[] {
  const others = ledger.intake.cities().filter(({ slug }) => slug !== own);
  const owned = new Set(others.flatMap(({ details }) => uncompactCells(details.cells, CITY_RESOLUTION)));
  const known = new Set(others.map(({ slug }) => slug).filter((slug) => ledger.live.hasRowsOf(slug)));
  for (const { kind, body } of ledger.deskRows.rows())
    if (kind === "city" && body.details !== null && known.has(body.city))
      for (const cell of uncompactCells(body.details.cells, CITY_RESOLUTION)) owned.add(cell);
  const free = cells.filter((cell) => !owned.has(cell));
  if (free.length === 0)
    throw new OperatorError("all cells of this outline belong to other registered cities");
  return free;
}

/** What another outline would do to a city, and the row that does it. */
export interface OutlinePlan {
  readonly cells: number;
  readonly gained: number;
  readonly lost: number;
  readonly taken: number; // cells of the outline that other cities have or had
  readonly outside: number; // observations in the lost cells: they stay with the city
  readonly code: string; // valid until the ledger changes
  /** Appends the row and returns its number. */
  make(): number;
}

/**
 * Plans another outline of a city: from then on lines belong to it when they lie in the new area, all cells of the area are eligible, and
 * the list has to be reviewed. Rows stay as they are. Throws OperatorError for an unknown city, for the outline that it has, and while
 * lines wait in cells that it would lose.
 */
export function planOutline(ledger: LedgerWriter, slug: string, cells: readonly string[]): OutlinePlan {
  const area = requiredArea(ledger, slug);
  const before = new Set(uncompactCells(area.cells, CITY_RESOLUTION));
  const free = freeCells(ledger, cells, slug);
  const after = new Set(free);
  const details = { ...area, cells: cellManifest(free) };
  if (JSON.stringify(details.cells) === JSON.stringify(area.cells))
    throw new OperatorError(`${area.name} already has this outline`);
  const isLost = (cell: string) => before.has(cell) && !after.has(cell);
  const waiting = waitingIn(ledger, isLost);
  if (waiting > 0)
    throw new OperatorError(
      `${waiting} lines wait in cells that ${area.name} would lose: run a night first, or undo their batch`,
    );
  return {
    cells: free.length,
    gained: free.filter((cell) => !before.has(cell)).length,
    lost: [...before].filter(isLost).length,
    taken: cells.length - free.length,
    outside: ledger.live.observationsIn(slug, isLost),
    code: confirmationCode([ledger.live.last().hash, "outline", slug, details.cells]),
    make: () =>
      ledger.transaction(() => {
        const { id } = ledger.append({ kind: "city", body: { city: slug, details, step: "outline" } });
        ledger.intake.replaceCity(slug, id, details);
        return id;
      }),
  };
}

function waitingIn(ledger: LedgerWriter, isWithin: (cell: string) => boolean): number {
  let count = 0;
  for (const { input } of ledger.pending.all()) {
    const { lat, lng } = parseObservation(JSON.parse(input));
    if (isWithin(latLngToCell(lat, lng, CITY_RESOLUTION))) count += 1;
  }
  return count;
}

/** The area of a city, without weights of a list. Throws OperatorError for an unknown city. */
export function requiredArea(ledger: LedgerWriter, slug: string): CityDetails {
  const area = ledger.intake.cities().find((city) => city.slug === slug)?.details;
  if (area === undefined) throw unknownCity(ledger, slug);
  return area;
}

/**
 * Replaces the list of a city's eligible cells, the denominator of its coverage; it has to be reviewed again. Observations belong to
 * the city as before: its area is that of its outline, and the list a part of it. Throws OperatorError for an unknown city, for
 * cells outside its area, and for the list that it has.
 */
export function replaceCells(ledger: LedgerWriter, slug: string, weights: CellWeights) {
  const area = requiredArea(ledger, slug);
  const present = ledger.intake.eligibleDetails(slug);
  const inArea = new Set(uncompactCells(area.cells, CITY_RESOLUTION));
  const outside = [...weights.keys()].filter((cell) => !inArea.has(cell));
  if (outside.length > 0)
    throw new OperatorError(
      `${outside.length} of ${weights.size} cells are outside the area of ${area.name}, for example ${outside[0]}: remove them`,
    );
  const cells = [...weights.keys()].sort();
  const details = detailsWith(
    area,
    cells,
    cells.map((cell) => weights.get(cell) ?? 1),
  );
  if (JSON.stringify(details) === JSON.stringify(present))
    throw new OperatorError(`${area.name} already has this list of cells and weights`);
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
