/** Cities of the service and what happened in them. Times are ms since the epoch. */
import type {
  CollectionStatus,
  ConfidenceLabel,
  EventType,
  PublicationStatus,
  VerificationState,
} from "../../contract/enums.ts";
import { boolean, integer, json, real, table, text } from "../../kernel/table.ts";
import type { CellCounts, cityCoverage } from "../../method/coverage/coverage.ts";
import type { CityCohort } from "../../method/standing/standing.ts";
import type { CityAccuracy } from "../fold/city-accuracy.ts";

export const cities = table("cities", {
  public: {
    id: integer().primaryKey(), // ledger row that registered it
    slug: text().unique(),
    name: text(),
    region: text(),
    regionCode: text(),
    country: text(),
    countryName: text(),
    geonameId: integer(),
    lat: real(),
    lng: real(),
    publicationStatus: text<PublicationStatus>(),
    collectionStatus: text<CollectionStatus>(),
    launched: boolean(),
    denominatorReviewed: boolean(),
    cellManifestId: text(), // SHA-256 of the sorted list of eligible cells
    cells: json<readonly string[]>(), // eligible resolution-8 cells, sorted
    snapshotId: text(), // UUID made from the city's content
    /** Tree size of the patch release that last changed the city; its scores, ranks and coverage are from before. Null otherwise. */
    carriedOverAt: integer().nullable(),
    recordCount: integer(), // listed ones; dissolved ones are in no index
    observationCount: integer(), // without rejected rows
    rankingSummary: json<{
      readonly eligible: number;
      readonly evidence_building: number;
      readonly integrity_review: number;
    }>(),
    /** What pps is relative to: the raw scores of the eligible records; nulls when they are too few to be ranked. */
    cohort: json<CityCohort>(),
    coverage: json<ReturnType<typeof cityCoverage>>(),
    /** How right the list of assets proved to be when scouts looked. */
    accuracy: json<CityAccuracy>(),
    observedCells: json<readonly CellCounts[]>(), // by cell
  },
});

/** What a city was called, and whether it was published, from a ledger row on. */
export const cityVersions = table("city_versions", {
  public: { city: text(), row: integer(), name: text(), lng: real(), isPublished: boolean() },
  primaryKey: ["city", "row"],
});

/** Newest first within a city. */
export const events = table("events", {
  public: {
    seq: integer().primaryKey(),
    id: text(),
    city: text(), // slug
    type: text<EventType>(),
    detectedAt: integer(),
    headline: text(),
    summary: text(),
    record: integer(), // ledger row
    asset: integer().nullable(), // ledger row
    confidence: real(), // 0..1
    confidenceLabel: text<ConfidenceLabel>(),
    evidenceCount: integer(),
    verifState: text<VerificationState>().nullable(),
    strongestState: text<VerificationState>().nullable(),
    observerCount: integer(),
    monthsLooked: integer().nullable(),
  },
  indexes: ["CREATE INDEX events_city ON events (city, detected_at DESC, id, type);"],
});
