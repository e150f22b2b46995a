import type { Home } from "../../src/kernel/home.ts";
import { seededBytes } from "../../src/kernel/seeded.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../src/kernel/time.ts";
import { createLedger } from "../../src/ledger/database/create.ts";
import { type LedgerWriter, openLedgerWriter } from "../../src/ledger/writer.ts";
import { CITIES } from "./cast.ts";
import { ExampleRows } from "./example-rows.ts";
import { nights } from "./story.ts";

const ORIGIN = "presence.example/ledger";
const SEED = "example world: its keys are no secret and prove nothing";
const INTAKE_TIME = DAY_MS - HOUR_MS; // of a UTC day
const SEAL_TIME = DAY_MS + 300 * SECOND_MS; // the same, after midnight
const AUTHORITY = "tsa.example";

/** Writes the example world to a new ledger and seals each night but the last, whose rows stay unsealed. Returns the size of the newest signed tree. */
export function writeExampleLedger(home: Home): number {
  const random = seededBytes(SEED);
  let time = 0;
  const options = { keysDir: home.keys, clock: () => time, random };
  createLedger(home.ledger, { ...options, environment: "demo", origin: ORIGIN });
  using ledger = openLedgerWriter(home.ledger, options);
  const rows = new ExampleRows(ledger);
  const story = nights();
  let treeSize = 0;
  for (const [at, { date, sightings, decide }] of story.entries()) {
    time = Date.parse(date) + INTAKE_TIME;
    if (at === 0) for (const city of CITIES) rows.found(city);
    rows.takeIn(sightings);
    decide?.(rows);
    if (at === story.length - 1) break;
    time = Date.parse(date) + SEAL_TIME;
    treeSize = ledger.seal({ now: false }).checkpoint?.size ?? treeSize;
    timeStamp(ledger);
  }
  return treeSize;
}

/** Timestamps each seal a night later, so the newest one is pending. The timestamps are invented. */
function timeStamp(ledger: LedgerWriter): void {
  const [, ...answered] = ledger.requestProofs(AUTHORITY, 10);
  ledger.recordProofs(
    answered.map(({ size }) => ({
      size,
      provider: AUTHORITY,
      status: "verified",
      token: Buffer.from(`example time stamp ${size}`),
    })),
  );
}
