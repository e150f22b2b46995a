import { OPEN_LICENSE } from "../../contract/records/claim-boundary.ts";
import { CityTables, cityTablePath } from "../../contract/service/city-tables.ts";
import type { ExportsIndex } from "../../contract/service/exports-index.ts";
import { isoTime } from "../../kernel/time.ts";
import type { ReadContext } from "../../resources/define.ts";
import { attributionText, describedFiles, EXPORT_TABLES, isAggregate, recordsCitation } from "./exports.ts";
import { tableColumns } from "./tables.ts";

/** A file below `exports/` that the build has written. */
export interface WrittenFile {
  readonly path: string; // below `exports/`
  readonly sha256: string;
  readonly bytes: number;
  text(): string;
}

type File = ExportsIndex["files"][number];
type Facts = Pick<File, "title" | "table" | "city" | "rows">;

const PLAIN = { table: null, city: null, rows: null };

/** What is no table. */
const DOCUMENTS: Readonly<Record<string, Facts>> = {
  "LICENSE.txt": { ...PLAIN, title: "License of these files" },
  "datapackage.json": { ...PLAIN, title: "Description as a Data Package (Frictionless)" },
  "stac.json": { ...PLAIN, title: "Description as a STAC collection" },
};

const CITY_INDEX = /^city\/([^/]+)\/index\.json$/;

/** `/exports/index.json`. Throws for a file that nothing describes. */
export function exportsIndex(
  snapshot: ReadContext["snapshot"],
  changes: number,
  written: readonly WrittenFile[],
): ExportsIndex {
  const release = snapshot.release();
  const known = new Map<string, Facts>(Object.entries(DOCUMENTS));
  known.set("changes.json", { ...PLAIN, title: "Changes since the previous release", rows: changes });
  for (const { path, title, table = null, city = null, rows } of describedFiles(snapshot))
    known.set(path, { title, table, city, rows: rows ?? changes });
  for (const [path, facts] of written.flatMap(cityFacts)) known.set(path, facts);
  return {
    release_id: release.releaseId,
    data_as_of: isoTime(release.asOf),
    is_synthetic: release.environment === "demo",
    licenses: {
      open: { name: OPEN_LICENSE.name, url: OPEN_LICENSE.url, cite: attributionText(release) },
      terms: {
        name: "Terms of the service",
        url: `${release.baseUrl}/terms/`,
        cite: recordsCitation(release),
      },
    },
    tables: Object.fromEntries(
      Object.entries(EXPORT_TABLES).map(([name, { title, key, row }]) => [
        name,
        { title, key: [...key], columns: tableColumns(row).map(column) },
      ]),
    ),
    files: written.map(({ path, sha256, bytes }) => {
      const facts = known.get(path);
      if (facts === undefined) throw new Error(`exports/${path}: no description`);
      const isOpen = !/^(city\/|changes\.)/.test(path);
      const release_path = isAggregate(path) ? `release/${release.releaseId}/${path}` : null;
      return { path, release_path, ...facts, bytes, sha256, license: isOpen ? "open" : "terms" };
    }),
  };
}

function column({ name, type, description }: { name: string; type: string; description: string }) {
  return { name, type, description };
}

/** A city's own index, and the tables that it lists. */
function cityFacts({ path, text }: WrittenFile): [string, Facts][] {
  const slug = CITY_INDEX.exec(path)?.[1];
  if (slug === undefined) return [];
  const { city, files } = CityTables.parse(JSON.parse(text()));
  const own: [string, Facts] = [path, { ...PLAIN, title: `Tables of ${city.name}`, city: city.slug }];
  return [
    own,
    ...files.map(({ table, path: name, rows }): [string, Facts] => [
      cityTablePath(city.slug, name),
      { title: `${EXPORT_TABLES[table]?.title} of ${city.name}`, table, city: city.slug, rows },
    ]),
  ];
}
