import { Readable } from "node:stream";
import { ingest } from "../../../src/intake/ingest.ts";
import type { RejectSink } from "../../../src/intake/lines/rejects.ts";
import { classifier, loadClassifierReference } from "../../../src/intake/matching/classify.ts";
import { takeIn } from "../../../src/intake/take-in/take-in.ts";
import { systemRandom } from "../../../src/kernel/ids.ts";
import { DAY_MS } from "../../../src/kernel/time.ts";
import { openLedgerWriter } from "../../../src/ledger/writer.ts";
import { Operator } from "../operations/operator.ts";
import { DEMO_BASE_URL } from "./demo-home.ts";
import { DAYS, foundTown, ndjson, townObservations } from "./town.ts";

const NIGHTS = 40;
const LINES_A_NIGHT = 30;
const RECORDS = 8;

/** More than four full bundles of rows under many signed tree heads, and few records: a log with a past, whose release is small. */
export async function makeTownHome(): Promise<Operator> {
  const operator = new Operator({ BASE_URL: DEMO_BASE_URL });
  await foundTown(operator);
  await observeNightly(operator);
  await operator.ok(["build"]);
  return operator;
}

/** What `presence ingest` and `presence seal` do each night, without a process for each. */
async function observeNightly({ home }: Operator): Promise<void> {
  let time = Date.parse(DAYS.ingest);
  using ledger = openLedgerWriter(home.ledger, { keysDir: home.keys, clock: () => time });
  const names = classifier(loadClassifierReference());
  const lines = [...townObservations({ seed: 17, observations: NIGHTS * LINES_A_NIGHT, records: RECORDS })];
  for (let night = 0; night < NIGHTS; night += 1) {
    const made = lines.slice(night * LINES_A_NIGHT, (night + 1) * LINES_A_NIGHT);
    await ingest({
      ledger,
      source: Readable.from([Buffer.from(ndjson(made))]),
      name: "the sightings of a night",
      synthetic: true,
      dryRun: false,
      rejects: NO_REJECTS,
    });
    time += DAY_MS;
    await takeIn({ ledger, classifier: () => names, random: systemRandom, now: false });
    ledger.seal({ now: false });
  }
}

const NO_REJECTS: RejectSink = {
  write: (text) => {
    throw new Error(`intake refuses a line of the town: ${text}`);
  },
};
