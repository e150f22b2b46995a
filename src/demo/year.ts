import { Readable } from "node:stream";
import { ingest } from "../intake/ingest.ts";
import type { RejectSink } from "../intake/lines/rejects.ts";
import { writeLookRows } from "../intake/looks/look-rows.ts";
import { standardClassifier } from "../intake/matching/classify.ts";
import { radiusCells } from "../intake/places/city-outline.ts";
import { registerCity } from "../intake/places/register-city.ts";
import { applyDueChanges } from "../intake/sources/due-changes.ts";
import { judgeLedger } from "../intake/sources/judge-ledger.ts";
import { takeIn } from "../intake/take-in/take-in.ts";
import type { Home } from "../kernel/home.ts";
import { seededBytes } from "../kernel/seeded.ts";
import { DAY_MS, SECOND_MS } from "../kernel/time.ts";
import { createLedger } from "../ledger/database/create.ts";
import { createKeys } from "../ledger/keys/keys.ts";
import { type LedgerWriter, openLedgerWriter } from "../ledger/writer.ts";
import { Desk } from "./desk.ts";
import { looksOf } from "./looks.ts";
import { DEMO_MODELS } from "./sightings.ts";
import { registerSources, vouchForFounders } from "./sources.ts";
import { type Night, tellStory } from "./story.ts";

const ORIGIN = "demo.presence.example/ledger";
const SEED = "physical presence demonstration 2026-11";
const INTAKE_TIME = DAY_MS - 30 * SECOND_MS; // of a UTC day, after its last sighting
/** The demonstration judges once a week what a real ledger judges each night: a year takes seconds less. */
const JUDGED_NIGHTS = 7;
const SEAL_TIME = 300 * SECOND_MS; // of the day after

/** The demonstration's own keys, always the same. */
export function makeKeys(keysDir: string): void {
  createKeys(keysDir, "demo", ORIGIN, seededBytes(SEED));
}

/**
 * Writes the whole story to a new ledger, night by night; `onNight` gets the nights done and their total. The file is a draft, discarded after a crash,
 * so the caller must sync it.
 */
export async function playYear(home: Home, onNight: (done: number, total: number) => void): Promise<void> {
  const nights = tellStory();
  const random = seededBytes(SEED);
  let time = (nights[0]?.day ?? 0) * DAY_MS;
  const clock = () => time;
  const keysDir = home.keys;
  createLedger(home.ledger, { environment: "demo", origin: ORIGIN, keysDir, clock, random });
  using ledger = openLedgerWriter(home.ledger, { keysDir, clock, random, isDurable: false });
  allowModels(ledger);
  registerSources(ledger);
  const desk = new Desk(ledger);
  for (const [at, night] of nights.entries()) {
    time = night.day * DAY_MS + INTAKE_TIME;
    for (const city of night.registered) {
      const { gazetteer, radius_km } = city;
      registerCity(ledger, gazetteer, radiusCells(gazetteer.lat, gazetteer.lng, radius_km));
      vouchForFounders(ledger, city);
    }
    await accept(night, ledger);
    await takeIn({ ledger, classifier: standardClassifier, random, now: true }); // the evening has all lines of the day
    for (const decision of night.decisions) decision.act(desk);
    time = (night.day + 1) * DAY_MS + SEAL_TIME;
    writeLookRows(ledger, { now: false });
    if (at % JUDGED_NIGHTS === 0) judgeLedger(ledger);
    applyDueChanges(ledger);
    ledger.seal({ now: false });
    onNight(at + 1, nights.length);
  }
}

function allowModels(ledger: LedgerWriter): void {
  ledger.transaction(() => {
    for (const version of DEMO_MODELS) ledger.intake.allowRecognitionModel("fleet_cam", version);
  });
}

async function accept(night: Night, ledger: LedgerWriter): Promise<void> {
  if (night.sightings.length === 0) return;
  const values = [...night.sightings.map(({ line }) => line), ...looksOf(night)];
  const lines = values.map((value) => `${JSON.stringify(value)}\n`).join("");
  await ingest({
    ledger,
    source: Readable.from([Buffer.from(lines)]),
    name: "the demonstration's sightings",
    synthetic: true,
    dryRun: false,
    rejects: NO_REJECTS,
  });
}

const NO_REJECTS: RejectSink = {
  write: (text) => {
    throw new Error(`intake rejects a line of the story: ${text}`);
  },
};
