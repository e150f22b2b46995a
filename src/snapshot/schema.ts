import { CitySort } from "../contract/enums.ts";

/**
 * The read model. `records.position` is the display order and `observations.seq` puts the observations of a record side by
 * side, newest published first: the two hottest reads are then a range of rowids and need no index.
 * `by_rank` and its like are the places in the orders of a city's index, null outside it.
 * Nested values (standing, history, coverage) are JSON in the camel-case form that the queries return.
 */
export const SNAPSHOT_VERSION = 8;

/** `PPSN`: tells the file from a ledger, which has versions of its own. */
export const APPLICATION_ID = 0x5050534e;

export const TABLES = `
CREATE TABLE release (
  release_id TEXT PRIMARY KEY, as_of INTEGER NOT NULL, tree_size INTEGER NOT NULL, environment TEXT NOT NULL,
  origin TEXT NOT NULL, base_url TEXT NOT NULL, source_revision TEXT NOT NULL, latest_live_row INTEGER NOT NULL,
  latest_live_at INTEGER, last_sealed_row INTEGER NOT NULL, last_seal_at INTEGER, external_timestamping INTEGER NOT NULL, security_contact TEXT, reference_sha256 TEXT NOT NULL, activity_sha256 TEXT,
  operator_name TEXT, operator_texts_sha256 TEXT, incidents_sha256 TEXT, reports_sha256 TEXT
) STRICT;
CREATE TABLE cities (
  id INTEGER PRIMARY KEY, slug TEXT NOT NULL UNIQUE, name TEXT NOT NULL, region TEXT NOT NULL, region_code TEXT NOT NULL,
  country TEXT NOT NULL, country_name TEXT NOT NULL, geoname_id INTEGER NOT NULL, lat REAL NOT NULL, lng REAL NOT NULL,
  publication_status TEXT NOT NULL, collection_status TEXT NOT NULL, launched INTEGER NOT NULL,
  denominator_reviewed INTEGER NOT NULL, cell_manifest_id TEXT NOT NULL, cells TEXT NOT NULL, snapshot_id TEXT NOT NULL,
  record_count INTEGER NOT NULL, observation_count INTEGER NOT NULL, ranking_summary TEXT NOT NULL, cohort TEXT NOT NULL,
  coverage TEXT NOT NULL, observed_cells TEXT NOT NULL
) STRICT;
CREATE TABLE records (
  position INTEGER PRIMARY KEY, id INTEGER NOT NULL, public_id TEXT NOT NULL, name TEXT NOT NULL, city TEXT NOT NULL,
  by_rank INTEGER, by_name INTEGER, by_observations INTEGER, by_last_observed INTEGER,
  industry TEXT, industry_section TEXT, industry_state TEXT NOT NULL, ranking_state TEXT NOT NULL, gate_status TEXT NOT NULL,
  status TEXT NOT NULL,
  record_status TEXT NOT NULL, identity_status TEXT NOT NULL, is_synthetic INTEGER NOT NULL, website TEXT, merged_into TEXT,
  identity TEXT NOT NULL, online_verdict TEXT NOT NULL, online TEXT NOT NULL, standing TEXT NOT NULL, history TEXT NOT NULL,
  evidence_mix TEXT NOT NULL, first_observed INTEGER, last_observed INTEGER, observation_count INTEGER NOT NULL,
  asset_count INTEGER NOT NULL, cell_count INTEGER NOT NULL, observations_from INTEGER NOT NULL
) STRICT;
CREATE TABLE assets (
  id INTEGER PRIMARY KEY, record INTEGER NOT NULL, public_id TEXT NOT NULL, asset_type TEXT NOT NULL, is_mobile INTEGER NOT NULL,
  legibility REAL, first_observed INTEGER, last_observed INTEGER, status TEXT NOT NULL, observation_count INTEGER NOT NULL
) STRICT;
CREATE TABLE observations (
  seq INTEGER PRIMARY KEY, id INTEGER NOT NULL, asset INTEGER NOT NULL, source TEXT NOT NULL, observed_at INTEGER NOT NULL,
  accepted_at INTEGER NOT NULL, published_at INTEGER NOT NULL, reprocessed_at INTEGER, derived_from_archive INTEGER NOT NULL,
  recognition_model_version TEXT, methodology_version TEXT NOT NULL, cell TEXT NOT NULL, state TEXT NOT NULL,
  presence_kind TEXT NOT NULL, trust REAL NOT NULL, ledger_hash BLOB NOT NULL, observer_tag TEXT NOT NULL
) STRICT;
CREATE TABLE events (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL, city TEXT NOT NULL, type TEXT NOT NULL, detected_at INTEGER NOT NULL,
  headline TEXT NOT NULL, summary TEXT NOT NULL, record INTEGER NOT NULL, asset INTEGER, confidence REAL NOT NULL,
  confidence_label TEXT NOT NULL, evidence_count INTEGER NOT NULL
) STRICT;
CREATE TABLE explorer_facts (
  record INTEGER NOT NULL, asset_type TEXT NOT NULL, observations INTEGER NOT NULL, assets INTEGER NOT NULL,
  cells TEXT NOT NULL, first_observed INTEGER NOT NULL, last_observed INTEGER NOT NULL,
  PRIMARY KEY (record, asset_type)
) STRICT, WITHOUT ROWID;
CREATE TABLE seals (
  row INTEGER PRIMARY KEY, manifest TEXT NOT NULL, tree_size INTEGER NOT NULL, external_proof TEXT NOT NULL
) STRICT;
CREATE TABLE industries (
  seq INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, title TEXT NOT NULL, level TEXT NOT NULL, section_code TEXT NOT NULL,
  section_title TEXT NOT NULL, folded TEXT NOT NULL
) STRICT;
CREATE TABLE gazetteer (
  seq INTEGER PRIMARY KEY, geoname_id INTEGER NOT NULL, name TEXT NOT NULL, ascii_name TEXT NOT NULL, region TEXT NOT NULL,
  region_code TEXT NOT NULL, country_code TEXT NOT NULL, country_name TEXT NOT NULL, population INTEGER NOT NULL,
  lat REAL NOT NULL, lng REAL NOT NULL, folded TEXT NOT NULL
) STRICT;
CREATE TABLE samples (report TEXT NOT NULL) STRICT;
CREATE TABLE activity (report TEXT NOT NULL) STRICT;
CREATE TABLE operator_texts (name TEXT PRIMARY KEY, markdown TEXT NOT NULL) STRICT;
CREATE TABLE incidents (seq INTEGER PRIMARY KEY, incident TEXT NOT NULL) STRICT;
CREATE TABLE report_counts (counts TEXT NOT NULL) STRICT;
`;

/** A page of a city's index is a range of one of these, and its filters need no row of the table. */
function placeIndexes(): string {
  return CitySort.options
    .map(
      (sort) => `CREATE INDEX records_by_${sort}
  ON records (city, by_${sort}, online_verdict, industry, industry_section, ranking_state, status, gate_status) WHERE by_${sort} IS NOT NULL;`,
    )
    .join("\n");
}

/** Made after the rows are in: sorted once, packed, and the same bytes each time. */
export const INDEXES = `
CREATE UNIQUE INDEX records_public_id ON records (public_id);
CREATE UNIQUE INDEX records_id ON records (id);
${placeIndexes()}
CREATE INDEX assets_record ON assets (record, id);
CREATE INDEX events_city ON events (city, detected_at DESC, id, type);
`;

/**
 * Every column of the tables above, stated again by hand: a new column stays out of a release until somebody has written
 * here that the world may see it. A test compares the two, the search index included.
 */
export const PUBLIC_COLUMNS: Readonly<Record<string, string>> = {
  release:
    "release_id as_of tree_size environment origin base_url source_revision latest_live_row latest_live_at last_sealed_row last_seal_at external_timestamping security_contact reference_sha256 activity_sha256 operator_name operator_texts_sha256 incidents_sha256 reports_sha256",
  cities:
    "id slug name region region_code country country_name geoname_id lat lng publication_status collection_status launched denominator_reviewed cell_manifest_id cells snapshot_id record_count observation_count ranking_summary cohort coverage observed_cells",
  records:
    "position id public_id name city by_rank by_name by_observations by_last_observed industry industry_section industry_state ranking_state gate_status status record_status identity_status is_synthetic website merged_into identity online_verdict online standing history evidence_mix first_observed last_observed observation_count asset_count cell_count observations_from",
  assets:
    "id record public_id asset_type is_mobile legibility first_observed last_observed status observation_count",
  observations:
    "seq id asset source observed_at accepted_at published_at reprocessed_at derived_from_archive recognition_model_version methodology_version cell state presence_kind trust ledger_hash observer_tag",
  events:
    "seq id city type detected_at headline summary record asset confidence confidence_label evidence_count",
  explorer_facts: "record asset_type observations assets cells first_observed last_observed",
  seals: "row manifest tree_size external_proof",
  industries: "seq code title level section_code section_title folded",
  gazetteer:
    "seq geoname_id name ascii_name region region_code country_code country_name population lat lng folded",
  samples: "report",
  activity: "report",
  operator_texts: "name markdown",
  incidents: "seq incident",
  report_counts: "counts",
};
