/** The tables of looks that wait for their rows. Private as a whole; walks are never stored, only the cells and days of them. */
import type { ColumnMarks } from "../database/schema.ts";

export const LOOK_SQL = `
-- Who looked for fixed signs in which cell on which day (solar day number), until no row needs it. An observer is a keyed hash, or
-- the constant that stands for all observers of a source.
CREATE TABLE looks (
  city TEXT NOT NULL,
  day INTEGER NOT NULL,
  cell TEXT NOT NULL,
  observer TEXT NOT NULL,
  source TEXT NOT NULL,
  PRIMARY KEY (city, day, cell, observer, source)
) STRICT, WITHOUT ROWID;

-- The last day of the newest span of each kind whose row was written, or found to be empty: what comes later enters no row.
CREATE TABLE looks_settled (
  city TEXT NOT NULL,
  span TEXT NOT NULL,
  last INTEGER NOT NULL,
  PRIMARY KEY (city, span)
) STRICT, WITHOUT ROWID;

-- Whose looks are in a look row: a row that one observer or one source made alone goes with it.
CREATE TABLE look_makers (
  row INTEGER NOT NULL,
  observer TEXT NOT NULL,
  source TEXT NOT NULL,
  PRIMARY KEY (row, observer, source)
) STRICT, WITHOUT ROWID;

-- The eligible cells of cities whose list was replaced since they were registered.
CREATE TABLE city_denominators (
  slug TEXT PRIMARY KEY,
  row INTEGER NOT NULL,
  details TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;

export const LOOK_COLUMNS = {
  looks: { city: "private", day: "private", cell: "private", observer: "private", source: "private" },
  looks_settled: { city: "private", span: "private", last: "private" },
  look_makers: { row: "private", observer: "private", source: "private" },
  city_denominators: { slug: "private", row: "private", details: "private" },
} as const satisfies ColumnMarks;
