import { industryPath } from "../../contract/cities/industry.ts";
import { CitySort } from "../../contract/enums.ts";
import type { OnlineCheck } from "../../ledger/online-checks.ts";
import type { HistoryPoint } from "../../method/history.ts";
import { industryState } from "../../method/standing/gate.ts";
import type { Standing } from "../../method/standing/standing.ts";
import { type LedgerRecord, recordStatus } from "../fold/ledger-record.ts";
import type { EvidenceMix } from "../rows.ts";
import type { IndexPlaces } from "./index-places.ts";
import type { SqlValue } from "./inserter.ts";

/** What a row of `records` says beside the record itself. */
export interface RecordFigures {
  readonly places: IndexPlaces | null; // null: not in the city's index
  readonly mergedInto: string | null;
  readonly check: OnlineCheck | undefined;
  readonly standing: Standing;
  readonly history: readonly HistoryPoint[];
  readonly mix: EvidenceMix;
  readonly firstObserved: number | null;
  readonly lastObserved: number | null;
  readonly observationCount: number;
  readonly assetCount: number;
  readonly cellCount: number;
  readonly rowCount: number;
}

/** The columns of `records` between `position` and `observations_from`: what is the same wherever the record is displayed. */
export function recordValues(record: LedgerRecord, figures: RecordFigures): SqlValue[] {
  const { body, industry } = record;
  const { check, standing, history, mix } = figures;
  return [
    record.id,
    body.public_id,
    body.name,
    body.city,
    ...CitySort.options.map((sort) => figures.places?.[sort] ?? null),
    industry.code,
    industry.code === null ? null : (industryPath(industry.code)[0] ?? null),
    industryState(industry),
    standing.rankingState,
    standing.gate.status,
    record.status,
    recordStatus(record),
    record.identityStatus,
    Number(body.is_synthetic),
    body.website,
    figures.mergedInto,
    JSON.stringify(record.identity),
    check?.verdict ?? "unknown",
    JSON.stringify({
      checkedAt: check?.checkedAt ?? null,
      signalTypes: check?.signalTypes ?? [],
      matchCount: check?.matchCount ?? 0,
    }),
    JSON.stringify(standing),
    JSON.stringify(history),
    JSON.stringify(mix),
    figures.firstObserved,
    figures.lastObserved,
    figures.observationCount,
    figures.assetCount,
    figures.cellCount,
    figures.rowCount,
  ];
}
