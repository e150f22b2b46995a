import { z } from "zod";
import { Count, Day, Timestamp } from "../fields.ts";
import { CityRef } from "./coverage.ts";

/** Observations and looks in one map cell. Day windows and counts match the coverage metrics. */
export const CityCell = z
  .looseObject({
    h3_cell: z.string().describe("H3 cell at resolution 8, about 0.7 km²."),
    eligible: z.boolean().describe("True when the cell counts in the denominator of the city's coverage."),
    observations_90d: Count.describe(
      "Physical citations in the last 90 days, counted as in the coverage metrics.",
    ),
    records_90d: Count.describe("Distinct records among these citations."),
    observations: Count.describe("Physical citations of all time. Zero is not evidence of absence."),
    weeks_looked_90d: Count.describe(
      "ISO weeks of the last 90 days in which somebody who counts looked for fixed signs here, or found one.",
    ),
    months_looked: Count.describe("Months of all time in which two or more principals looked here."),
    last_observed: Day.nullable().describe(
      "Day of the last citation, in the city's solar time; null before the first.",
    ),
  })
  .meta({
    id: "CityCell",
    description:
      "Accepted observations and looks in one cell of a city. Mobile assets are excluded because their places are published at a coarser resolution.",
  });
export type CityCell = z.infer<typeof CityCell>;

/** A GeoJSON position: longitude, then latitude (RFC 7946). */
const Position = z.tuple([z.number(), z.number()]);
const OneRing = z.tuple([z.array(Position).min(4)]);

/** `/exports/cells/{city}.geojson`. All members other than `type` and `features` are foreign members of GeoJSON. */
export const CityCellCollection = z
  .looseObject({
    type: z.literal("FeatureCollection"),
    city: CityRef,
    data_as_of: Timestamp,
    methodology_version: z.string(),
    methodology_url: z.url(),
    license: z.string().describe("SPDX identifier."),
    claim_boundary: z.string().describe("Limits of a cell's counts."),
    features: z.array(
      z.looseObject({
        type: z.literal("Feature"),
        geometry: z.discriminatedUnion("type", [
          z.looseObject({
            type: z.literal("Polygon"),
            coordinates: OneRing.describe("One closed ring, counterclockwise."),
          }),
          z.looseObject({
            type: z.literal("MultiPolygon"),
            coordinates: z
              .array(OneRing)
              .min(2)
              .describe("A cell across the 180th meridian, cut there (RFC 7946, 3.1.9)."),
          }),
        ]),
        properties: CityCell,
      }),
    ),
  })
  .meta({ id: "CityCellCollection", description: "The cells of a city as GeoJSON (RFC 7946)." });
export type CityCellCollection = z.infer<typeof CityCellCollection>;
