import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sighting, type TestLedger, testLedger } from "../../../tests/support/ledger/intake-ledger.ts";
import { rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";
import { folded, nights, register, seen } from "../../../tests/support/ledger/source-ledger.ts";
import { leave, planToLeave } from "./leaving.ts";
import { enrol, hashOf, principalOf, setKeepsNames, stepSource } from "./source-desk.ts";

const FORTNIGHT = 15;
const RECORDS = 12;

/** Ann and Bob in one source; Ann alone saw the records from the sixth on, and one more line of hers is pending. */
async function town(): Promise<TestLedger> {
  const it = testLedger();
  register(it, "east", { operator: "Scouts Ltd" });
  register(it, "west", { operator: "Scouts Ltd" });
  for (const observer of ["ann", "bob"])
    enrol(it.ledger, { source: "east", observer }, { isVouched: true, principal: `of ${observer}` });
  const records = Array.from({ length: RECORDS }, (_, record) => record);
  await it.ingest([
    ...records.map((record) => ({
      ...seen("east", "ann", { record, day: record % 5, hour: 10 + record }),
      phone: `+1 519 555 ${1000 + record}`,
      media_sha256: record.toString(16).repeat(64),
    })),
    ...records
      .slice(0, 6)
      .map((record) => seen("east", "bob", { record, day: record % 5, hour: 12 + record })),
  ]);
  await it.ingest([seen("west", "ann", { record: 1, day: 4, hour: 22 })]);
  await it.accept([seen("west", "ann", { record: 2, day: 5 })]);
  return it;
}

function privates(it: TestLedger): unknown[] {
  return rawLedger(it.ledger).prepare("SELECT private FROM openings WHERE private IS NOT NULL").pluck().all();
}

function bytes(it: TestLedger): Buffer {
  it.ledger.scrub();
  const files = ["ledger.db", "ledger.db-wal", "ledger.db-shm"].map((name) => join(it.home, "night", name));
  return Buffer.concat(files.filter((file) => existsSync(file)).map((file) => readFileSync(file)));
}

function left(it: TestLedger, table: string): number {
  return Number(rawLedger(it.ledger).prepare(`SELECT count(*) FROM ${table}`).pluck().get());
}

test("what is private of an erased observer goes at once, its rows within 14 days, on many of them", async () => {
  using it = await town();
  const ann = { source: "east", observer: "ann" };
  const own = hashOf(it.ledger, ann);
  const principal = principalOf(it.ledger, "east", "ann");
  expect(bytes(it).includes(own)).toBe(true);
  const plan = planToLeave(it.ledger, { observer: ann });
  expect([plan.rows.size, plan.pending.length, plan.observers.includes(own)]).toEqual([RECORDS + 1, 1, true]);
  const exact = privates(it).filter((text) => String(text).includes(own));
  expect(exact).toHaveLength(RECORDS + 1);
  leave(it.ledger, plan);
  const file = bytes(it);
  for (const secret of [own, principal, "5551011", ...exact.map(String)])
    expect(file.includes(secret)).toBe(false);
  expect(privates(it).filter((text) => String(text).includes('"observer"'))).toHaveLength(6);
  expect(it.rows("observation")).toHaveLength(RECORDS + 7); // public parts stay for now
  expect(planToLeave(it.ledger, { observer: ann }).rows.size).toBe(0);

  const erased = nights(it, FORTNIGHT).map((night) => night.erased);
  expect(erased.filter((rows) => rows > 0).length).toBeGreaterThan(3);
  expect(it.rows("observation")).toHaveLength(6);
  expect(it.rows("record")).toHaveLength(6); // those that Bob saw, too
  expect(it.rows("redaction").length).toBe(erased.filter((rows) => rows > 0).length);
  for (const table of ["delayed_changes", "set_aside", `active_observers WHERE observer = '${own}'`])
    expect(left(it, table)).toBe(0);
  expect(left(it, "assets_index")).toBe(6);
  expect(left(it, "seen_traces WHERE row NOT IN (SELECT row FROM openings)")).toBe(0);
  expect(left(it, "pending")).toBe(0);
  expect(left(it, "observers")).toBe(1); // Bob
});

test("an erasure judges no other row anew", async () => {
  using it = await town();
  const bobs = () => {
    const fold = folded(it);
    return it
      .rows("observation")
      .filter(({ private: hidden }) => hidden["observer"] !== undefined)
      .map(({ id }) => [id, fold.sightings.setAside(id), fold.observerTag(id)]);
  };
  nights(it, FORTNIGHT);
  const before = bobs();
  leave(it.ledger, planToLeave(it.ledger, { observer: { source: "east", observer: "ann" } }));
  nights(it, FORTNIGHT);
  expect(before).toEqual(expect.arrayContaining(bobs()));
  expect(it.rows("recount")).toEqual([]);
});

test("those who leave in one night leave in one redaction", async () => {
  using it = await town();
  for (const observer of ["ann", "bob"])
    leave(it.ledger, planToLeave(it.ledger, { observer: { source: "east", observer } }));
  const due = it.ledger.sources.delayed();
  expect(it.ledger.sources.leaving()).toEqual({
    rows: due.length,
    lastDue: Math.max(...due.map(({ due: day }) => day)),
  });
  const shared = new Set(due.map(({ due: day }) => day)).size;
  nights(it, FORTNIGHT);
  expect(it.rows("redaction")).toHaveLength(shared);
  expect([it.rows("observation"), it.rows("record"), it.rows("asset")]).toEqual([[], [], []]);
});

test("an erased observer may come back, and begins anew", async () => {
  using it = await town();
  const ann = { source: "east", observer: "ann" };
  const principal = principalOf(it.ledger, "east", "ann");
  leave(it.ledger, planToLeave(it.ledger, { observer: ann }));
  nights(it, FORTNIGHT);
  expect(principalOf(it.ledger, "east", "ann")).not.toBe(principal);
  const { accepted } = await it.ingest([
    sighting("back", { ...seen("east", "ann", { record: 1, day: 3, after: FORTNIGHT }), source_ref: "back" }),
  ]);
  expect(accepted).toBe(1);
  expect(it.rows("observation").at(-1)?.body).toMatchObject({ counts: false });
});

test("a source leaves with all its rows; what its observers did in others stays", async () => {
  using it = await town();
  stepSource(it.ledger, "east", "withdraw");
  const plan = planToLeave(it.ledger, { source: "east" });
  const ann = hashOf(it.ledger, { source: "east", observer: "ann" });
  expect([plan.rows.size, plan.observers.length, plan.pending]).toEqual([RECORDS + 6, 1, []]); // Bob
  leave(it.ledger, plan);
  nights(it, FORTNIGHT);
  expect(it.rows("observation").map(({ private: hidden }) => hidden["observer"])).toMatchObject([
    { hash: ann },
  ]);
  expect(it.ledger.sources.observers().map(({ isVouched }) => isVouched)).toEqual([true]);
  expect(it.ledger.pending.counts().waiting).toBe(1);
});

test("an observer of a collective source can be erased; the others stay", async () => {
  using it = testLedger();
  register(it, "fleet", { kind: "fleet_cam", vetting: "collective" });
  const line = (observer: string, day: number) => ({
    ...seen("fleet", observer, { day }),
    source_type: "fleet_cam",
  });
  await it.ingest([line("cam-1", 1), line("cam-2", 2)]);
  const plan = planToLeave(it.ledger, { observer: { source: "fleet", observer: "cam-1" } });
  expect(plan.rows.size).toBe(1);
  leave(it.ledger, plan);
  nights(it, FORTNIGHT);
  expect(it.rows("observation")).toHaveLength(1);
});

test("names are kept only of sources that say so, and go with the observer, the source, and the setting", async () => {
  using it = testLedger();
  for (const id of ["east", "west"]) register(it, id, { operator: "Scouts Ltd", keepsNames: id === "east" });
  // A reference that says nothing of the observer: it stays with its row.
  const line = (source: string, observer: string, record: number, hour: number) => ({
    ...seen(source, observer, { record, hour }),
    source_ref: `${source} ${record} ${hour}`,
  });
  const walks = (observer: string, record: number) => [
    line("east", observer, record, 14),
    line("west", observer, record + 1, 20),
  ];
  await it.ingest([...walks("ann.of.guelph", 0), ...walks("bob.of.guelph", 3), ...walks("cy.of.guelph", 6)]);
  const names = () => it.ledger.sources.names().map(({ source, name }) => `${source} ${name}`);
  expect(names()).toEqual(["east ann.of.guelph", "east bob.of.guelph", "east cy.of.guelph"]);
  expect(bytes(it).includes("ann.of.guelph")).toBe(true);

  leave(it.ledger, planToLeave(it.ledger, { observer: { source: "west", observer: "ann.of.guelph" } }));
  expect(names()).toEqual(["east bob.of.guelph", "east cy.of.guelph"]);
  expect(bytes(it).includes("ann.of.guelph")).toBe(false);

  // Bob and Cy have rows in the other source, and stay; their names do not.
  leave(it.ledger, planToLeave(it.ledger, { source: "east" }));
  expect(names()).toEqual([]);
  for (const name of ["bob.of.guelph", "cy.of.guelph"]) expect(bytes(it).includes(name), name).toBe(false);

  setKeepsNames(it.ledger, "west", true);
  await it.ingest([line("west", "dee.of.guelph", 9, 16)]);
  expect(names()).toEqual(["west dee.of.guelph"]);
  expect(setKeepsNames(it.ledger, "west", false)).toBe(1);
  expect(bytes(it).includes("dee.of.guelph")).toBe(false);
  expect(() => setKeepsNames(it.ledger, "east", true)).toThrow("source east was withdrawn");
});
