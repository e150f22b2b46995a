import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { z } from "zod";
import type { GazetteerCity } from "../../src/contract/cities/city.ts";
import { AssetType } from "../../src/contract/enums.ts";
import { ingest } from "../../src/intake/ingest.ts";
import type { ObservationInput } from "../../src/intake/lines/observation-input.ts";
import type { Classifier } from "../../src/intake/matching/classify.ts";
import { radiusCells } from "../../src/intake/places/city-outline.ts";
import { registerCity } from "../../src/intake/places/register-city.ts";
import { applyDueChanges } from "../../src/intake/sources/due-changes.ts";
import { addSource, enrol } from "../../src/intake/sources/source-desk.ts";
import { takeIn } from "../../src/intake/take-in/take-in.ts";
import { homePaths } from "../../src/kernel/home.ts";
import { seededBytes } from "../../src/kernel/seeded.ts";
import { DAY_MS } from "../../src/kernel/time.ts";
import { createLedger } from "../../src/ledger/database/ledger-file.ts";
import { type LedgerWriter, openLedgerWriter } from "../../src/ledger/writer.ts";

/** A town to match: its lines with the truth about them, which goes to the measures and never into a line. */

export interface MatchLine {
  readonly input: Omit<ObservationInput, "source_ref" | "source">;
  /** Whether a registered source sends it; else it belongs to the built-in source of its type. */
  readonly isBuiltIn: boolean;
  readonly truth: Truth;
  readonly address: string;
}

/** Ids of the asset and of the business that was seen. */
export interface Truth {
  readonly asset: string;
  readonly record: string;
}

export interface MatchSet {
  readonly name: string;
  readonly lat: number;
  readonly lng: number;
  readonly radiusKm: number;
  /** Observers that the operator vouches for: the rows of others do not count. */
  readonly vouched: readonly string[];
  readonly lines: readonly MatchLine[]; // by time
}

/** Feeds the lines of a set through the real intake into a temporary ledger, and reads there which record and asset each became. */

const START = Date.UTC(2026, 5, 1, 12);
const NIGHTS = 20;
export const SOURCE = "observers";

export interface FoundLine extends MatchLine {
  /** The line's number in the set; undefined for an intruder's. */
  readonly at: number | undefined;
  readonly record: number;
  readonly asset: number;
  /** Whether its row counted when it entered the ledger. */
  readonly counts: boolean;
}

export interface Found {
  /** The lines that became rows, in the order of the rows: the others were refused, or wait for a reviewer. */
  readonly lines: readonly FoundLine[];
  readonly records: number;
  /** Pairs of records that a reviewer is asked about. */
  readonly proposed: readonly (readonly [number, number])[];
}

/** A line that is no part of the set, and comes on a night of its own choice: -1 is before all nights of the set. */
export interface Intruder extends MatchLine {
  readonly night: number;
}

export interface FeedOptions {
  readonly classifier: Classifier;
  readonly intruders?: readonly Intruder[];
  readonly nights?: number;
  /** Days after these, and then a night without lines. */
  readonly quietDays?: number;
  /** What else a night does, after it has taken in its lines. */
  readonly afterNight?: (ledger: LedgerWriter, night: number) => void;
}

interface Sent {
  readonly ref: string;
  readonly night: number;
  readonly line: MatchLine;
}

/** The lines in their order on so many nights. References stay what they are with intruders: they decide the order of a night's rows. */
export async function feed(
  set: MatchSet,
  { classifier, intruders = [], nights = NIGHTS, quietDays = 0, afterNight }: FeedOptions,
): Promise<Found> {
  const home = mkdtempSync(join(tmpdir(), "presence-match-"));
  try {
    const { ledger: path, keys: keysDir } = homePaths(home);
    const clock = { time: START - DAY_MS };
    const options = { keysDir, clock: () => clock.time, random: seededBytes("match") };
    createLedger(path, { ...options, environment: "production", origin: "match.example/log" });
    using ledger = openLedgerWriter(path, options);
    prepareLedger(ledger, set);
    const size = Math.ceil(set.lines.length / nights);
    const sent: Sent[] = [
      ...intruders.map((line, at) => ({ ref: `intruder ${at}`, night: line.night, line })),
      ...set.lines.map((line, at) => ({ ref: String(at), night: Math.floor(at / size), line })),
    ];
    const byNight = Map.groupBy(sent, ({ night }) => night);
    for (let night = -1; night < nights + (quietDays > 0 ? 1 : 0); night += 1) {
      if (night === nights) clock.time += quietDays * DAY_MS;
      await acceptLines(ledger, byNight.get(night) ?? []);
      await takeIn({ ledger, classifier: () => classifier, random: options.random, now: true });
      afterNight?.(ledger, night);
      clock.time += DAY_MS;
    }
    applyDueChanges(ledger); // proposes what was seen twice
    return readFound(path, new Map(sent.map((each) => [each.ref, each.line])));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

export function gazetteerCity({ name, lat, lng }: MatchSet): GazetteerCity {
  const country = { countryCode: "XA", countryName: "Exampleland", region: "", regionCode: "" };
  return { geonameId: 1, name, asciiName: name, ...country, population: 1, lat, lng };
}

function prepareLedger(ledger: LedgerWriter, set: MatchSet): void {
  registerCity(ledger, gazetteerCity(set), radiusCells(set.lat, set.lng, set.radiusKm));
  addSource(ledger, {
    id: SOURCE,
    kind: "scout",
    vetting: "individual",
    operator: "match",
    name: null,
    isNamed: false,
    licence: "none",
    consent: "none",
    assetTypes: AssetType.options,
  });
  for (const observer of set.vouched) enrol(ledger, { source: SOURCE, observer }, { isVouched: true });
}

async function acceptLines(ledger: LedgerWriter, sent: readonly Sent[]): Promise<void> {
  const text = sent.map(({ ref, line: { input, isBuiltIn } }) =>
    JSON.stringify({ ...input, source_ref: ref, ...(!isBuiltIn && { source: SOURCE }) }),
  );
  async function* source() {
    yield Buffer.from(text.join("\n"));
  }
  await ingest({
    ledger,
    source: source(),
    name: "match",
    synthetic: false,
    dryRun: false,
    rejects: { write: () => undefined },
  });
}

const Stored = z.object({ id: z.number(), body: z.string(), private: z.string().nullable() });
const Observation = z.object({ record: z.number(), asset: z.number(), counts: z.boolean().default(true) });
const Reference = z.object({ source_ref: z.union([z.string(), z.object({ ref: z.string() })]) });
const Named = z.object({ record: z.number().optional() });
const Candidates = z.object({ match_candidates: z.array(z.number()).default([]) });

function readFound(path: string, lines: ReadonlyMap<string, MatchLine>): Found {
  const database = new Database(path, { readonly: true });
  try {
    const rowsOf = (kind: string) =>
      database
        .prepare("SELECT id, body, private FROM rows JOIN openings ON row = id WHERE kind = ? ORDER BY id")
        .all(kind)
        .map((row) => {
          const { id, body, private: hidden } = Stored.parse(row);
          return { id, body: JSON.parse(body), hidden: JSON.parse(hidden ?? "{}") };
        });
    const found = rowsOf("observation").flatMap(({ body, hidden }): FoundLine[] => {
      const { source_ref } = Reference.parse(hidden);
      const ref = typeof source_ref === "string" ? source_ref : source_ref.ref;
      const line = lines.get(ref);
      const at = Number.isNaN(Number(ref)) ? undefined : Number(ref);
      return line === undefined ? [] : [{ ...line, at, ...Observation.parse(body) }];
    });
    const records = rowsOf("record");
    // Candidates stand in the row of the record, or of its naming.
    const proposed = [...records, ...rowsOf("naming")].flatMap(({ id, body, hidden }) => {
      const { record = id } = Named.parse(body);
      const { match_candidates } = Candidates.parse(hidden);
      return match_candidates.map((other) => [Math.min(record, other), Math.max(record, other)] as const);
    });
    return {
      lines: found,
      records: records.length,
      proposed: [...new Map(proposed.map((pair) => [pair.join(" "), pair])).values()],
    };
  } finally {
    database.close();
  }
}
