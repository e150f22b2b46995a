/** What reviewers correct about whose evidence is whose is in the rows: others compute from them what a release says afterwards. */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { erase } from "../../src/intake/erasure/erase.ts";
import { planRedaction, planWrongRecord } from "../../src/intake/erasure/erasure-plan.ts";
import { ingest } from "../../src/intake/ingest.ts";
import { classifier, loadClassifierReference } from "../../src/intake/matching/classify.ts";
import { takeIn } from "../../src/intake/take-in/take-in.ts";
import { systemRandom } from "../../src/kernel/ids.ts";
import { DAY_MS } from "../../src/kernel/time.ts";
import { type LedgerWriter, openLedgerWriter } from "../../src/ledger/writer.ts";
import type { Correction, DeskAtWork } from "../../src/review/corrections/correction.ts";
import { planApart, planJoin, planUnjoin } from "../../src/review/corrections/pair.ts";
import { planRename } from "../../src/review/corrections/rename.ts";
import { planSplit, planUnsplit } from "../../src/review/corrections/split.ts";
import { Desk } from "../../src/review/desk.ts";
import { isPythonThere, recompute } from "../python/program.ts";
import { Operator } from "../support/operations/operator.ts";
import { DAYS, ndjson, observedTown, townObservations } from "../support/towns/town.ts";

const RECORDS = 10;

/** Returns its first row. */
function corrected(ledger: LedgerWriter, planned: (at: DeskAtWork) => Correction): string {
  const { make } = planned({ desk: new Desk(ledger), ledger });
  return String(ledger.transaction(() => make({ reviewer: "review-desk", reason: "different_businesses" })));
}

/** Every other observation leaves. */
function splitInTwo(ledger: LedgerWriter, record: string, name: string): string {
  const rows = ledger.live.sightings([Number(record)], []).map(({ id }) => id);
  const asked = { record, assets: [], seen: [], websites: [], rows: rows.filter((_, at) => at % 2 === 0) };
  return corrected(ledger, (at) => planSplit(at, { ...asked, called: { name } }));
}

async function seeAgain(ledger: LedgerWriter): Promise<void> {
  const lines = ndjson(townObservations({ seed: 41, observations: 100, records: RECORDS }));
  const rejects: string[] = [];
  await ingest({
    ledger,
    source: Readable.from([Buffer.from(lines)]),
    name: "a later night",
    synthetic: true,
    dryRun: false,
    rejects: { write: (text) => rejects.push(text) },
  });
  expect(rejects).toEqual([]);
  const names = classifier(loadClassifierReference());
  await takeIn({ ledger, classifier: () => names, random: systemRandom, now: true });
}

test("what a release says after corrections, taken back or not, and erasures among them follows from its files", async () => {
  using operator = new Operator();
  await observedTown(operator, { seed: 40, observations: 400, records: RECORDS });
  await operator.ok(["build"]); // events and citations of before
  const { home } = operator;
  let time = Date.parse(DAYS.seal) + DAY_MS;
  {
    using ledger = openLedgerWriter(home.ledger, { keysDir: home.keys, clock: () => time });
    const records = [...new Desk(ledger).state.records.keys()].map(String);
    const [a = "", b = "", c = "", d = "", e = "", f = "", g = "", h = "", i = "", j = ""] = records;
    const kept = splitInTwo(ledger, a, "Heron House");
    const returned = splitInTwo(ledger, b, "Egret House");
    const wrong = splitInTwo(ledger, j, "Stork House");
    for (const [record, into] of [
      [c, d],
      [e, f],
    ] as const)
      corrected(ledger, (at) => planJoin(at, record, into));
    corrected(ledger, (at) => planRename(at, g, { name: "Bittern House", website: "bittern.example" }));
    corrected(ledger, (at) => planApart(at, h, i));
    ledger.seal({ now: true });
    time += DAY_MS;
    await seeAgain(ledger);
    corrected(ledger, (at) => planUnjoin(at, e, f));
    corrected(ledger, (at) => planUnsplit(at, returned));
    const [moved] = ledger.live.sightings([Number(kept)], []);
    const why = { kind: "redaction", reason: "wrong_record" } as const;
    erase(ledger, planRedaction(ledger, { ...why, target: String(moved?.id) }));
    const publicId = new Desk(ledger).state.records.get(Number(wrong))?.body.public_id ?? "";
    erase(ledger, planWrongRecord(ledger, { ...why, target: publicId }));
    expect(ledger.live.sightings([Number(kept)], []).length).toBeGreaterThan(0);
  }
  await operator.ok(["build"]);
  const release = realpathSync(home.current);
  const replayed = await operator.run(["replay", "--json", "--release", release]);
  expect(JSON.parse(replayed.stdout)).toMatchObject({ differences: [], faults: [] });
  expect(replayed.code).toBe(0);
  if (!isPythonThere) return;
  const { code, output } = await recompute(join(release, "site"));
  expect(code, output).toBe(0);
  expect(output).toMatch(/, 0 differ$/m);
});
