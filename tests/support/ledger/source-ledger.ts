/** For tests of sources: registers them on the ledger of tests of intake, and lets nights pass. */
import { join } from "node:path";
import { INDUSTRIES } from "../../../src/contract/cities/industry.ts";
import { AssetType } from "../../../src/contract/enums.ts";
import { erase } from "../../../src/intake/erasure/erase.ts";
import { applyDueChanges, type DueChanges } from "../../../src/intake/sources/due-changes.ts";
import { judgeLedger } from "../../../src/intake/sources/judge-ledger.ts";
import { addSource, type NewSource } from "../../../src/intake/sources/source-desk.ts";
import { homePaths } from "../../../src/kernel/home.ts";
import { DAY_MS, isoDate } from "../../../src/kernel/time.ts";
import { openLedgerReader } from "../../../src/ledger/reader.ts";
import type { LedgerWriter } from "../../../src/ledger/writer.ts";
import { buildSnapshot } from "../../../src/snapshot/build.ts";
import { LedgerFold } from "../../../src/snapshot/fold/ledger-fold.ts";
import { ReleaseSettings } from "../../../src/snapshot/release-settings.ts";
import { openSnapshot } from "../../../src/snapshot/snapshot.ts";
import { AVALON, NOW, sighting, type TestLedger } from "./intake-ledger.ts";

export function register(it: TestLedger, id: string, changes: Partial<NewSource> = {}): void {
  addSource(it.ledger, {
    id,
    kind: "scout",
    vetting: "individual",
    operator: `operator of ${id}`,
    name: null,
    isNamed: false,
    licence: "contract 1",
    consent: "consent 1",
    assetTypes: AssetType.options,
    ...changes,
  });
}

/** How long before the clock's first time the first day is. */
const DAYS_BEFORE = 6;

/**
 * A sighting, by a registered source or none, of the record, the day and the hour that the numbers say; each record has a name and a
 * place of its own. `after` nights passed since the beginning.
 */
export function seen(
  source: string | null,
  observer: string,
  {
    record = 0,
    day = 0,
    hour = 14,
    after = 0,
  }: Partial<Record<"record" | "day" | "hour" | "after", number>> = {},
): ReturnType<typeof sighting> {
  const date = isoDate(NOW + (day - DAYS_BEFORE + after) * DAY_MS);
  return sighting(`${source} ${observer} ${record} ${date} ${hour}`, {
    source,
    observer,
    observed_at: `${date}T${hour}:25:10Z`,
    // Cells and streets apart, and within the city.
    lat: 40.001 + 0.004 * (record % 8) + stepsAside(observer) * 1e-6,
    lng: -75.001 + 0.004 * Math.floor(record / 8) + day * 1e-6,
    name: record === 0 ? "Corner Bakery House" : `Shop ${"abcdefghijklmnopqrstuvwxyz"[record % 26]}${record}`,
  });
}

/** No two observers stand at the same place to the digit. */
function stepsAside(observer: string): number {
  return [...observer].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % 100;
}

export interface Night extends Omit<DueChanges, "leaving"> {
  readonly erased: number; // rows
}

/** Brings into effect what is due, and takes out those who leave. */
export function night(ledger: LedgerWriter): Night {
  const { leaving, ...changes } = applyDueChanges(ledger);
  return { ...changes, erased: leaving === undefined ? 0 : erase(ledger, leaving).erasedRows };
}

/** What the nights of some days bring into effect, each with its judgement. */
export function nights(it: TestLedger, count: number): Night[] {
  const done: Night[] = [];
  for (let passed = 0; passed < count; passed += 1) {
    it.clock.time += DAY_MS;
    judgeLedger(it.ledger);
    done.push(night(it.ledger));
    it.ledger.seal({ now: true });
  }
  return done;
}

/** All rows as a release reads them. */
export function folded(it: TestLedger): LedgerFold {
  it.ledger.seal({ now: true });
  using reader = openLedgerReader(homePaths(it.home).ledger);
  const size = reader.latestCheckpoint()?.size ?? 0;
  const fold = new LedgerFold(size);
  for (const row of reader.verifiedRows(size)) fold.apply(row);
  return fold;
}

let snapshots = 0;

/** The standing of a record in a release of now. */
export function standingOf(it: TestLedger, publicId: string) {
  it.ledger.seal({ now: true });
  using reader = openLedgerReader(homePaths(it.home).ledger);
  snapshots += 1;
  const out = join(it.home, `snapshot-${snapshots}.db`);
  buildSnapshot({
    ledgerPath: homePaths(it.home).ledger,
    out,
    treeSize: reader.latestCheckpoint()?.size ?? 0,
    asOf: it.clock.time,
    settings: ReleaseSettings.parse({ baseUrl: "https://example.org", sourceRevision: "test" }),
    reference: { gazetteer: [AVALON], industries: INDUSTRIES },
  });
  const snapshot = openSnapshot(out);
  try {
    return snapshot.record(publicId)?.standing;
  } finally {
    snapshot.close();
  }
}
