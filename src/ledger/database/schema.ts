/**
 * The tables of ledger.db, and for every column whether its values may be published.
 * `rows`, `checkpoints` and `signing_keys` are append-only. A redaction deletes from `openings` and from nowhere else: digests, leaf hashes
 * and signed notes stay as they are. `external_proofs`, `signing_keys` and `online_checks` lie outside the tree.
 */

/** "PPEL" in the file header, so that another SQLite file is never taken for a ledger. */
export const APPLICATION_ID = 0x5050454c;
/** "PPES", of a ledger that presence 1.x wrote. */
export const APPLICATION_ID_OF_1X = 0x50504553;

/** Larger pages than the usual 4 kB append a fifth faster, because a row with its opening fills a quarter of one. */
export const PAGE_SIZE = 16_384;

/**
 * The kinds that queries select by kind. A query must repeat this exact term next to its own condition; otherwise SQLite does not
 * use the partial index and reads all rows. Comparisons, because SQLite makes a table of a list of three for each inserted row.
 */
export const INDEXED_KINDS = "(kind = 'seal' OR kind = 'redaction')";

export const LEDGER_SQL = `
CREATE TABLE meta (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  environment TEXT NOT NULL,
  origin TEXT NOT NULL,
  vkey TEXT NOT NULL,
  intake_check TEXT NOT NULL,
  name_key_version INTEGER NOT NULL, -- of the names that opt-outs and intake keep as hashes
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE signing_keys (
  key_id TEXT PRIMARY KEY,
  vkey TEXT NOT NULL,
  from_size INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  endorsement TEXT
) STRICT;

CREATE TABLE manifest_keys (
  key_id TEXT PRIMARY KEY,
  vkey TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  endorsement TEXT NOT NULL
) STRICT;

CREATE TABLE external_proofs (
  size INTEGER NOT NULL REFERENCES checkpoints (size),
  provider TEXT NOT NULL,
  status TEXT NOT NULL,
  requested_at INTEGER NOT NULL,
  attempted_at INTEGER,
  token BLOB,
  sha256 TEXT,
  verified_at INTEGER,
  PRIMARY KEY (size, provider)
) STRICT;

CREATE TABLE rows (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  accepted_at INTEGER NOT NULL,
  digests BLOB NOT NULL CHECK (length(digests) = 160),
  leaf_hash BLOB NOT NULL CHECK (length(leaf_hash) = 32)
) STRICT;

CREATE TABLE openings (
  row INTEGER PRIMARY KEY,
  salts BLOB NOT NULL,
  body TEXT NOT NULL,
  private TEXT
) STRICT;

CREATE TABLE checkpoints (
  size INTEGER PRIMARY KEY,
  note TEXT NOT NULL,
  root BLOB NOT NULL CHECK (length(root) = 32),
  frontier BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  key_id TEXT NOT NULL
) STRICT;

CREATE TABLE online_checks (
  id INTEGER PRIMARY KEY,
  record INTEGER NOT NULL REFERENCES rows (id),
  checked_at INTEGER NOT NULL,
  verdict TEXT NOT NULL,
  signal_types TEXT NOT NULL,
  match_count INTEGER NOT NULL,
  provider TEXT NOT NULL
) STRICT;

CREATE INDEX online_checks_by_time ON online_checks (checked_at, id);

-- Nearly all rows are observations, which are read in order; only the others are selected by kind.
CREATE INDEX rows_of_kinds ON rows (kind, id) WHERE ${INDEXED_KINDS};
CREATE INDEX rows_of_clock ON rows (id) WHERE kind = 'clock';
`;

export type Visibility = "public" | "private";
export type ColumnMarks = { readonly [table: string]: { readonly [column: string]: Visibility } };

/** Public: may appear in a release, in some form. Private: never leaves the ledger but by the operator's own disclosure. */
export const LEDGER_COLUMNS = {
  meta: {
    id: "private",
    environment: "public",
    origin: "public",
    vkey: "public",
    intake_check: "private",
    name_key_version: "private",
    created_at: "private",
  },
  rows: {
    id: "public",
    kind: "public",
    accepted_at: "private", // public only as the day
    digests: "public",
    leaf_hash: "public",
  },
  openings: {
    row: "public",
    salts: "private", // only the first, the body's, is part of a published disclosure
    body: "public",
    private: "private",
  },
  checkpoints: {
    size: "public",
    note: "public",
    root: "public",
    frontier: "public",
    created_at: "public",
    key_id: "public",
  },
  signing_keys: {
    key_id: "public",
    vkey: "public",
    from_size: "public",
    created_at: "public",
    endorsement: "public",
  },
  manifest_keys: {
    key_id: "public",
    vkey: "public",
    created_at: "public",
    endorsement: "public",
  },
  external_proofs: {
    size: "public",
    provider: "public",
    status: "public",
    requested_at: "public",
    attempted_at: "public",
    token: "public",
    sha256: "public",
    verified_at: "public",
  },
  online_checks: {
    id: "private",
    record: "public",
    checked_at: "public",
    verdict: "public",
    signal_types: "public",
    match_count: "public",
    provider: "private",
  },
} as const satisfies ColumnMarks;
