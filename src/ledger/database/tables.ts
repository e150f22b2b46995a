/**
 * The tables of ledger.db. `rows`, `checkpoints` and `signing_keys` are append-only. A redaction deletes from `openings` and from nowhere else: digests,
 * leaf hashes and signed notes stay as they are. `external_proofs`, `signing_keys` and `online_checks` lie outside the tree.
 *
 * Every other table is private as a whole: look-up tables of intake (matching/intake-tables.ts), lines that have no row yet, batches, sources
 * and their observers, looks. Observers, principals and references are keyed hashes. Times are in ms, days are UTC days in ms.
 */
import { z } from "zod";
import {
  AssetType,
  OnlinePresence,
  SignalType,
  SourceState,
  SourceType,
  Vetting,
} from "../../contract/enums.ts";
import { blob, checkedJson, flag, integer, oneOf, onlyRow, table, text } from "../../kernel/table.ts";
import { LOOKUPS } from "../matching/intake-tables.ts";

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

const LEDGER = "as long as the ledger";
const LIVE = "until its rows are erased";
const ERASED = "until erased";
const HASH_BYTES = 32;

const CORE = [
  table("meta", {
    private: { id: onlyRow(), intakeCheck: text(), nameKeyVersion: integer(), createdAt: integer() },
    public: { environment: text(), origin: text(), vkey: text() },
    bound: { limit: "1 row", kept: LEDGER },
  }),
  table("signing_keys", {
    public: {
      keyId: text().primaryKey(),
      vkey: text(),
      fromSize: integer(),
      createdAt: integer(),
      endorsement: text().nullable(),
    },
    bound: { limit: "1 a rotation", kept: LEDGER },
  }),
  table("manifest_keys", {
    public: { keyId: text().primaryKey(), vkey: text(), createdAt: integer(), endorsement: text() },
    bound: { limit: "1 a rotation", kept: LEDGER },
  }),
  table("rows", {
    public: {
      id: integer().primaryKey(),
      kind: text(),
      digests: blob(5 * HASH_BYTES),
      leafHash: blob(HASH_BYTES),
    },
    private: { acceptedAt: integer() }, // public only as the day
    // Nearly all rows are observations, which are read in order; only the others are selected by kind.
    indexes: [
      `CREATE INDEX rows_of_kinds ON rows (kind, id) WHERE ${INDEXED_KINDS};`,
      "CREATE INDEX rows_of_clock ON rows (id) WHERE kind = 'clock';",
    ],
    bound: { limit: "1 a ledger row", kept: LEDGER },
  }),
  table("openings", {
    public: { row: integer().primaryKey(), body: text() },
    private: {
      salts: blob(), // only the first, the body's, is part of a published disclosure
      private: text().nullable(),
    },
    // The observations of a record, which a night looks for whenever it chooses a name.
    indexes: [
      "CREATE INDEX openings_of_records ON openings (body ->> '$.record') WHERE private IS NOT NULL;",
    ],
    bound: { limit: "1 a live row", kept: LIVE },
  }),
  table("checkpoints", {
    public: {
      size: integer().primaryKey(),
      note: text(),
      root: blob(HASH_BYTES),
      frontier: blob(),
      createdAt: integer(),
      keyId: text(),
    },
    bound: { limit: "1 a signed tree", kept: LEDGER },
  }),
];

export const externalProofs = table("external_proofs", {
  public: {
    size: integer().references("checkpoints (size)"),
    provider: text(), // host of the authority asked
    status: oneOf(["pending", "verified", "failed"]),
    token: blob().nullable(), // DER of the whole RFC 3161 answer, once verified
    sha256: text().nullable(), // of the token, hex
    verifiedAt: integer().nullable(), // whole seconds, as the next two
    requestedAt: integer(),
    attemptedAt: integer().nullable(), // of the answer, once there was one
  },
  primaryKey: ["size", "provider"],
  bound: { limit: "1 a checkpoint and authority", kept: LEDGER },
});

export const onlineChecks = table("online_checks", {
  private: { id: integer().primaryKey(), provider: text() },
  public: {
    record: integer().references("rows (id)"),
    checkedAt: integer(),
    verdict: oneOf(OnlinePresence.options),
    signalTypes: checkedJson(z.array(SignalType)),
    matchCount: integer(),
  },
  indexes: ["CREATE INDEX online_checks_by_time ON online_checks (checked_at, id);"],
  bound: { limit: "`ONLINE_CHECKS_PER_NIGHT` a night", kept: LIVE },
});

const PENDING = [
  /**
   * Accepted lines that have no row yet, as their sources sent them. `waiting`: goes to the ledger when its day is taken in. `held`: waits for a
   * reviewer, `reason` says why. `admitted`: a reviewer accepted it with `review` (JSON); `day` is then the day of the decision. `held_back`: its
   * batch is outside the bounds, and waits for the operator.
   */
  table("pending", {
    private: {
      id: integer().primaryKey(),
      source: text(),
      batch: text(),
      line: integer(),
      state: oneOf(["waiting", "held", "admitted", "held_back"]),
      day: integer(),
      key: blob(),
      reason: text().nullable(),
      review: text().nullable(),
      input: text(),
    },
    indexes: [
      // The lines of a day, in the order of their acceptance: see PendingOrder for the order in which they are taken in.
      "CREATE INDEX pending_by_day ON pending (day, state) WHERE state <> 'held' AND state <> 'held_back';",
      // The lines that reviewers decide about: few.
      "CREATE INDEX pending_reviewed ON pending (key) WHERE state <> 'waiting' AND state <> 'held_back';",
      // What the lines of a batch wait for.
      "CREATE INDEX pending_of_batch ON pending (batch, state);",
    ],
    bound: {
      limit: "accepted lines of open days, and held ones",
      kept: "until their day's seal, or a decision",
    },
  }),
  /**
   * How many lines waited from each moment on, so that a release can be built again: `first_row` is the first row that lines became then, which
   * may be dated earlier.
   */
  table("pending_log", {
    private: { at: integer().primaryKey(), waiting: integer(), firstRow: integer().nullable() },
    bound: { limit: "1 a batch of accepted or taken in lines", kept: LEDGER },
  }),
  /** How many batches have been named: a name is never given out twice. */
  table("intake_batches", {
    private: { id: onlyRow(), last: integer() },
    bound: { limit: "1 row", kept: LEDGER },
  }),
];

/** What reviewers decided about names that intake holds, each for a city: keyed hashes of names, so the table tells none. */
export const heldNames = table("held_names", {
  private: { key: text().primaryKey(), takes: flag(), reviewer: text(), reason: text(), day: integer() },
  bound: {
    limit: "1 a name that a reviewer decided about",
    kept: "until a line or an observation of it is erased",
  },
});

/** Each file that was ingested. Private: who came with whom is what the order of rows must not tell. Counts are of lines. */
export const batches = table("batches", {
  private: {
    id: integer().primaryKey(), // the number of its name
    file: text(),
    startedAt: integer(),
    endedAt: integer().nullable(), // null while the file is being read, and for a run that was cut off
    read: integer(),
    accepted: integer(), // observations
    looks: integer(), // accepted looks
    known: integer(),
    rejected: integer(),
    rejectedByReason: checkedJson(z.record(z.string(), z.int())),
    /** Accepted lines whose name no earlier night had in the city. */
    newNames: integer(),
    /** Accepted lines of fixed assets in cells that no earlier night had. */
    newCells: integer(),
    decision: oneOf(["within", "held_back", "approved", "undone"]).nullable(), // null until it is judged
    decidedAt: integer().nullable(),
    findings: checkedJson(z.array(z.string())),
  },
  bound: { limit: "1 an ingested file", kept: "400 days" },
});

const BATCH_PARTS = [
  /**
   * The accepted lines of a batch by source (built-in and the source type where none is named), city and day of acceptance; and those of
   * them with names, and in cells, that no earlier night had in the city.
   */
  table("batch_lines", {
    private: {
      batch: integer(),
      source: text(),
      city: text(),
      day: integer(),
      lines: integer(),
      newNames: integer(),
      newCells: integer(),
    },
    primaryKey: ["batch", "source", "city", "day"],
    indexes: ["CREATE INDEX batch_lines_of_source ON batch_lines (source, city, day);"],
    bound: { limit: "1 a file, source, city and UTC day", kept: "400 days" },
  }),
  /** The batch with which a source began to deliver for a city, and the day of its lines: what was approved once. */
  table("first_deliveries", {
    private: { source: text(), city: text(), batch: integer(), day: integer() },
    primaryKey: ["source", "city"],
    bound: { limit: "1 a source and city", kept: LEDGER },
  }),
  /** The observations that the lines of a batch have become. */
  table("batch_rows", {
    private: { row: integer().primaryKey(), batch: integer() },
    bound: { limit: "1 an observation", kept: "400 days" },
  }),
];

/** How the files of a source are read: its column map as JSON (null: NDJSON alone), and the encoding of their text. */
export const sourceMaps = table("source_maps", {
  private: { source: text().primaryKey(), map: text().nullable(), encoding: text().nullable() },
  withoutRowid: true,
  bound: { limit: "1 a source", kept: LEDGER },
});

/** What became of the files of the inbox. Nothing of their lines: the content is known by a keyed hash. */
export const inboxFiles = table("inbox_files", {
  private: {
    id: integer().primaryKey(),
    source: text(),
    name: text(),
    content: blob(HASH_BYTES), // keyed hash
    takenAt: integer(),
    /** `reading` until all lines are ingested; null counts then. */
    outcome: oneOf(["reading", "accepted", "known", "failed"]),
    reason: text().nullable(), // why it failed
    batch: text().nullable(), // its first one
    counts: checkedJson(z.record(z.string(), z.int())).nullable(),
    rejected: checkedJson(z.record(z.string(), z.int())).nullable(), // lines by reason
    isRemoved: flag(), // from the inbox
  },
  indexes: ["CREATE INDEX inbox_files_of ON inbox_files (source, content);"],
  bound: { limit: "1 a file of the inbox", kept: "400 days" },
});

/** Derived from the rows of kind `source`, and what the operator keeps private of them. */
export const sources = table("sources", {
  private: {
    id: text().primaryKey(),
    row: integer(), // that registered it
    operator: text(), // id of who operates it
    kind: oneOf(SourceType.options),
    vetting: oneOf(Vetting.options),
    assetTypes: checkedJson(z.array(AssetType)),
    state: oneOf(SourceState.options),
    keepsNames: flag().named("observer_names"), // the operator keeps what its observers are called
  },
  bound: { limit: "1 a source", kept: LEDGER },
});

/** What the operator said of an observer; others are principals of their own. `source` is the one in which it was named last. */
export const observers = table("observers", {
  private: {
    observer: text().primaryKey(),
    principal: text(),
    isSuspended: flag().named("suspended"),
    isVouched: flag().named("vouched"),
    enrolledIn: text().nullable().named("source"),
  },
  bound: { limit: "observers that the operator named", kept: ERASED },
});

/** Observations that a check set aside; `review` is what a reviewer said of it: that the check was wrong, or right. */
export const setAside = table("set_aside", {
  private: {
    row: integer().primaryKey(),
    check: text().named("check_code"),
    day: integer(),
    review: oneOf(["restored", "confirmed"]).nullable(),
    reviewedOn: integer().nullable(),
    wasEstablished: flag().named("established"), // the check alone kept the row from counting when it entered
  },
  bound: { limit: "1 an observation that a check set aside", kept: LIVE },
});

/** What checks raised for reviewers, each once; `outcome`: a problem that was handled, or nothing to worry about. */
export const raisedItems = table("raised_items", {
  private: {
    key: text().primaryKey(),
    check: text().named("check_code"),
    record: integer().nullable(),
    rows: checkedJson(z.array(z.int())),
    day: integer(),
    outcome: oneOf(["handled", "harmless"]).nullable(),
  },
  bound: { limit: "1 a finding of a check", kept: LIVE },
});

/** Decisions that came from the review desk, each once, with what became of it: a decision that comes again, as after a kill, is known. */
export const deskDecisions = table("desk_decisions", {
  private: {
    id: text().primaryKey(),
    outcome: oneOf(["decided", "already", "waits", "refused"]),
    row: integer().nullable(),
    at: integer(),
  },
  indexes: ["CREATE INDEX desk_decisions_by_time ON desk_decisions (at);"],
  bound: { limit: "1 a decision of the review desk", kept: "30 days" },
});

const SOURCE_PARTS = [
  /** A principal that runs a record (ledger row), or all records of a name (its key). */
  table("affiliations", {
    private: { principal: text(), subject: text() },
    primaryKey: ["principal", "subject"],
    bound: { limit: "made by the operator", kept: "until removed" },
  }),
  /** The last day on which an observer of a source sent something. */
  table("active_observers", {
    private: { source: text(), observer: text(), lastDay: integer() },
    primaryKey: ["source", "observer"],
    bound: { limit: "1 an observer and source", kept: ERASED },
  }),
  /** What observers of the sources that keep names are called, as their lines say. The only names of observers in the ledger. */
  table("observer_names", {
    private: { source: text(), observer: text(), name: text() },
    primaryKey: ["source", "observer"],
    bound: { limit: "1 an observer of a source that keeps names", kept: ERASED },
  }),
  /** Keyed hashes of media, and of media with their looks, and the first row that had them. */
  table("seen_traces", {
    private: { key: blob().primaryKey(), row: integer() },
    bound: { limit: "2 an observation with media", kept: LIVE },
  }),
  /** Principals that are established, and the day since which they are. */
  table("standings", {
    private: { principal: text().primaryKey(), since: integer() },
    bound: { limit: "1 an established principal", kept: ERASED },
  }),
  /** Changes of what counts, and erasures, that wait for their keyed day. */
  table("delayed_changes", {
    private: { target: integer(), change: text(), due: integer() },
    primaryKey: ["target", "change"],
    bound: { limit: "1 a change that waits", kept: "14 days at most" },
  }),
];

/** Walks are never stored, only the cells and solar days of them. */
const LOOKS = [
  /**
   * Who looked for fixed signs in which cell on which day (solar day number), until no row needs it. An observer is a keyed hash, or the constant
   * that stands for all observers of a source.
   */
  table("looks", {
    private: { city: text(), day: integer(), cell: text(), observer: text(), source: text() },
    primaryKey: ["city", "day", "cell", "observer", "source"],
    bound: { limit: "1 a cell, day and observer", kept: "until the row of their month is written" },
  }),
  /** The last day of the newest span of each kind whose row was written, or found to be empty: what comes later enters no row. */
  table("looks_settled", {
    private: { city: text(), span: text(), last: integer() },
    primaryKey: ["city", "span"],
    bound: { limit: "1 a city and kind of span", kept: LEDGER },
  }),
  /** Whose looks are in a look row: a row that one observer or one source made alone goes with it. */
  table("look_makers", {
    private: { row: integer(), observer: text(), source: text() },
    primaryKey: ["row", "observer", "source"],
    bound: { limit: "makers of a look row", kept: LIVE },
  }),
  /** The eligible cells of cities whose list was replaced since they were registered. */
  table("city_denominators", {
    private: { slug: text().primaryKey(), row: integer(), details: text() },
    withoutRowid: true,
    bound: { limit: "1 a city", kept: LEDGER },
  }),
];

export const LEDGER_TABLES = [
  ...CORE,
  externalProofs,
  onlineChecks,
  ...Object.values(LOOKUPS),
  ...PENDING,
  heldNames,
  batches,
  sourceMaps,
  inboxFiles,
  ...BATCH_PARTS,
  sources,
  observers,
  setAside,
  raisedItems,
  deskDecisions,
  ...SOURCE_PARTS,
  ...LOOKS,
];
