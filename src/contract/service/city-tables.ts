import { z } from "zod";
import { ChangeEvent } from "../cities/pulse.ts";
import { Sha256Hex, Timestamp, Uri } from "../fields.ts";
import { Asset, Entity, PresenceScore, Stats } from "../records/entity.ts";
import { Observation } from "../records/observation.ts";

/** The tables of each city below `/exports/city/{slug}/`: a row each as REST gives it, behind the keys that a list of REST has once. */

const citySlug = { city_slug: z.string().describe("City slug: `{city}` in addresses.") };
const ofRecord = {
  ...citySlug,
  record_public_id: z.string().describe("Public id of the Presence Record."),
};

/** What follows from another column, or is the same in every row of a file: a million rows of it would be a third of it. */
const {
  time_precision: _1,
  proof_url: _2,
  observation_verification_state: _3,
  physical_citation: _4,
  reprocessed_at: _5,
  ledger_schema_version: _6,
  city: _7,
  region: _8,
  country: _9,
  ...observed
} = Observation.shape;

/** A row of the table of one record's observations. */
export const ObservationTableRow = z.object({
  ...ofRecord,
  ...observed,
  terms: Uri.describe("Terms of the service, which apply to every row."),
});

export const CITY_TABLE_NAMES = ["records", "assets", "observations", "events"] as const;
export type CityTableName = (typeof CITY_TABLE_NAMES)[number];

interface CityTable {
  readonly title: string;
  readonly row: z.ZodObject; // a column each field, in this order
  readonly key: string;
  readonly foreignKeys: readonly ForeignKey[];
  readonly order: string; // of the rows
  /** A column with H3 cells. The Parquet file has their polygons too, in `geometry` (GeoParquet). */
  readonly cells?: string;
}

/** A column that has values of another table's column. */
export interface ForeignKey<Table extends string = CityTableName> {
  readonly column: string;
  readonly table: Table;
  readonly to: string;
}

const recordKey = (column: string): ForeignKey => ({ column, table: "records", to: "public_id" });

/** The one description of the tables: writers, catalogues and documents take it from here. */
export const CITY_TABLES: Readonly<Record<CityTableName, CityTable>> = {
  records: {
    title: "Presence Records",
    row: z.object({ ...citySlug, ...Entity.shape, ...PresenceScore.shape, ...Stats.shape }),
    key: "public_id",
    foreignKeys: [],
    order: "by `public_id`",
  },
  assets: {
    title: "Assets",
    row: z.object({ ...ofRecord, ...Asset.shape }),
    key: "id",
    foreignKeys: [recordKey("record_public_id")],
    order: "by record",
  },
  observations: {
    title: "Observations",
    row: z.object({ ...ofRecord, ...observed }),
    key: "id",
    foreignKeys: [recordKey("record_public_id"), { column: "asset_id", table: "assets", to: "id" }],
    order: "by `observed_at`, oldest first",
    cells: "h3_cell",
  },
  events: {
    title: "Change events",
    row: z.object({ ...citySlug, ...ChangeEvent.shape }),
    key: "id",
    foreignKeys: [recordKey("entity_public_id")],
    order: "newest first",
  },
};

/** The files of a table; the media types are those of the file as it is sent. */
export const CITY_TABLE_FORMATS = {
  csv: { ending: "csv.gz", mediaType: "application/gzip" },
  parquet: { ending: "parquet", mediaType: "application/vnd.apache.parquet" },
} as const;
export type CityTableFormat = keyof typeof CITY_TABLE_FORMATS;
export const CITY_TABLE_FORMAT_NAMES = ["csv", "parquet"] as const satisfies CityTableFormat[];

export const CITY_TABLES_NOTE =
  "Rows equal the API's answers; a missing row never proves absence. When /api/v1/withdrawals lists a ledger row, fetch the files again and delete earlier copies. `/exports/index.json` names the release whose file has a given SHA-256. In CSV, text that a spreadsheet would run as a formula has a leading apostrophe; in Parquet, names are verbatim. Lists and objects are JSON.";

export const CITY_TABLES_WITHHELD =
  "An erasure changed this city, and its tables are too large to rebuild at once. The next nightly release has them; until then, use the API.";

/** Below `exports/`. */
export function cityTablePath(slug: string, file: string): string {
  return `city/${slug}/${file}`;
}

/** Below `site/`, with a slash at its end. */
export function cityTablesFolder(slug: string): string {
  return `exports/${cityTablePath(slug, "")}`;
}

export function cityTableFile(table: CityTableName, format: CityTableFormat): string {
  return `${table}.${CITY_TABLE_FORMATS[format].ending}`;
}

/** In the folder of each city. */
export const CITY_TABLE_FILES: readonly string[] = CITY_TABLE_NAMES.flatMap((table) =>
  CITY_TABLE_FORMAT_NAMES.map((format) => cityTableFile(table, format)),
);

const CityTableEntry = z.looseObject({
  table: z.enum(CITY_TABLE_NAMES),
  path: z.string().describe("Beside this file."),
  format: z.enum(CITY_TABLE_FORMAT_NAMES),
  rows: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
  sha256: Sha256Hex,
});
export type CityTableEntry = z.infer<typeof CityTableEntry>;

/** `index.json` in the folder of a city. */
export const CityTables = z.looseObject({
  city: z.looseObject({ slug: z.string(), name: z.string() }),
  service: z.string(),
  is_synthetic: z.boolean().describe("True for demonstration data."),
  license: z.string(),
  terms_url: Uri,
  note: z.string(),
  withheld: z.string().nullable().describe("Why there are no files after an erasure; null where there are."),
  published_until: Timestamp.nullable().describe("Publication time of the newest row."),
  observations_digest: Sha256Hex.nullable().describe(
    "Changes where any row of the observations does; null while withheld.",
  ),
  files: z.array(CityTableEntry).describe("Empty while they are withheld."),
});
export type CityTables = z.infer<typeof CityTables>;
