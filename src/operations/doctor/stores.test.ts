import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sighting, testLedger } from "../../../tests/support/ledger/intake-ledger.ts";
import { register, seen } from "../../../tests/support/ledger/source-ledger.ts";
import { TestPatient } from "../../../tests/support/operations/patient.ts";
import { homePaths } from "../../kernel/home.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { openState } from "../../state/open-state.ts";
import type { CheckName } from "./checks.ts";

let service: TestPatient;
beforeEach(() => {
  service = new TestPatient();
});
afterEach(() => service[Symbol.dispose]());

test("a ledger that is damaged, another file, or not there", async () => {
  expect(await service.problems("ledger file")).toEqual([]);
  const file = openSync(service.home.ledger, "r+");
  const size = statSync(service.home.ledger).size;
  for (let page = 2; page * 4096 < size; page += 1)
    writeSync(file, "\xff\xff\xff\xff", page * 4096, "latin1");
  closeSync(file);
  expect((await service.problems("ledger file")).join()).toMatch(/^HOME\/night\/ledger\.db/);
  writeFileSync(service.home.ledger, "not a database at all");
  expect(await service.problems("ledger file")).toEqual([expect.stringMatching(/not a ledger file/)]);
  rmSync(service.home.ledger);
  expect(await service.problems("ledger file")).toEqual([expect.stringMatching(/there is no ledger/)]);
  expect(await service.problems("checkpoint")).toEqual([]); // one finding for one fault
});

test("a row that was changed, where the file is sound: a share of them, or all", async () => {
  service.ledger.sealAt("2026-05-02T12:00:00Z");
  expect(await service.problems("ledger rows")).toEqual([]);
  const database = new Database(service.home.ledger);
  database.exec("UPDATE openings SET body = replace(body, 'claimed', 'Claimed') WHERE row = 2");
  database.close();
  expect(await service.problems("ledger file")).toEqual([]);
  const found = [expect.stringMatching(/^row 2: its body or salt does not fit its digests/)];
  expect(await service.problems("ledger rows")).toEqual(found);
  service.isFull = true;
  expect(await service.problems("ledger rows")).toEqual(found);
});

test("an older copy of the ledger", async () => {
  const copy = service.path("copy.db");
  copyFileSync(service.home.ledger, copy);
  service.ledger.sealAt("2026-05-01T13:00:00Z");
  expect(await service.problems("checkpoint")).toEqual([]);
  for (const end of ["-wal", "-shm"]) rmSync(service.home.ledger + end, { force: true });
  copyFileSync(copy, service.home.ledger);
  expect(await service.problems("checkpoint")).toEqual([
    expect.stringMatching(/which this ledger does not hold/),
  ]);
});

test("a clock before the last row", async () => {
  service.at("2026-05-01T11:59:30Z");
  expect(await service.problems("clock")).toEqual([]); // within what NTP may step
  service.at("2026-05-01T11:00:00Z");
  expect(await service.problems("clock")).toEqual([
    "the clock says 2026-05-01T11:00:00Z, but the last row was accepted at 2026-05-01T12:00:00Z",
  ]);
});

test("rows that nobody seals", async () => {
  using writer = service.ledger.writer();
  service.ledger.appendAt(writer, "2026-05-02T10:00:00Z", 2);
  service.at("2026-05-03T23:00:00Z");
  expect(await service.problems("unsealed rows")).toEqual([]);
  service.at("2026-05-04T01:00:00Z");
  expect(await service.problems("unsealed rows")).toEqual(["2 rows older than a day are not sealed"]);
});

test("accepted lines whose day is over", async () => {
  using writer = service.ledger.writer();
  const line = { source: "scout", batch: "b1", line: 1, key: Buffer.alloc(16), input: "{}" } as const;
  const day = Date.parse("2026-05-02T00:00:00Z");
  writer.transaction(() => writer.intake.addPending({ ...line, day }));
  service.at("2026-05-03T23:00:00Z");
  expect(await service.problems("pending lines")).toEqual([]);
  service.at("2026-05-04T01:00:00Z");
  expect(await service.problems("pending lines")).toEqual([
    "1 accepted lines wait to become rows, the oldest since 2026-05-02",
  ]);
});

test("checkpoints that were asked to be stamped and are not", async () => {
  {
    using writer = service.ledger.writer();
    writer.requestProofs("tsa.example", 10);
  }
  service.at("2026-05-03T12:00:00Z");
  expect(await service.problems("timestamps")).toEqual([]); // no authority is configured any more
  service.env = { ...service.env, TSA_URL: "https://tsa.example", TSA_CA_FILE: "roots.pem" };
  expect(await service.problems("timestamps")).toEqual([expect.stringMatching(/^1 checkpoints have waited/)]);
});

test("observations that name no source, for a month", async () => {
  using it = testLedger();
  register(it, "scouts");
  await it.ingest([seen("scouts", "ann"), seen(null, "bob"), seen(null, "eve", { record: 1 })]);
  const found = (now: number) => service.problems("named sources", { home: homePaths(it.home), now });
  expect(await found(it.clock.time)).toEqual([
    "2 observations of the last 30 days name no source: together they count as one principal",
  ]);
  expect(await found(it.clock.time + 31 * DAY_MS)).toEqual([]);
  expect(await service.problems("named sources")).toEqual([]); // a demonstration
});

test("a batch that is held back, and sources that send nothing", async () => {
  using it = testLedger();
  await it.accept([sighting("a")]);
  const found = (check: CheckName, now = it.clock.time) =>
    service.problems(check, { home: homePaths(it.home), now });
  expect(await found("held back batches")).toEqual([]);
  expect(await found("intake of sources")).toEqual([]);
  it.ledger.transaction(() => it.ledger.batches.decide("b1", "held_back", it.clock.time, ["too much"]));
  expect(await found("held back batches")).toEqual(["batch b1 waits for your approval"]);
  const late = await found("intake of sources", it.clock.time + 8 * DAY_MS);
  expect(late).toContain("no intake from source scout for 8 days");
  expect(await service.problems("intake of sources")).toEqual([]); // a demonstration
});

test("keys that are missing, or those of another ledger", async () => {
  expect(await service.problems("keys of the ledger")).toEqual([]);
  rmSync(service.path("keys", "demo.signing.json"));
  writeFileSync(
    service.path("keys", "demo.intake.json"),
    JSON.stringify({ secret: Buffer.alloc(32, 1).toString("base64") }),
  );
  expect(await service.problems("keys of the ledger")).toEqual([
    expect.stringMatching(/demo\.signing\.json: the key file is missing/),
    "HOME/night/keys/demo.intake.json: not the secret that the ledger was created with",
  ]);
});

test("a state without its key", async () => {
  expect(await service.problems("key of the state")).toEqual([]);
  mkdirSync(service.home.stateFolder);
  writeFileSync(service.home.state, "");
  expect(await service.problems("key of the state")).toEqual([
    expect.stringMatching(/^HOME\/state\/state\.key is missing/),
  ]);
});

test("garbage within the state is found, also where it still opens", async () => {
  expect(await service.problems("state file")).toEqual([]);
  expect(existsSync(service.home.state)).toBe(false);
  await (await openState(undefined, service.home)).close();
  expect(await service.problems("state file")).toEqual([]);
  const { size } = statSync(service.home.state);
  const file = openSync(service.home.state, "r+");
  writeSync(file, Buffer.alloc(4096, 255), 0, 4096, size - 8192);
  closeSync(file);
  for (const isFull of [false, true]) {
    service.isFull = isFull;
    expect((await service.problems("state file")).join()).toMatch(/^HOME\/state\/state\.db is damaged: /);
  }
  mkdirSync(service.home.stateFolder, { recursive: true });
  writeFileSync(service.home.state, "no database at all ".repeat(100));
  expect(await service.problems("state file")).toEqual([
    "HOME/state/state.db is damaged: file is not a database",
  ]);
  expect(await service.problems("state")).toEqual([expect.stringMatching(/the database is damaged/)]);
});

test("a state in PostgreSQL has no file to check", async () => {
  mkdirSync(service.home.stateFolder, { recursive: true });
  writeFileSync(service.home.state, "left from before, and no database ".repeat(100));
  service.env["STATE_URL"] = "postgres://nobody@127.0.0.1:1/none";
  expect(await service.problems("state file")).toEqual([]);
});

test.each([
  ["the ledger", () => service.home.ledger],
  ["nothing", () => "nowhere.db"],
])(
  "a link to %s in the place of the state is found, and nothing is written through it",
  async (_name, target) => {
    const before = readFileSync(service.home.ledger);
    mkdirSync(dirname(service.home.state), { recursive: true });
    symlinkSync(target(), service.home.state);
    expect(await service.problems("state file")).toEqual([
      expect.stringMatching(/^HOME\/.*state\.db: it is a symbolic link/),
    ]);
    await expect(openState(undefined, service.home)).rejects.toThrow(/a symbolic link/);
    expect(readFileSync(service.home.ledger)).toEqual(before);
  },
);

test("another store under the name of the state is found, and stays as it is", async () => {
  mkdirSync(dirname(service.home.state), { recursive: true });
  copyFileSync(service.home.ledger, service.home.state);
  const before = readFileSync(service.home.state);
  expect(await service.problems("state file")).toEqual([expect.stringMatching(/it is not a state database/)]);
  await expect(openState(undefined, service.home)).rejects.toThrow(/it is not a state database/);
  expect(readFileSync(service.home.state)).toEqual(before);
});

test("a state that cannot be reached", async () => {
  expect(await service.problems("state")).toEqual([]);
  service.env = { ...service.env, STATE_URL: "postgres://nobody@127.0.0.1:9/none" };
  expect(await service.problems("state")).toEqual([
    expect.stringMatching(/STATE_URL: PostgreSQL at 127\.0\.0\.1:9 cannot be opened/),
  ]);
});
