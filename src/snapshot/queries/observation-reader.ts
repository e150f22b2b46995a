import type { Database } from "better-sqlite3";
import { prefixLength } from "../../kernel/prefix-length.ts";
import { selection, values } from "../../kernel/table.ts";
import { lastRead } from "../tables/last-read.ts";
import { observationsOn, type StoredObservation } from "../tables/observation-page.ts";
import { OBSERVATIONS_A_PAGE, observationPages, records } from "../tables/records.ts";

/** Where the observations of a record lie. */
export interface ObservationSpan {
  readonly first: number; // number of the first one
  readonly count: number;
}

const NONE: ObservationSpan = { first: 0, count: 0 };

const { observationsFrom, rowCount } = records.columns;
const SPAN = selection({ first: observationsFrom, count: rowCount });
const { seq: _, ...onPage } = observationPages.columns;
const PAGE = selection(onPage);

export type ObservationReader = ReturnType<typeof observationReader>;

/** Reads the observations of a record, newest published first. */
export function observationReader(db: Database) {
  const pageAt = PAGE.prepare<[seq: number]>(db, "FROM observation_pages WHERE seq = ?");
  const page = lastRead((seq: number): readonly StoredObservation[] => {
    const stored = pageAt.get(seq);
    return stored === undefined ? [] : observationsOn(stored);
  });
  const spanOfRecord = lastRead(SPAN.prepare<[record: number]>(db, "FROM records WHERE id = ?").get);
  const spanOfId = lastRead(SPAN.prepare<[publicId: string]>(db, "FROM records WHERE public_id = ?").get);
  const rows = values<[from: number, end: number], string>(
    db,
    "SELECT rows FROM observation_pages WHERE seq >= ? AND seq < ?",
  );
  function* between({ first }: ObservationSpan, from: number, end: number): Generator<StoredObservation> {
    for (let start = from - (from % OBSERVATIONS_A_PAGE); start < end; start += OBSERVATIONS_A_PAGE)
      yield* page(first + start).slice(Math.max(0, from - start), end - start);
  }
  return {
    /** By the ledger row of the record. */
    span: (record: number) => spanOfRecord(record) ?? NONE,
    spanOf: (publicId: string) => spanOfId(publicId) ?? NONE,
    /** Those at the places `from` to `end`, which is not among them. */
    between,
    all: (span: ObservationSpan) => between(span, 0, span.count),
    /** Ledger rows, ascending. */
    rows: ({ first, count }: ObservationSpan): number[] =>
      rows
        .all(first, first + count)
        .flatMap((own): number[] => JSON.parse(own))
        .sort((a, b) => a - b),
    /** How many of them were published at or after a time (ms): the first ones. */
    countSince({ first, count }: ObservationSpan, since: number): number {
      const publishedAt = (at: number) => {
        const place = at % OBSERVATIONS_A_PAGE;
        return page(first + at - place)[place]?.publishedAt ?? 0;
      };
      return prefixLength(count, (at) => publishedAt(at) >= since);
    },
  };
}
