import { expect, test } from "vitest";
import { sighting, testLedger } from "../../../tests/support/ledger/intake-ledger.ts";
import { folded, register, seen, standingOf } from "../../../tests/support/ledger/source-ledger.ts";
import { enrol, stepSource } from "./source-desk.ts";

test.for([
  ["unknown_source", { source: "nowhere" }],
  ["source_not_active", { source: "paused" }],
  ["source_not_active", { source: "gone" }],
  ["not_allowed", { source: "scouts", source_type: "fleet_cam" }],
] as const)("a line is rejected: %s %j", async ([reason, changes]) => {
  using it = testLedger();
  for (const id of ["scouts", "paused", "gone"]) register(it, id);
  stepSource(it.ledger, "paused", "suspend");
  stepSource(it.ledger, "gone", "withdraw");
  const { accepted, rejectedByReason } = await it.accept([sighting("a", changes)]);
  expect([accepted, rejectedByReason]).toEqual([0, { [reason]: 1 }]);
  expect(it.rejects).toContain(reason);
});

test("lines that were accepted before their source was suspended are taken in", async () => {
  using it = testLedger();
  register(it, "scouts");
  await it.accept([seen("scouts", "ann")]);
  stepSource(it.ledger, "scouts", "suspend");
  expect(await it.takeIn()).toMatchObject({ lines: 1, refused: 0 });
  expect((await it.accept([seen("scouts", "ann", { day: 2 })])).accepted).toBe(0);
  stepSource(it.ledger, "scouts", "resume");
  expect((await it.accept([seen("scouts", "ann", { day: 2 })])).accepted).toBe(1);
});

test("six lines by one person, one picture, two days and three source types are one principal", async () => {
  using it = testLedger();
  const media_sha256 = "ab".repeat(32);
  const types = ["scout", "fleet_cam", "telematics_api"] as const;
  const lines = types.flatMap((source_type, at) =>
    [1, 2].map((day) =>
      sighting(`${source_type} ${day}`, {
        source: null,
        source_type,
        observer: `me-${at}`,
        media_sha256,
        observed_at: `2026-05-0${day}T1${at}:00:00Z`,
      }),
    ),
  );
  expect((await it.ingest(lines)).accepted).toBe(6);
  const fold = folded(it);
  const rows = it.rows("observation");
  expect(new Set(rows.map(({ id }) => fold.observerTag(id)))).toEqual(new Set(["built-in"]));
  expect(rows.filter(({ body }) => body["counts"] === true)).toHaveLength(1);
  const publicId = String(it.rows("record")[0]?.body["public_id"]);
  const standing = standingOf(it, publicId);
  expect(standing?.gate.status).toBe("evidence_building");
  expect([standing?.observers, standing?.gate.observers.current]).toEqual([1, 1]);
});

test("one id in two individual sources of an operator is one principal, of two operators two", async () => {
  using it = testLedger();
  for (const id of ["east", "west"]) register(it, id, { operator: "Scouts Ltd" });
  register(it, "others", { operator: "Others Ltd" });
  for (const source of ["east", "others"]) enrol(it.ledger, { source, observer: "ann" }, { isVouched: true });
  for (const [day, source] of ["east", "west", "others"].entries())
    await it.ingest([seen(source, "ann", { day })]);
  const rows = it.rows("observation");
  const [east, west, others] = rows.map(({ body }) => body["observer_tag"]);
  expect(west).toBe(east);
  expect(others).not.toBe(east);
  expect(rows.map(({ body }) => body["counts"])).toEqual([true, true, true]);
});

test("a line whose source was withdrawn since leaves no row, no record and no name", async () => {
  using it = testLedger();
  register(it, "scouts");
  await it.accept([seen("scouts", "ann")]);
  stepSource(it.ledger, "scouts", "withdraw");
  const from = it.ledger.nextId();
  expect(await it.takeIn()).toMatchObject({ lines: 1, refused: 1, records: 0, assets: 0 });
  expect(it.ledger.nextId()).toBe(from);
  register(it, "others");
  expect(await it.ingest([seen("others", "bob")])).toMatchObject({ accepted: 1, records: 1, assets: 1 });
});

test("an individual source is named from five active observers on, a collective one always", async () => {
  using it = testLedger();
  register(it, "scouts");
  register(it, "fleet", { kind: "fleet_cam", vetting: "collective" });
  const named = async (lines: ReturnType<typeof seen>[]) => {
    const from = it.ledger.nextId();
    await it.ingest(lines);
    const rows = it.rows("observation").filter(({ id }) => id >= from);
    return rows.map(({ body }) => body["source"]);
  };
  const observers = ["a", "b", "c", "d", "e"];
  expect(await named(observers.map((each) => seen("scouts", each)))).toEqual(Array(5).fill(null));
  it.clock.time += 24 * 3_600_000;
  expect(await named([seen("scouts", "a", { day: 5 })])).toEqual(["scouts"]);
  expect(await named([{ ...seen("fleet", "cam", { day: 6 }), source_type: "fleet_cam" }])).toEqual(["fleet"]);
});

test("the summary counts accepted lines that name no source", async () => {
  using it = testLedger();
  register(it, "scouts");
  const lines = [seen("scouts", "ann"), seen(null, "bob"), seen(null, "eve", { record: 1 })];
  expect(await it.accept(lines)).toMatchObject({ accepted: 3, withoutSource: 2 });
  expect(await it.accept(lines)).toMatchObject({ known: 3, withoutSource: 0 });
});
