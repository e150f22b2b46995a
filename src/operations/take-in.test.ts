import { expect, test } from "vitest";
import { NOW, sighting, type TestLedger, testLedger } from "../../tests/support/ledger/intake-ledger.ts";
import { contextFor } from "../../tests/support/towns/demo-view.ts";
import { erase } from "../intake/erasure/erase.ts";
import { planRedaction } from "../intake/erasure/erasure-plan.ts";
import { configFrom } from "../kernel/config/config.ts";
import { homePaths } from "../kernel/home.ts";
import { DAY_MS, isoDate, utcDayStart } from "../kernel/time.ts";
import { openLedgerReader } from "../ledger/reader.ts";
import { type CommandContext, openWriter } from "./context.ts";
import { sealAndStamp } from "./night/seal-and-stamp.ts";
import { openCurrentWriter } from "./take-in.ts";

const TODAY = utcDayStart(NOW);

/** The edges of a command at a time; the ledger is closed until it ends. */
function commandAt(it: TestLedger, time: number): { context: CommandContext; said: () => string } {
  it.clock.time = time;
  let text = "";
  const write = (piece: string) => {
    text += piece;
  };
  const context = { ...contextFor(homePaths(it.home)), clock: () => time, stderr: { write } };
  return { context, said: () => text };
}

/** A sealed row, and a line that waits since the day after. */
async function oneRowOneLine(): Promise<TestLedger> {
  const it = testLedger();
  await it.ingest([sighting("old", { name: "Quiet Corner" })]);
  it.ledger.seal({ now: true });
  it.clock.time = NOW + DAY_MS;
  await it.accept([sighting("new")]);
  return it;
}

function kinds(it: TestLedger): readonly string[] {
  using reader = openLedgerReader(homePaths(it.home).ledger);
  const size = reader.latestCheckpoint()?.size ?? 0;
  return Array.from(reader.verifiedRows(size), ({ kind, acceptedAt }) => `${kind} ${isoDate(acceptedAt)}`);
}

test("versions of recognition models are published as the setting says, with the types of sources that there are", async () => {
  using it = await oneRowOneLine();
  await it.accept([
    sighting("by-model", { source_type: "fleet_cam", recognition_model_version: "signs-2" }),
    sighting("by-another", { source_type: "fleet_cam", recognition_model_version: "signs-3" }),
    sighting("of-a-scout", { recognition_model_version: "signs-2" }),
  ]);
  it.ledger.close();
  const { context } = commandAt(it, TODAY + 2 * DAY_MS);
  const under = (RECOGNITION_MODELS: string) => ({
    ...context,
    config: { ...context.config, models: configFrom({ RECOGNITION_MODELS }).models },
  });
  await expect(openCurrentWriter(under("van:signs-2"))).rejects.toThrow(
    "RECOGNITION_MODELS: the source type must be one of ",
  );
  (await openCurrentWriter(under("scout:signs-3, fleet_cam:signs-2"))).close();
  using ledger = openWriter(context);
  const versions = Array.from(ledger.storedObservations(), ({ body }) => body.recognition_model_version);
  expect(versions.filter((version) => version !== null)).toEqual(["signs-2"]);
});

test("a command that appends takes in the finished days first, and no line of today", async () => {
  using it = await oneRowOneLine();
  it.ledger.close();
  const sameDay = commandAt(it, TODAY + DAY_MS + DAY_MS / 2);
  (await openCurrentWriter(sameDay.context)).close();
  expect(sameDay.said()).toBe("");
  const nextDay = commandAt(it, TODAY + 2 * DAY_MS + 1);
  {
    using writer = await openCurrentWriter(nextDay.context);
    expect(writer.pending.counts().waiting).toBe(0);
  }
  expect(nextDay.said()).toBe("took in 1 accepted line of 1 finished day first\n");
});

test("an erasure does not wait: the rows of the day before follow it, and the tree stands", async () => {
  using it = await oneRowOneLine();
  it.ledger.close();
  const { context } = commandAt(it, TODAY + 2 * DAY_MS + DAY_MS / 2);
  {
    using writer = openWriter(context);
    const [target] = writer.live.sightings(
      writer.live.records([2]).map(({ id }) => id),
      [],
    );
    erase(writer, planRedaction(writer, { kind: "redaction", target: String(target?.id), reason: "safety" }));
    expect(writer.pending.counts().waiting).toBe(1);
  }
  const { taken, sealed } = await sealAndStamp(context, {});
  expect(taken).toMatchObject({ days: 1, lines: 1 });
  expect(sealed.seals.map(({ date, checkpoint_type }) => [date, checkpoint_type])).toEqual([
    [isoDate(TODAY + DAY_MS), "daily"],
  ]);
  expect(kinds(it)).toEqual([
    ...["city", "record", "naming", "asset", "observation", "seal"].map(
      (kind) => `${kind} ${isoDate(TODAY)}`,
    ),
    ...["redaction", "seal"].map((kind) => `${kind} ${isoDate(TODAY + 2 * DAY_MS)}`),
    // Of an observer who does not count no look follows.
    ...["record", "naming", "asset", "observation"].map((kind) => `${kind} ${isoDate(TODAY + DAY_MS)}`),
    `seal ${isoDate(TODAY + 2 * DAY_MS)}`,
  ]);
});

test("a seal that takes in today's lines says what that gives away", async () => {
  using it = await oneRowOneLine();
  it.ledger.close();
  const quiet = commandAt(it, TODAY + DAY_MS + DAY_MS / 2);
  expect((await sealAndStamp(quiet.context, {})).taken.lines).toBe(0);
  expect(quiet.said()).toBe("");
  const { context, said } = commandAt(it, TODAY + DAY_MS + DAY_MS / 2);
  expect((await sealAndStamp(context, { now: true })).taken).toMatchObject({ days: 1, lines: 1, records: 1 });
  expect(said()).toContain("their rows are mixed only with each other");
});
