/** A misread name that is corrected nights later: every release follows from its files, and earlier citations keep its name. */
import { realpathSync } from "node:fs";
import { expect, test } from "vitest";
import { applyDueChanges } from "../../src/intake/sources/due-changes.ts";
import { judgeLedger, MAX_DELAY_DAYS } from "../../src/intake/sources/judge-ledger.ts";
import { releasePaths } from "../../src/kernel/home.ts";
import { DAY_MS } from "../../src/kernel/time.ts";
import { openLedgerWriter } from "../../src/ledger/writer.ts";
import { citation } from "../../src/resources/citations/citation.ts";
import type { ReadContext } from "../../src/resources/define.ts";
import { evidence } from "../../src/resources/records/evidence.ts";
import { contextAt } from "../../src/resources/release-store.ts";
import { Operator } from "../support/operations/operator.ts";
import { DAYS, foundTown, ndjson, townObservations } from "../support/towns/town.ts";

const MISREAD = "SLAGERIJ TER MUREN";
const RIGHT = "Slagerij Ter-Muren";

/** As three observers said it, the first of them wrongly. */
function lines() {
  const [line] = townObservations({ seed: 1, observations: 1, records: 1 });
  // Nobody stands at the same place to the digit, and nobody copies a time.
  return [MISREAD, RIGHT, RIGHT].map((name, at) => {
    const own = { source: "bench-scout", source_type: "scout", source_ref: `ter-muren-${at}` };
    const seen = { lat: -44.97 + at * 1e-5, observed_at: `2026-04-30T1${at}:2${at}:10Z` };
    return { ...line, ...own, ...seen, name, asset_type: "storefront", observer: `observer-0-${at}` };
  });
}

/** Judgements, changes that are due, and seals of so many nights. */
function nights({ home }: Operator, start: number, count: number): void {
  let time = start;
  using ledger = openLedgerWriter(home.ledger, { keysDir: home.keys, clock: () => time });
  for (let night = 0; night < count; night += 1) {
    time += DAY_MS;
    judgeLedger(ledger);
    applyDueChanges(ledger);
    ledger.seal({ now: true });
  }
}

/** Builds and replays a release, then reads it. */
async function released<T>(operator: Operator, read: (context: ReadContext) => T): Promise<T> {
  await operator.ok(["build"]);
  const directory = realpathSync(operator.home.current);
  const replayed = await operator.ok(["replay", "--json", "--release", directory]);
  expect(JSON.parse(replayed)).toMatchObject({ differences: [], faults: [] });
  const context = contextAt(releasePaths(directory).snapshot);
  try {
    return read(context);
  } finally {
    context.close();
  }
}

function cited(context: ReadContext) {
  return [...context.snapshot.publicIds()].map(
    (public_id) => evidence.read(context, { public_id }, {}).citations,
  );
}

test("a misread name is corrected within two weeks; all releases replay, and a citation of before keeps the name", async () => {
  using operator = new Operator();
  await foundTown(operator);
  const [first, ...later] = lines();
  for (const [at, seen] of [[first], later].entries()) {
    const file = operator.write(`lines-${at}.ndjson`, ndjson(seen));
    await operator.ok(["ingest", file, "--synthetic", "--clock", DAYS.ingest]);
    await operator.ok(["seal", "--now", "--clock", DAYS.ingest]);
  }
  const [before, ...others] = await released(operator, cited);
  expect(others).toEqual([]);
  expect(before?.suggested_citation).toContain(MISREAD);
  const sealed = Date.parse(DAYS.ingest);
  const week = 7;
  nights(operator, sealed, week);
  await released(operator, cited); // whichever of the names it has
  nights(operator, sealed + week * DAY_MS, MAX_DELAY_DAYS + 1 - week);
  const [after, earlier] = await released(operator, (context) => [
    cited(context)[0]?.suggested_citation,
    citation.read(context, { id: before?.citation_id ?? "" }, {}),
  ]);
  expect(after).toContain(RIGHT);
  expect(earlier).toMatchObject({ status: "superseded", citation: { quote: before?.suggested_citation } });
});
