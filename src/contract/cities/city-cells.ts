import { z } from "zod";
import { Count, Day, Timestamp } from "../fields.ts";
import { CityRef } from "./coverage.ts";

/** What was observed in one map cell. Windows of days are those of the coverage metrics, which count the same sightings. */
export const CityCell = z
  .looseObject({
    h3_cell: z.string().describe("H3 cell of resolution 8, about 0.7 square kilometres."),
    eligible: z.boolean().describe("Whether the cell is in the denominator of the city's coverage."),
    observations_90d: Count.describe(
      "Physical citations of the last 90 days, as the coverage metrics count them.",
    ),
    records_90d: Count.describe("Distinct records among them."),
    observations: Count.describe("Physical citations of all time. None shows no absence."),
    last_observed: Day.nullable().describe(
      "Day of the last one in the city's solar time; null when nothing was observed yet.",
    ),
  })
  .meta({
    id: "CityCell",
    description:
      "Observations in one cell of a city. Rejected ones do not count, and moving assets are published too coarsely to count for cells.",
  });
export type CityCell = z.infer<typeof CityCell>;

/** A position as GeoJSON has it: longitude, then latitude (RFC 7946). */
const Position = z.tuple([z.number(), z.number()]);

/** `/exports/cells/{city}.geojson`: the members beside `type` and `features` are foreign to GeoJSON. */
export const CityCellCollection = z
  .looseObject({
    type: z.literal("FeatureCollection"),
    city: CityRef,
    data_as_of: Timestamp,
    methodology_version: z.string(),
    methodology_url: z.url(),
    license: z.string().describe("SPDX identifier."),
    claim_boundary: z.string().describe("What follows from a cell, and what does not."),
    features: z.array(
      z.looseObject({
        type: z.literal("Feature"),
        geometry: z.looseObject({
          type: z.literal("Polygon"),
          coordinates: z.tuple([z.array(Position).min(4)]).describe("One closed ring, counter-clockwise."),
        }),
        properties: CityCell,
      }),
    ),
  })
  .meta({ id: "CityCellCollection", description: "The cells of a city as GeoJSON (RFC 7946)." });
export type CityCellCollection = z.infer<typeof CityCellCollection>;
