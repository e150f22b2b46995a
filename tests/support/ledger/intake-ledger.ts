/** For tests of intake: a real ledger in a temporary folder, with one city, a fixed clock and a seeded randomness. */

import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GazetteerCity } from "../../../src/contract/cities/city.ts";
import { AssetType, SourceType } from "../../../src/contract/enums.ts";
import { type IngestOptions, type IngestSummary, ingest } from "../../../src/intake/ingest.ts";
import type { ObservationInput } from "../../../src/intake/lines/observation-input.ts";
import { type Classifier, classifier } from "../../../src/intake/matching/classify.ts";
import { radiusCells } from "../../../src/intake/places/city-outline.ts";
import { registerCity } from "../../../src/intake/places/register-city.ts";
import { enrol } from "../../../src/intake/sources/source-desk.ts";
import { type TakeInOptions, type TakenIn, takeIn } from "../../../src/intake/take-in/take-in.ts";
import { homePaths } from "../../../src/kernel/home.ts";
import type { RandomBytes } from "../../../src/kernel/ids.ts";
import { createLedger } from "../../../src/ledger/database/ledger-file.ts";
import type { RowKind } from "../../../src/ledger/rows/rows.ts";
import type { LedgerWriter } from "../../../src/ledger/writer.ts";
import { openRawWriter, rawLedger } from "./raw-ledger.ts";

export const NOW = Date.UTC(2026, 4, 10, 12);

export const AVALON: GazetteerCity = {
  geonameId: 1,
  name: "Avalon",
  asciiName: "Avalon",
  region: "Westland",
  regionCode: "WL",
  countryCode: "XA",
  countryName: "Exampleland",
  population: 1000,
  lat: 40,
  lng: -75,
};

export function countedRandom(seed = ""): RandomBytes {
  let drawn = 0;
  return (size) => {
    drawn += 1;
    return createHash("shake256", { outputLength: size }).update(`${seed} ${drawn}`).digest();
  };
}

export interface TestLedger extends Disposable {
  readonly home: string;
  /** In ms; only the test moves it. */
  readonly clock: { time: number };
  readonly ledger: LedgerWriter;
  /** Bodies of a kind with their row ids, in order. */
  rows(kind: RowKind): { id: number; body: Record<string, unknown>; private: Record<string, unknown> }[];
  rejects: string;
  /** Accepts lines: they are pending then. */
  accept(lines: readonly unknown[], options?: AcceptOptions): Promise<IngestSummary>;
  /** Takes in what is pending, today's lines too. */
  takeIn(options?: Partial<TakeInOptions>): Promise<TakenIn>;
  /** Both: the lines become rows. */
  ingest(lines: readonly unknown[], options?: AcceptOptions): Promise<IngestSummary & TakenIn>;
}

type AcceptOptions = Partial<IngestOptions & Pick<TakeInOptions, "random">>;

const brands = new Map([["pizza castle", "5611"]]);
const testClassifier: Classifier = classifier({ brands, keywords: new Map([["bakery", "1071"]]) });

export function testLedger(): TestLedger {
  const home = mkdtempSync(join(tmpdir(), "presence-intake-"));
  const { ledger: path, keys: keysDir } = homePaths(home);
  const clock = { time: NOW };
  const options = { keysDir, clock: () => clock.time, random: countedRandom("ledger") };
  createLedger(path, { ...options, environment: "production", origin: "test.example/log" });
  const ledger = openRawWriter(path, options);
  registerCity(ledger, AVALON, radiusCells(AVALON.lat, AVALON.lng, 5));
  registerSources(ledger);
  const test: TestLedger = {
    home,
    clock,
    ledger,
    rejects: "",
    rows: (kind) =>
      rawLedger(ledger)
        .prepare<[string], { id: number; body: string; private: string | null }>(
          "SELECT id, body, private FROM rows JOIN openings ON row = id WHERE kind = ? ORDER BY id",
        )
        .all(kind)
        .map(({ id, body, private: hidden }) => ({
          id,
          body: JSON.parse(body),
          private: plainRef(JSON.parse(hidden ?? "{}")),
        })),
    accept: (lines, more = {}) => {
      test.rejects = "";
      return ingest({
        ledger,
        source: bytes(lines),
        name: "test.ndjson",
        synthetic: false,
        dryRun: false,
        rejects: {
          write: (text) => {
            test.rejects += text;
          },
        },
        ...more,
      });
    },
    takeIn: (more = {}) =>
      takeIn({ ledger, classifier: () => testClassifier, random: countedRandom("ids"), now: true, ...more }),
    ingest: async (lines, more = {}) => {
      const summary = await test.accept(lines, more);
      const { ledger: other = ledger, random = countedRandom("ids") } = more;
      return { ...summary, ...(await test.takeIn({ ledger: other, random })) };
    },
    [Symbol.dispose]: () => {
      ledger.close();
      rmSync(home, { recursive: true });
    },
  };
  return test;
}

/** Private values with the reference alone in `source_ref`. */
function plainRef(hidden: Record<string, unknown>): Record<string, unknown> {
  const { source_ref: ref } = hidden;
  return typeof ref === "object" && ref !== null && "ref" in ref
    ? { ...hidden, source_ref: ref.ref }
    : hidden;
}

/** Individual sources of one operator, one of each kind, without rows: what they are is not what tests of intake are about. */
function registerSources(ledger: LedgerWriter): void {
  ledger.transaction(() => {
    for (const kind of SourceType.options)
      ledger.sources.addSource({
        id: sourceId(kind),
        row: 1,
        operator: "test",
        kind,
        vetting: "individual",
        assetTypes: AssetType.options,
        state: "active",
        keepsNames: false,
      });
  });
}

function sourceId(kind: unknown): string {
  return String(kind).replaceAll("_", "-");
}

/** What these observers send counts. */
export function vouchFor({ ledger }: TestLedger, ...observers: readonly string[]): void {
  for (const observer of observers) enrol(ledger, { source: "scout", observer }, { isVouched: true });
}

/** Strings as they are, anything else as JSON; one a line. */
async function* bytes(lines: readonly unknown[]): AsyncGenerator<Buffer> {
  yield Buffer.from(lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
}

/** A good observation of a registered source with a reference of its own; `changes` say what is special about it. */
export function sighting(ref: string, changes: Partial<Record<keyof ObservationInput, unknown>> = {}) {
  return {
    source: sourceId(changes.source_type ?? "scout"),
    source_type: "scout",
    source_ref: ref,
    observer: "scout-7",
    observed_at: "2026-05-01T14:25:10Z",
    lat: 40.001,
    lng: -75.001,
    name: "Corner Bakery House",
    asset_type: "storefront",
    ...changes,
  };
}
