/** A city's scouts are principals: what a release counts of them, and what a replay of its public rows finds. */
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { AVALON, type TestLedger, testLedger } from "../../../tests/support/ledger/intake-ledger.ts";
import { folded, register, seen } from "../../../tests/support/ledger/source-ledger.ts";
import { INDUSTRIES } from "../../contract/cities/industry.ts";
import { enrol, link } from "../../intake/sources/source-desk.ts";
import { homePaths } from "../../kernel/home.ts";
import { stripRows } from "../../ledger/erase.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { buildSnapshot, writeSnapshot } from "../../snapshot/build.ts";
import { ReleaseSettings } from "../../snapshot/release-settings.ts";
import { openSnapshot } from "../../snapshot/snapshot.ts";
import { countScoutsByTag } from "./fold-release.ts";

interface Scouts {
  readonly scouts: number;
  readonly observations: number;
  readonly days: number;
}

/** What is published, and that a replay finds the same but for the number of scouts. */
function expectScouts(it: TestLedger, { scouts, ...others }: Scouts): void {
  const replayed = folded(it); // seals
  countScoutsByTag(replayed);
  const ledgerPath = homePaths(it.home).ledger;
  using reader = openLedgerReader(ledgerPath);
  const input = (name: string) => ({
    ledgerPath,
    out: join(it.home, `${name}-${it.ledger.nextId()}.db`),
    treeSize: reader.latestCheckpoint()?.size ?? 0,
    asOf: it.clock.time,
    settings: ReleaseSettings.parse({ baseUrl: "https://example.org", sourceRevision: "test" }),
    reference: { gazetteer: [AVALON], industries: INDUSTRIES },
  });
  const [published, again] = [input("published"), input("replayed")];
  buildSnapshot(published);
  writeSnapshot(again, reader, replayed);
  expect(numbersOf(published.out)).toEqual({ scouts, ...others });
  expect(numbersOf(again.out)).toMatchObject(others);
}

function numbersOf(path: string) {
  const snapshot = openSnapshot(path);
  try {
    const metrics = snapshot.cities()[0]?.coverage.metrics;
    return {
      scouts: metrics?.independent_scout_observers_180d,
      observations: metrics?.independent_scout_observations_180d,
      days: metrics?.independent_scout_days_180d,
    };
  } finally {
    snapshot.close();
  }
}

const RECORDS = [0, 1, 2];

/** Each observer sees each record on each of two days. */
function walks(source: string | null, observers: readonly string[]) {
  return observers.flatMap((observer, at) =>
    RECORDS.flatMap((record) => [0, 1].map((day) => seen(source, observer, { record, day, hour: 10 + at }))),
  );
}

test("four observers of one principal are one scout of a city, and one source's observers are one", async () => {
  using it = testLedger();
  register(it, "company");
  register(it, "crowd", { vetting: "collective", operator: "the crowd's" });
  const cameras = ["a", "b", "c", "d"];
  for (const observer of cameras)
    enrol(it.ledger, { source: "company", observer }, { principal: "Signs & Sons", isVouched: true });
  await it.ingest(walks("company", cameras));
  expectScouts(it, { scouts: 1, observations: 6, days: 2 });
  await it.ingest(walks("crowd", ["e", "f", "g"]));
  expectScouts(it, { scouts: 2, observations: 12, days: 2 });
  await it.ingest(walks(null, ["h", "i"]));
  expectScouts(it, { scouts: 3, observations: 18, days: 2 });
});

test("rows of a source that was withdrawn count as observations while they are public, though no scout is known any more", async () => {
  using it = testLedger();
  register(it, "scouts");
  for (const observer of ["ann", "bob"])
    enrol(it.ledger, { source: "scouts", observer }, { isVouched: true });
  await it.ingest(walks("scouts", ["ann", "bob"]));
  folded(it); // seals
  using database = openForStripping(it.home);
  stripRows(database.open, database.observations());
  expectScouts(it, { scouts: 0, observations: 12, days: 2 });
});

/** The ledger's file, as the first step of a withdrawal has it. */
function openForStripping(home: string) {
  const open = new Database(homePaths(home).ledger);
  const observations = () =>
    open.prepare<[], number>("SELECT id FROM rows WHERE kind = 'observation'").pluck().all();
  return { open, observations, [Symbol.dispose]: () => open.close() };
}

test("a row's scout is the principal that its observer belonged to when the row entered", async () => {
  using it = testLedger();
  register(it, "scouts");
  for (const observer of ["ann", "bob"])
    enrol(it.ledger, { source: "scouts", observer }, { isVouched: true });
  await it.ingest(walks("scouts", ["ann", "bob"]));
  expectScouts(it, { scouts: 2, observations: 12, days: 2 });
  link(it.ledger, { source: "scouts", observer: "ann" }, { source: "scouts", observer: "bob" });
  await it.ingest([10, 11].map((record) => seen("scouts", "bob", { record, day: 2 })));
  expectScouts(it, { scouts: 2, observations: 14, days: 3 });
});
