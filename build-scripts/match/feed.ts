/** Feeds the lines of a set through the real intake into a temporary ledger, and reads there which record and asset each became. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { z } from "zod";
import { AssetType } from "../../src/contract/enums.ts";
import { ingest } from "../../src/intake/ingest.ts";
import type { Classifier } from "../../src/intake/matching/classify.ts";
import { radiusCells } from "../../src/intake/places/city-outline.ts";
import { registerCity } from "../../src/intake/places/register-city.ts";
import { addSource, enrol } from "../../src/intake/sources/source-desk.ts";
import { takeIn } from "../../src/intake/take-in/take-in.ts";
import { homePaths } from "../../src/kernel/home.ts";
import { seededBytes } from "../../src/kernel/seeded.ts";
import { DAY_MS } from "../../src/kernel/time.ts";
import { createLedger } from "../../src/ledger/database/create.ts";
import { type LedgerWriter, openLedgerWriter } from "../../src/ledger/writer.ts";
import type { MatchLine, MatchSet } from "./match-set.ts";

const START = Date.UTC(2026, 5, 1, 12);
const NIGHTS = 20;
const SOURCE = "observers";

export interface FoundLine extends MatchLine {
  readonly record: number;
  readonly asset: number;
}

export interface Found {
  /** The lines that became rows: the others were refused, or wait for a reviewer. */
  readonly lines: readonly FoundLine[];
  readonly records: number;
  /** Pairs of records that a reviewer is asked about. */
  readonly proposed: readonly (readonly [number, number])[];
}

/** In the order of the lines, on so many nights. */
export async function feed(set: MatchSet, classifier: Classifier): Promise<Found> {
  const home = mkdtempSync(join(tmpdir(), "presence-match-"));
  try {
    const { ledger: path, keys: keysDir } = homePaths(home);
    const clock = { time: START };
    const options = { keysDir, clock: () => clock.time, random: seededBytes("match") };
    createLedger(path, { ...options, environment: "production", origin: "match.example/log" });
    using ledger = openLedgerWriter(path, options);
    prepareLedger(ledger, set);
    const size = Math.ceil(set.lines.length / NIGHTS);
    for (let from = 0; from < set.lines.length; from += size) {
      await acceptLines(ledger, set.lines.slice(from, from + size), from);
      await takeIn({ ledger, classifier: () => classifier, random: options.random, now: true });
      clock.time += DAY_MS;
    }
    return readFound(path, set.lines);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function prepareLedger(ledger: LedgerWriter, { name, lat, lng, radiusKm, vouched }: MatchSet): void {
  const town = { geonameId: 1, name, asciiName: name, region: "", regionCode: "", population: 1, lat, lng };
  registerCity(
    ledger,
    { ...town, countryCode: "XA", countryName: "Exampleland" },
    radiusCells(lat, lng, radiusKm),
  );
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
  for (const observer of vouched) enrol(ledger, { source: SOURCE, observer }, { isVouched: true });
}

async function acceptLines(ledger: LedgerWriter, lines: readonly MatchLine[], from: number): Promise<void> {
  const text = lines.map(({ input, isBuiltIn }, at) =>
    JSON.stringify({ ...input, source_ref: String(from + at), ...(!isBuiltIn && { source: SOURCE }) }),
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
const Observation = z.object({ record: z.number(), asset: z.number() });
const Reference = z.object({ source_ref: z.union([z.string(), z.object({ ref: z.string() })]) });
const Named = z.object({ record: z.number().optional() });
const Candidates = z.object({ match_candidates: z.array(z.number()).default([]) });

function readFound(path: string, lines: readonly MatchLine[]): Found {
  const database = new Database(path, { readonly: true });
  try {
    const rowsOf = (kind: string) =>
      database
        .prepare("SELECT id, body, private FROM rows JOIN openings ON row = id WHERE kind = ? ORDER BY id")
        .all(kind)
        .map((row) => Stored.parse(row));
    const found = rowsOf("observation").flatMap(({ body, private: hidden }): FoundLine[] => {
      const { source_ref: ref } = Reference.parse(JSON.parse(hidden ?? "{}"));
      const line = lines[Number(typeof ref === "string" ? ref : ref.ref)];
      return line === undefined ? [] : [{ ...line, ...Observation.parse(JSON.parse(body)) }];
    });
    // Candidates stand in the row of the record, or of its naming.
    const proposed = [...rowsOf("record"), ...rowsOf("naming")].flatMap(({ id, body, private: hidden }) => {
      const { record = id } = Named.parse(JSON.parse(body));
      const { match_candidates } = Candidates.parse(JSON.parse(hidden ?? "{}"));
      return match_candidates.map((other) => [Math.min(record, other), Math.max(record, other)] as const);
    });
    const pairs = new Map(proposed.map((pair) => [pair.join(" "), pair]));
    return { lines: found, records: rowsOf("record").length, proposed: [...pairs.values()] };
  } finally {
    database.close();
  }
}
