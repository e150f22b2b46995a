/** A changed format has a raised version: what others stored would be misread otherwise. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { z } from "zod";
import { CityFigures, FIGURES_VERSION, Release } from "../src/build/figures/figures.ts";
import { DeskDecision } from "../src/desk/crossing.ts";
import { DESK_FORMAT, DESK_TABLES } from "../src/desk/desk-store.ts";
import { LEDGER_FORMAT } from "../src/ledger/database/ledger-file.ts";
import { LEDGER_TABLES } from "../src/ledger/database/tables.ts";
import { ROW_BODIES } from "../src/ledger/rows/rows.ts";
import { BACKUP_FORMAT, BackupManifest } from "../src/operations/backup/backup-home.ts";
import { QUEUE_VERSION, ReviewQueue } from "../src/review/queue/model.ts";
import { SNAPSHOT_VERSION, TABLES } from "../src/snapshot/schema.ts";
import { SEARCH_TABLES } from "../src/snapshot/search/search-index.ts";
import { stateFormat } from "../src/state/database/migrate.ts";
import { STATE_TABLES } from "../src/state/tables.ts";

interface Format {
  readonly version: number;
  /** Where the number stands. */
  readonly raise: string;
  readonly parts: readonly unknown[];
}

const statements = (tables: Iterable<{ readonly create: string; readonly indexes: readonly string[] }>) =>
  [...tables].flatMap(({ create, indexes }) => [create, ...indexes]);
/** Without words, which may change under a version. */
const schema = (type: z.ZodType): unknown =>
  JSON.parse(
    JSON.stringify(z.toJSONSchema(type, { unrepresentable: "any", io: "input" })),
    (key, value: unknown) => (key === "description" && typeof value === "string" ? undefined : value),
  );

const FORMATS: Readonly<Record<string, Format>> = {
  ledger: {
    version: LEDGER_FORMAT.version,
    raise: "FORMAT_VERSION in src/ledger/database/ledger-file.ts",
    parts: [
      statements(LEDGER_TABLES),
      Object.entries(ROW_BODIES).map(([kind, body]) => [kind, schema(body)]),
    ],
  },
  state: {
    version: stateFormat("sqlite").version,
    raise: "BASELINE in src/state/database/migrate.ts",
    parts: [statements(Object.values(STATE_TABLES))],
  },
  snapshot: {
    version: SNAPSHOT_VERSION,
    raise: "SNAPSHOT_VERSION in src/snapshot/schema.ts",
    parts: [statements([...TABLES, ...SEARCH_TABLES])],
  },
  backup: {
    version: BACKUP_FORMAT.version,
    raise: "BACKUP_FORMAT in src/operations/backup/backup-home.ts",
    parts: [schema(BackupManifest)],
  },
  "review queue": {
    version: QUEUE_VERSION,
    raise: "QUEUE_VERSION in src/review/queue/model.ts",
    parts: [schema(ReviewQueue)],
  },
  "figures of a release": {
    version: FIGURES_VERSION,
    raise: "FIGURES_VERSION in src/build/figures/figures.ts",
    parts: [schema(Release), schema(CityFigures)],
  },
  "review desk": {
    version: DESK_FORMAT.version,
    raise: "DESK_FORMAT in src/desk/desk-store.ts",
    parts: [statements(DESK_TABLES), schema(DeskDecision)],
  },
};

/** Format and version -> a digest of what it is. A line is written once; the next version gets a line of its own. */
const PINNED: Readonly<Record<string, string>> = {
  "ledger 6": "9eab3502549b780d",
  "state 2": "dec8a20fd26645d0",
  "state 3": "45e4798523fb6815",
  "snapshot 4": "53aafe22f7ef36fe",
  "snapshot 6": "af409c6275200227",
  "backup 1": "cada8487901e2264",
  "review queue 1": "4eccab8ac0bf0016",
  "figures of a release 1": "32c0ba5951a5f9a3",
  "review desk 1": "2374204e87a3d13b",
};

test.each(Object.entries(FORMATS))(
  "the format of the %s has not changed under its version",
  (name, format) => {
    const { version, raise, parts } = format;
    const digest = createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
    const key = `${name} ${version}`;
    const pinned = PINNED[key];
    const told =
      pinned === undefined
        ? `version ${version} of the ${name} is new: add "${key}": "${digest}" to PINNED`
        : `the format of the ${name} changed, and its version is still ${version}: raise ${raise}, and add the new version with "${digest}" to PINNED`;
    expect(digest, told).toBe(pinned);
  },
);
