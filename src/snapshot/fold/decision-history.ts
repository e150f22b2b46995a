import type { RowOf } from "../../kernel/table.ts";
import type { Merge } from "../../ledger/decisions/merges.ts";
import type { cityVersions } from "../tables/cities.ts";
import type { earlierNames, erasures, reassigns, recounts, verdicts } from "../tables/decisions.ts";

/** Decisions in row order. A release of an earlier tree knew those up to its last sealed row. */
export interface DecisionHistory {
  readonly verdicts: RowOf<typeof verdicts.columns>[];
  readonly names: RowOf<typeof earlierNames.columns>[];
  readonly merges: Merge[];
  readonly reassigns: RowOf<typeof reassigns.columns>[];
  readonly recounts: RowOf<typeof recounts.columns>[];
  readonly erasures: Map<number, RowOf<typeof erasures.columns>>; // by erased row
  readonly cities: RowOf<typeof cityVersions.columns>[];
}
