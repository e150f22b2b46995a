import { INDUSTRIES } from "../../../src/contract/cities/industry.ts";
import type { OnlinePresence } from "../../../src/contract/enums.ts";
import type { DemoSummary } from "../../../src/demo/demo.ts";
import { configFrom } from "../../../src/kernel/config/config.ts";
import { type Home, systemUser } from "../../../src/kernel/home.ts";
import { systemRandom } from "../../../src/kernel/ids.ts";
import { openLedgerReader } from "../../../src/ledger/reader.ts";
import type { LedgerRow, NamingBody, ReviewBody } from "../../../src/ledger/rows/rows.ts";
import type { CommandContext } from "../../../src/operations/context.ts";
import { buildSnapshot } from "../../../src/snapshot/build.ts";
import { ReleaseSettings } from "../../../src/snapshot/release-settings.ts";
import type { AssetRow, ObservationRow, RecordRow } from "../../../src/snapshot/rows.ts";
import { openSnapshot, type Snapshot } from "../../../src/snapshot/snapshot.ts";

/** For tests: a whole demonstration, as published and as the ledger holds it. */
export class DemoView {
  readonly snapshot: Snapshot;
  readonly records: readonly RecordRow[];
  readonly assets: readonly AssetRow[];
  readonly observations: readonly ObservationRow[];
  readonly rows: readonly LedgerRow[];
  readonly checkVerdicts: readonly OnlinePresence[];

  constructor(snapshot: Snapshot, rows: readonly LedgerRow[], checkVerdicts: readonly OnlinePresence[]) {
    this.snapshot = snapshot;
    this.rows = rows;
    this.checkVerdicts = checkVerdicts;
    this.records = [...snapshot.publicIds()].flatMap((id) => snapshot.record(id) ?? []);
    this.assets = this.records.flatMap(({ id }) => snapshot.assetsOf(id));
    this.observations = this.records.flatMap(({ id }) => snapshot.observationsOf(id, { limit: 100_000 }));
  }

  /** The one listed record of a name. */
  record(name: string): RecordRow {
    const [record, ...others] = this.records.filter((each) => each.name === name);
    if (record === undefined || others.length > 0) throw new Error(`not one record is named ${name}`);
    return record;
  }

  /** The namings with a name, as intake wrote them. */
  namings(name: string): NamingBody[] {
    return this.rows.flatMap((row) => (row.kind === "naming" && row.body?.name === name ? [row.body] : []));
  }

  /** The rows that reviews of a kind are about. */
  targetsOf(decision: ReviewBody["decision"]): number[] {
    return this.rows.flatMap((row) =>
      row.kind === "review" && row.body?.decision === decision ? [row.body.target] : [],
    );
  }
}

/** Builds a snapshot of the demonstration at `out` and opens it. */
export function viewDemo(
  home: Home,
  { treeSize, asOf }: Pick<DemoSummary, "treeSize" | "asOf">,
  out: string,
): DemoView {
  buildSnapshot({
    ledgerPath: home.ledger,
    out,
    treeSize,
    asOf: Date.parse(asOf),
    settings: ReleaseSettings.parse({ baseUrl: "https://demo.example", sourceRevision: "test" }),
    reference: { gazetteer: [], industries: INDUSTRIES },
  });
  using reader = openLedgerReader(home.ledger);
  const verdicts = Array.from(reader.onlineChecks(Number.MAX_SAFE_INTEGER), ({ verdict }) => verdict);
  return new DemoView(openSnapshot(out), [...reader.verifiedRows(treeSize)], verdicts);
}

/** A command's context that works in `home` and prints nothing. */
export function contextFor({ root }: Home): CommandContext {
  const silent = { write: () => undefined };
  return {
    config: configFrom({ PRESENCE_HOME: root, STRICTNESS: "off" }),
    project: root,
    clock: () => 0,
    random: systemRandom,
    user: systemUser(),
    stdout: silent,
    stderr: silent,
  };
}

/** For tests: the counts of a record's or asset's listed rows: of the accepted ones, dated by those of them that count. */
export function recount(rows: readonly ObservationRow[]) {
  const accepted = rows.filter(({ state }) => state !== "rejected");
  const counting = accepted.filter(({ setAside }) => setAside === null);
  const dating = counting.length > 0 ? counting : accepted;
  const times = dating.map(({ observedAt }) => observedAt).sort((a, b) => a - b);
  return {
    observationCount: accepted.length,
    assetCount: new Set(accepted.map(({ asset }) => asset)).size,
    cellCount: new Set(accepted.filter(({ isMobile }) => !isMobile).map(({ cell }) => cell)).size,
    rowCount: rows.length,
    firstObserved: times[0] ?? null,
    lastObserved: times.at(-1) ?? null,
  };
}

/** The same counts of a published record. */
export function recordCounts(record: RecordRow): ReturnType<typeof recount> {
  const { observationCount, assetCount, cellCount, rowCount, firstObserved, lastObserved } = record;
  return { observationCount, assetCount, cellCount, rowCount, firstObserved, lastObserved };
}

/** The counts that an asset has, too. */
export function assetCounts({
  observationCount,
  firstObserved,
  lastObserved,
}: AssetRow | ReturnType<typeof recount>) {
  return { observationCount, firstObserved, lastObserved };
}
