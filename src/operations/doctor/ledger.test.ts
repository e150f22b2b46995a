import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sighting, testLedger } from "../../../tests/support/ledger/intake-ledger.ts";
import { register, seen } from "../../../tests/support/ledger/source-ledger.ts";
import { TestPatient } from "../../../tests/support/operations/patient.ts";
import { homePaths } from "../../kernel/home.ts";
import { DAY_MS } from "../../kernel/time.ts";
import type { Check } from "./check.ts";
import {
  checkpoint,
  clock,
  heldBackBatches,
  intakeOfSources,
  keysOfLedger,
  ledgerFile,
  ledgerRows,
  namedSources,
  pendingLines,
  stateKey,
  timestamps,
  unsealedRows,
} from "./ledger.ts";

describe("ledger", () => {
  let service: TestPatient;
  beforeEach(() => {
    service = new TestPatient();
  });
  afterEach(() => service[Symbol.dispose]());

  test("a ledger that is damaged, another file, or not there", async () => {
    expect(await service.problems(ledgerFile)).toEqual([]);
    const file = openSync(service.home.ledger, "r+");
    const size = statSync(service.home.ledger).size;
    for (let page = 2; page * 4096 < size; page += 1)
      writeSync(file, "\xff\xff\xff\xff", page * 4096, "latin1");
    closeSync(file);
    expect((await service.problems(ledgerFile)).join()).toMatch(/^HOME\/night\/ledger\.db/);
    writeFileSync(service.home.ledger, "not a database at all");
    expect(await service.problems(ledgerFile)).toEqual([expect.stringMatching(/not a ledger file/)]);
    rmSync(service.home.ledger);
    expect(await service.problems(ledgerFile)).toEqual([expect.stringMatching(/there is no ledger/)]);
    expect(await service.problems(checkpoint)).toEqual([]); // one finding for one fault
  });

  test("a row that was changed, where the file is sound: a share of them, or all", async () => {
    service.ledger.sealAt("2026-05-02T12:00:00Z");
    expect(await service.problems(ledgerRows)).toEqual([]);
    const database = new Database(service.home.ledger);
    database.exec("UPDATE openings SET body = replace(body, 'claimed', 'Claimed') WHERE row = 2");
    database.close();
    expect(await service.problems(ledgerFile)).toEqual([]);
    const found = [expect.stringMatching(/^row 2: its body or salt does not fit its digests/)];
    expect(await service.problems(ledgerRows)).toEqual(found);
    service.isFull = true;
    expect(await service.problems(ledgerRows)).toEqual(found);
  });

  test("an older copy of the ledger", async () => {
    const copy = service.path("copy.db");
    copyFileSync(service.home.ledger, copy);
    service.ledger.sealAt("2026-05-01T13:00:00Z");
    expect(await service.problems(checkpoint)).toEqual([]);
    for (const end of ["-wal", "-shm"]) rmSync(service.home.ledger + end, { force: true });
    copyFileSync(copy, service.home.ledger);
    expect(await service.problems(checkpoint)).toEqual([
      expect.stringMatching(/which this ledger does not hold/),
    ]);
  });

  test("a clock before the last row", async () => {
    service.at("2026-05-01T11:59:30Z");
    expect(await service.problems(clock)).toEqual([]); // within what NTP may step
    service.at("2026-05-01T11:00:00Z");
    expect(await service.problems(clock)).toEqual([
      "the clock says 2026-05-01T11:00:00Z, but the last row was accepted at 2026-05-01T12:00:00Z",
    ]);
  });

  test("rows that nobody seals", async () => {
    using writer = service.ledger.writer();
    service.ledger.appendAt(writer, "2026-05-02T10:00:00Z", 2);
    service.at("2026-05-03T23:00:00Z");
    expect(await service.problems(unsealedRows)).toEqual([]);
    service.at("2026-05-04T01:00:00Z");
    expect(await service.problems(unsealedRows)).toEqual(["2 rows older than a day are not sealed"]);
  });

  test("accepted lines whose day is over", async () => {
    using writer = service.ledger.writer();
    const line = { source: "scout", batch: "b1", line: 1, key: Buffer.alloc(16), input: "{}" } as const;
    const day = Date.parse("2026-05-02T00:00:00Z");
    writer.transaction(() => writer.intake.addPending({ ...line, day }));
    service.at("2026-05-03T23:00:00Z");
    expect(await service.problems(pendingLines)).toEqual([]);
    service.at("2026-05-04T01:00:00Z");
    expect(await service.problems(pendingLines)).toEqual([
      "1 accepted lines wait to become rows, the oldest since 2026-05-02",
    ]);
  });

  test("checkpoints that were asked to be stamped and are not", async () => {
    {
      using writer = service.ledger.writer();
      writer.requestProofs("tsa.example", 10);
    }
    service.at("2026-05-03T12:00:00Z");
    expect(await service.problems(timestamps)).toEqual([]); // no authority is configured any more
    service.env = { ...service.env, TSA_URL: "https://tsa.example", TSA_CA_FILE: "roots.pem" };
    expect(await service.problems(timestamps)).toEqual([expect.stringMatching(/^1 checkpoints have waited/)]);
  });

  test("observations that name no source, for a month", async () => {
    using it = testLedger();
    register(it, "scouts");
    await it.ingest([seen("scouts", "ann"), seen(null, "bob"), seen(null, "eve", { record: 1 })]);
    const found = async (now: number) =>
      (await namedSources.find({ ...service.patient(), home: homePaths(it.home), now })).map(
        ({ problem }) => problem,
      );
    expect(await found(it.clock.time)).toEqual([
      "2 observations of the last 30 days name no source: together they count as one principal",
    ]);
    expect(await found(it.clock.time + 31 * DAY_MS)).toEqual([]);
    expect(await service.problems(namedSources)).toEqual([]); // a demonstration
  });

  test("a batch that is held back, and sources that send nothing", async () => {
    using it = testLedger();
    await it.accept([sighting("a")]);
    const found = async (check: Check, now = it.clock.time) =>
      (await check.find({ ...service.patient(), home: homePaths(it.home), now })).map(
        ({ problem }) => problem,
      );
    expect(await found(heldBackBatches)).toEqual([]);
    expect(await found(intakeOfSources)).toEqual([]);
    it.ledger.transaction(() => it.ledger.batches.decide("b1", "held_back", it.clock.time, ["too much"]));
    expect(await found(heldBackBatches)).toEqual([
      "batch b1 is outside the bounds of what comes in, and waits",
    ]);
    const late = await found(intakeOfSources, it.clock.time + 8 * DAY_MS);
    expect(late).toContain("no intake from source scout for 8 days");
    expect(await service.problems(intakeOfSources)).toEqual([]); // a demonstration
  });
});

describe("keys", () => {
  let service: TestPatient;
  beforeEach(() => {
    service = new TestPatient();
  });
  afterEach(() => service[Symbol.dispose]());

  test("keys that are missing, or those of another ledger", async () => {
    expect(await service.problems(keysOfLedger)).toEqual([]);
    rmSync(service.path("keys", "demo.signing.json"));
    writeFileSync(
      service.path("keys", "demo.intake.json"),
      JSON.stringify({ secret: Buffer.alloc(32, 1).toString("base64") }),
    );
    expect(await service.problems(keysOfLedger)).toEqual([
      expect.stringMatching(/demo\.signing\.json: the key file is missing/),
      "HOME/night/keys/demo.intake.json: not the secret that the ledger was created with",
    ]);
  });

  test("a state without its key", async () => {
    expect(await service.problems(stateKey)).toEqual([]);
    mkdirSync(service.home.stateFolder);
    writeFileSync(service.home.state, "");
    expect(await service.problems(stateKey)).toEqual([
      expect.stringMatching(/^HOME\/state\/state\.key is missing/),
    ]);
  });
});
