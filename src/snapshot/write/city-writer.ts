import type { Database } from "better-sqlite3";
import { inserter, storedInserter } from "../../kernel/table.ts";
import { asOfAt } from "../../method/numbers.ts";
import { standingAlone } from "../../method/standing/standing.ts";
import { factsOf } from "../fold/city-content.ts";
import type { MergedRecord } from "../fold/listing.ts";
import type { SightingColumns } from "../fold/sighting-columns.ts";
import { cities, events } from "../tables/cities.ts";
import { assets, explorer, explorerFacts, observationPages, records } from "../tables/records.ts";
import type { CityRows } from "./city-rows.ts";
import { observedFigures, recordRow } from "./record-row.ts";

/** Writes the rows of cities, which come in the order of registration. Owns the running number of events. */
export class CityWriter {
  readonly #insert;
  #events = 0;

  constructor(db: Database) {
    this.#insert = {
      city: storedInserter(db, cities),
      record: storedInserter(db, records),
      asset: storedInserter(db, assets),
      fact: storedInserter(db, explorerFacts),
      aggregate: storedInserter(db, explorer),
      page: storedInserter(db, observationPages),
      event: storedInserter(db, events),
    };
  }

  /** How many events there are so far. */
  get events(): number {
    return this.#events;
  }

  write(rows: CityRows): void {
    const { city, record, asset, fact, aggregate, page, event } = this.#insert;
    for (const row of rows.records) record(row);
    for (const row of rows.assets) asset(row);
    for (const row of rows.explorerFacts) fact(row);
    for (const row of rows.explorer) aggregate(row);
    for (const row of rows.observationPages) page(row);
    for (const row of rows.events) event([++this.#events, ...row]);
    city(rows.city);
  }
}

/** Writes records that went into others, whose city lies at `lng`. */
export function mergedWriter(
  db: Database,
  sightings: SightingColumns,
  asOf: number,
): (record: MergedRecord, lng: number) => void {
  const insert = inserter(db, records);
  return ({ record, position, into }, lng) =>
    void insert(
      recordRow(record, {
        ...observedFigures([], sightings),
        position,
        places: null,
        mergedInto: into.body.public_id,
        standing: standingAlone(factsOf(record), asOfAt(asOf, lng)),
        history: [],
        monthsLooked: [],
        check: undefined,
        observationsFrom: 0,
      }),
    );
}
