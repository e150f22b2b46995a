import type { AssetRow, ObservationRow, RecordCellRow } from "../rows.ts";
import type { StoredObservation } from "../tables/observation-page.ts";
import type { changeQueries } from "./change-queries.ts";
import type { ObservationReader, ObservationSpan } from "./observation-reader.ts";

interface PublishedSince {
  readonly publishedSince?: number | undefined; // ms, inclusive
}

interface Page extends PublishedSince {
  readonly offset?: number;
  readonly limit: number;
}

/** The observations of a record stand newest published first, so those since a time are its first ones. */
export function observationQueries(
  reader: ObservationReader,
  assetsOf: (record: number) => readonly AssetRow[],
  changesOf: ReturnType<typeof changeQueries>,
) {
  const countOf = (span: ObservationSpan, { publishedSince }: PublishedSince) =>
    publishedSince === undefined ? span.count : reader.countSince(span, publishedSince);
  return {
    /** Ledger rows of all observations of a record, ascending. */
    observationRowsOf: (record: number) => reader.rows(reader.span(record)),
    /** Observations of a record, newest published first, then highest id, `offset` of them left out; any offset costs the same. */
    observationsOf(record: number, { publishedSince, offset = 0, limit }: Page): ObservationRow[] {
      const span = reader.span(record);
      const end = Math.min(countOf(span, { publishedSince }), offset + limit);
      const assets = new Map(assetsOf(record).map((asset) => [asset.id, asset]));
      const rows = [...reader.between(span, offset, end)];
      const changes = changesOf(rows);
      return rows.map((row) => ({ ...withAsset(row, assets), changedBy: changes.get(row.id) ?? [] }));
    },
    /** How many observations `observationsOf` has, rejected ones included. */
    observationCountOf: (record: number, options: PublishedSince) => countOf(reader.span(record), options),
    /** The cells in which a record was observed, by cell; rejected observations do not count. */
    cellsOf(publicId: string): RecordCellRow[] {
      const cells = new Map<string, RecordCellRow>();
      for (const { cell, state, observedAt } of reader.all(reader.spanOf(publicId))) {
        if (state === "rejected") continue;
        const { observations = 0, lastObserved = observedAt } = cells.get(cell) ?? {};
        cells.set(cell, {
          cell,
          observations: observations + 1,
          lastObserved: Math.max(lastObserved, observedAt),
        });
      }
      return [...cells.values()].sort((a, b) => (a.cell < b.cell ? -1 : 1));
    },
    /** When the record's observations of a time span were made (ms, both inclusive), each instant once, the latest first. */
    observationTimes(publicId: string, from: number, to: number): number[] {
      const times = new Set<number>();
      for (const { observedAt } of reader.all(reader.spanOf(publicId)))
        if (observedAt >= from && observedAt <= to) times.add(observedAt);
      return [...times].sort((a, b) => b - a);
    },
    /** State of an observation in this release; undefined when it shows none of that row for that record. */
    stateOfRow(row: number, publicId: string): StoredObservation["state"] | undefined {
      for (const { id, state } of reader.all(reader.spanOf(publicId))) if (id === row) return state;
      return undefined;
    },
  };
}

function withAsset(
  row: StoredObservation,
  assets: ReadonlyMap<number, AssetRow>,
): Omit<ObservationRow, "changedBy"> {
  const asset = assets.get(row.asset);
  if (asset === undefined) throw new RangeError(`row ${row.id}: its asset ${row.asset} is not of its record`);
  const { publicId: assetPublicId, assetType, isMobile } = asset;
  return { ...row, assetPublicId, assetType, isMobile };
}
