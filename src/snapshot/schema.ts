/**
 * The read model. `records.position` is the display order, and pages hold the observations of a record next to each other: the two
 * hottest reads are then a range of rowids and need no index.
 */
import type { DatabaseKind, StoreFormat } from "../kernel/database-file.ts";
import { activity } from "./activity.ts";
import { demand, incidents, reportCounts } from "./demand.ts";
import { samples } from "./fold/samples.ts";
import { operatorTexts } from "./release-settings.ts";
import { SEARCH_TABLES } from "./search/search-index.ts";
import { cities, cityVersions, events } from "./tables/cities.ts";
import {
  changes,
  earlierNames,
  erasures,
  merges,
  reassigns,
  recounts,
  verdicts,
  writtenObservations,
} from "./tables/decisions.ts";
import { assets, explorer, explorerFacts, observationPages, records } from "./tables/records.ts";
import { gazetteer, industries, release, seals, sources, tallies } from "./tables/release.ts";

export const SNAPSHOT_VERSION = 6;
export const SNAPSHOT_FORMAT: StoreFormat = {
  store: "snapshot",
  version: SNAPSHOT_VERSION,
  oldest: SNAPSHOT_VERSION,
  remedy: "run `presence build`",
};

/** `PPER`: distinguishes the file from a ledger, which has its own versions. */
export const APPLICATION_ID = 0x50504552;
/** `PPSN`, of a snapshot that presence 1.x wrote. */
export const APPLICATION_ID_OF_1X = 0x5050534e;
export const SNAPSHOT_KIND: DatabaseKind = {
  applicationId: APPLICATION_ID,
  name: "the snapshot of a release",
  of1x: { applicationId: APPLICATION_ID_OF_1X, format: SNAPSHOT_FORMAT },
};

/** In the order of their creation. The search index creates its own. */
export const TABLES = [
  release,
  cities,
  records,
  assets,
  observationPages,
  events,
  explorerFacts,
  explorer,
  verdicts,
  changes,
  earlierNames,
  merges,
  reassigns,
  recounts,
  writtenObservations,
  erasures,
  cityVersions,
  sources,
  tallies,
  seals,
  industries,
  gazetteer,
  samples,
  activity,
  demand,
  operatorTexts,
  incidents,
  reportCounts,
];

/** `table.column` of all columns. */
export const PUBLIC_COLUMNS: readonly string[] = [...TABLES, ...SEARCH_TABLES].flatMap(({ name, names }) =>
  names.map((column) => `${name}.${column}`),
);
