import type { Database } from "better-sqlite3";
import { values } from "../../kernel/table.ts";
import { foldName } from "../search/search-terms.ts";

/** The city that a text names: one of the service, by its slug, or one of the catalog that the service does not cover. */
export type NamedPlace =
  | { readonly kind: "covered"; readonly slug: string }
  | { readonly kind: "outside"; readonly geonameId: number };

interface Candidate {
  readonly geonameId: number;
  readonly slug: string | null; // of a city of the service
  readonly places: readonly string[]; // keys of its region and country, by name and code
}

interface StoredCity {
  readonly geonameId: number;
  readonly slug: string | null;
  readonly name: string;
  readonly asciiName: string;
  readonly region: string;
  readonly regionCode: string;
  readonly country: string;
  readonly countryName: string;
}

const MAX_TEXT = 200;
const SEPARATORS = /[^\p{L}\p{N}\p{M}]+/gu;

/** The catalog is read when a text is no slug, once a release. */
export function placeQueries(db: Database) {
  const slugs = values<[slug: string], string>(db, "SELECT slug FROM cities WHERE slug = ?");
  const geonames = db.prepare<[], [number, string]>("SELECT geoname_id, slug FROM cities").raw();
  let catalog: ReadonlyMap<string, readonly Candidate[]> | undefined;
  return {
    /**
     * The one city that a text means, as people type it (`Guelph`, `guelph`, `Guelph, Ontario`, `Guelph, CA`): case, accents and
     * punctuation do not matter, and what follows a comma must be its region or country, by name or code. A slug of the service
     * goes first, then a name of a city of the service, then the most populous city of the catalog that fits. Undefined for any
     * other text.
     */
    placeNamed(text: string): NamedPlace | undefined {
      if (text.length > MAX_TEXT) return undefined;
      const slug = slugs.get(text.trim().toLowerCase());
      if (slug !== undefined) return { kind: "covered", slug };
      catalog ??= byKey(db);
      return placeOf(catalog, text);
    },
    /** The cities of the service by the ids of the catalog. */
    coveredGeonames: (): ReadonlyMap<number, string> => new Map(geonames.all()),
  };
}

function placeOf(catalog: ReadonlyMap<string, readonly Candidate[]>, text: string): NamedPlace | undefined {
  const [name = "", ...within] = text.split(",").map(placeKey);
  const candidate = catalog
    .get(name)
    ?.find(({ places }) => within.every((place) => place === "" || places.includes(place)));
  if (candidate === undefined) return undefined;
  return candidate.slug === null
    ? { kind: "outside", geonameId: candidate.geonameId }
    : { kind: "covered", slug: candidate.slug };
}

/** Cities of the service first, then the catalog from the most populous on. */
function byKey(db: Database): Map<string, Candidate[]> {
  const covered = db.prepare<[], StoredCity>(
    `SELECT geoname_id AS geonameId, slug, name, name AS asciiName, region, region_code AS regionCode, country,
       country_name AS countryName FROM cities ORDER BY id`,
  );
  const others = db.prepare<[], StoredCity>(
    `SELECT geoname_id AS geonameId, NULL AS slug, name, ascii_name AS asciiName, region, region_code AS regionCode,
       country_code AS country, country_name AS countryName FROM gazetteer
     WHERE geoname_id NOT IN (SELECT geoname_id FROM cities) ORDER BY seq`,
  );
  const candidates = new Map<string, Candidate[]>();
  for (const cities of [covered.iterate(), others.iterate()])
    for (const city of cities) {
      const candidate = candidateOf(city);
      for (const key of new Set([placeKey(city.name), placeKey(city.asciiName)]))
        if (key !== "") candidates.set(key, [...(candidates.get(key) ?? []), candidate]);
    }
  return candidates;
}

function candidateOf({ geonameId, slug, region, regionCode, country, countryName }: StoredCity): Candidate {
  return { geonameId, slug, places: [region, regionCode, country, countryName].map(placeKey) };
}

function placeKey(text: string): string {
  return foldName(text).replace(SEPARATORS, " ").trim();
}
