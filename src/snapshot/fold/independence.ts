/** What rows about sources and tallies add up to. */
import type { SourceState } from "../../contract/enums.ts";
import { MINIMUMS } from "../../contract/limits.ts";
import type { RowOf } from "../../kernel/table.ts";
import type { SourceBody, TallyBody } from "../../ledger/rows/rows.ts";
import { share } from "../../method/numbers.ts";
import { wilsonInterval } from "../../method/standing/verification.ts";
import type { FalseAlarms, sources, tallies } from "../tables/release.ts";

type SourceRow = RowOf<typeof sources.columns>;
type TallyRow = RowOf<typeof tallies.columns>;

const STATES: Readonly<Partial<Record<SourceBody["step"], SourceState>>> = {
  suspend: "suspended",
  resume: "active",
  withdraw: "withdrawn",
};

/** The registered sources in the order of registration, in the state of their last row. Takes rows in order, and `SightingColumns.lastIntake`. */
export function registeredSources(
  rows: readonly { readonly id: number; readonly body: SourceBody }[],
  lastIntake: ReadonlyMap<string, number>,
): SourceRow[] {
  const known = new Map<string, SourceRow>();
  for (const { id, body } of rows) {
    const source = body.details === null ? known.get(body.source) : added(id, body.source, body.details);
    if (source !== undefined) known.set(body.source, stepped(source, body));
  }
  return [...known.values()].map((source) => ({ ...source, lastIntake: lastIntake.get(source.id) ?? null }));
}

function added(row: number, id: string, details: NonNullable<SourceBody["details"]>): SourceRow {
  const { asset_types, ...rest } = details;
  return { row, id, ...rest, assetTypes: asset_types, state: "active", lastIntake: null };
}

function stepped(source: SourceRow, { step }: SourceBody): SourceRow {
  return { ...source, state: STATES[step] ?? source.state };
}

/** The tally of each month, the last one that the ledger has, by month. */
export function monthlyTallies(bodies: readonly TallyBody[]): TallyRow[] {
  const byMonth = new Map(bodies.map((body) => [body.month, body]));
  const sum = { reviewed: 0, false_alarms: 0 };
  return [...byMonth.values()]
    .sort((a, b) => (a.month < b.month ? -1 : 1))
    .map(({ month, checks, sample, vouched }) => {
      sum.reviewed += sample.reviewed;
      sum.false_alarms += sample.false_alarms;
      return { month, checks, sample: falseAlarms(sample), sampleSoFar: falseAlarms(sum), vouched };
    });
}

function falseAlarms({ reviewed, false_alarms: found }: TallyBody["sample"]): FalseAlarms {
  const isKnown = reviewed >= MINIMUMS.reviewedObservations;
  return {
    reviewed,
    falseAlarms: found,
    rate: isKnown ? share(found, reviewed) : null,
    interval: isKnown ? wilsonInterval(found, reviewed) : null,
  };
}
