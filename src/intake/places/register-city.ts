import { uncompactCells } from "h3-js";
import type { GazetteerCity } from "../../contract/cities/city.ts";
import { OperatorError } from "../../kernel/errors.ts";
import type { CityStep } from "../../ledger/decisions/ledger-state.ts";
import type { CityDetails } from "../../ledger/rows/rows.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { parseObservation } from "../lines/observation-input.ts";
import type { CellWeights } from "./cells-file.ts";
import { cellManifest } from "./city-outline.ts";
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
