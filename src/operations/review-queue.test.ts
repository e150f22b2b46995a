import { expect, test } from "vitest";
import { NOW, sighting, testLedger, vouchFor } from "../../tests/support/ledger/intake-ledger.ts";
import { writeLookRows } from "../intake/looks/look-rows.ts";
import { ReviewQueue } from "../review/queue/model.ts";
import { type QueueInputs, queueOf } from "./review-queue.ts";

test("the queue has what a decision needs, and nobody's name or exact place", async () => {
  using it = testLedger();
  const line = (ref: string, changes: object) =>
    sighting(ref, { source: "scout", observer: "ann@x", ...changes });
  await it.ingest([line("a", {}), line("b", { observer: "bob@x" })]);
  await it.ingest([
    line("c", { name: "Corner Bakerry House", observer: "ann@x" }),
    line("d", { name: "Corner Bakerry House", observer: "bob@x" }),
    line("e", { name: "Restaurant" }),
    line("f", { name: "Restaurant", lat: 40.01 }),
  ]);
  const queue = queueOf({ ledger: it.ledger, reports: [], now: NOW });
  expect(ReviewQueue.parse(JSON.parse(JSON.stringify(queue)))).toEqual(queue);
  expect(queue.groups).toMatchObject([
    {
      kind: "generic-name",
      items: 2,
      city: "avalon",
      question: "Is “Restaurant” the name of one business?",
      choices: [{ action: "accept" }, { action: "reject", reasons: ["name_too_generic", "wrong_subject"] }],
    },
    { key: "rule:1071", kind: "industry", items: 1, choices: [{}, { needs: "industry" }, {}] },
  ]);
  const record = queue.items.find(({ asked_in }) => asked_in === "rule:1071");
  expect(record).toMatchObject({
    groups: ["source:scout"],
    subject: {
      names: [{ name: "Corner Bakery House", seen: 2 }],
      observers: [
        { tag: "A", observations: 1 },
        { tag: "B", observations: 1 },
      ],
      first_seen: "2026-05-01",
      place: { lat: 40.0014, lng: -75.0006 },
    },
  });
  expect(JSON.stringify(queue)).not.toMatch(/ann@x|bob@x/);
});

test("what waits is found by source, batch, city and kind, and by a word of a rule alone", async () => {
  using it = testLedger();
  const { batch: first } = await it.ingest([
    sighting("a"),
    sighting("b", { name: "Rossi Bakery", lat: 40.01, source_type: "fleet_cam" }),
  ]);
  const { batch: second } = await it.ingest([
    sighting("c", { name: "Restaurant", lat: 40.02 }),
    sighting("d", { name: "Nowhere Restaurant", lat: 40.015 }),
  ]);
  const asked = (filter: NonNullable<QueueInputs["filter"]>) =>
    queueOf({ ledger: it.ledger, reports: [], now: NOW, filter, ungrouped: true })
      .items.map(({ subject }) => subject?.name)
      .sort();
  expect(asked({})).toEqual(["Corner Bakery House", "Restaurant", "Rossi Bakery"]);
  expect(asked({ source: "fleet-cam" })).toEqual(["Rossi Bakery"]);
  expect(asked({ group: "source:scout" })).toEqual(["Corner Bakery House", "Restaurant"]);
  expect(asked({ batch: first ?? "" })).toEqual(["Corner Bakery House", "Rossi Bakery"]);
  expect(asked({ group: `batch:${second}` })).toEqual(["Restaurant"]);
  expect(asked({ kind: "industry", city: "avalon" })).toEqual(["Corner Bakery House", "Rossi Bakery"]);
  expect(asked({ city: "nowhere" })).toEqual([]);
  expect(asked({ group: "rule:1071" })).toHaveLength(2);
  expect(() => asked({ group: "rule" })).toThrow("no group; `presence review list` prints their keys");
});

test("one observer who alone still reports a sign is doubted, once others looked there in three months", async () => {
  using it = testLedger();
  vouchFor(it, "ann", "bob", "cyd");
  const seen = (ref: string, observer: string, day: string, lat = 40.001) =>
    sighting(ref, { observer, observed_at: `${day}T14:00:00Z`, lat });
  await it.ingest([seen("a", "ann", "2026-05-09"), seen("b", "bob", "2026-05-09")]);
  const asked = () =>
    queueOf({ ledger: it.ledger, reports: [], now: it.clock.time, filter: { kind: "retire" } });
  for (const month of ["06", "07", "08"]) {
    it.clock.time = Date.parse(`2026-${month}-12T12:00:00Z`);
    // Bob and Cyd see a shop next door in the same cell, and Ann alone the sign.
    const nextDoor = (who: string) => ({
      ...seen(`${who} ${month}`, who, `2026-${month}-10`, 40.002),
      name: "Next Door",
    });
    await it.ingest([nextDoor("bob"), nextDoor("cyd"), seen(`ann ${month}`, "ann", `2026-${month}-10`)]);
    writeLookRows(it.ledger, { now: false });
  }
  it.clock.time = Date.parse("2026-11-20T12:00:00Z");
  expect(asked().items).toEqual([]); // the row of the third month is not written yet
  writeLookRows(it.ledger, { now: false });
  expect(asked().items).toMatchObject([
    {
      why: expect.stringContaining("one observer alone still reports it"),
      subject: { name: "Corner Bakery House" },
    },
  ]);
});
