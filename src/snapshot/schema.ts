/**
 * The read model. `records.position` is the display order, and pages hold the observations of a record next to each other: the two
 * hottest reads are then a range of rowids and need no index.
 */
import { activity } from "./activity.ts";
import { demand } from "./demand.ts";
import { samples } from "./fold/samples.ts";
import { incidents } from "./incidents.ts";
import { operatorTexts } from "./operator-texts.ts";
import { reportCounts } from "./report-counts.ts";
import { SEARCH_TABLES } from "./search/search-tables.ts";
import { cities, cityVersions, events } from "./tables/cities.ts";
import { erasures, merges, recounts, verdicts, writtenObservations } from "./tables/decisions.ts";
import { sources, tallies } from "./tables/independence.ts";
import { assets, explorer, explorerFacts, observationPages, records } from "./tables/records.ts";
import { gazetteer, industries } from "./tables/reference.ts";
import { release, seals } from "./tables/release.ts";

export const SNAPSHOT_VERSION = 13;

/** `PPSN`: distinguishes the file from a ledger, which has its own versions. */
export const APPLICATION_ID = 0x5050534e;
export const SNAPSHOT_KIND = { applicationId: APPLICATION_ID, name: "the snapshot of a release" };

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
  merges,
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
