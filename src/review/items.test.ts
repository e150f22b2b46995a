import { expect, test } from "vitest";
import { type TestLedger, testLedger } from "../../tests/support/ledger/intake-ledger.ts";
import { folded, nights, register, seen } from "../../tests/support/ledger/source-ledger.ts";
import { enrol, setSuspended } from "../intake/sources/source-desk.ts";
import { OperatorError } from "../kernel/errors.ts";
import { askOfAsset } from "../operations/waiting-reports.ts";
import { Desk } from "./desk.ts";
import { type ItemKind, type ItemSources, waitingItems } from "./items.ts";
import type { Action } from "./request.ts";
import { showSubject } from "./show.ts";

const FORTNIGHT = 15;

/** Ann's rows, and Bob's that have her pictures: his do not count. */
async function copies(): Promise<TestLedger> {
  const it = testLedger();
  register(it, "scouts");
  for (const observer of ["ann", "bob"])
    enrol(it.ledger, { source: "scouts", observer }, { isVouched: true });
  for (const [at, observer] of ["ann", "bob"].entries())
    await it.ingest(
      Array.from({ length: 6 }, (_, record) => ({
        ...seen("scouts", observer, { record, day: 3 * at, hour: 10 + record }),
        media_sha256: String(record).repeat(64),
      })),
    );
  nights(it, 1);
  return it;
}

function items(it: TestLedger, kind: ItemKind, setAside: ItemSources["setAside"] = "all") {
  const { state, rows } = new Desk(it.ledger);
  return waitingItems({ state, rows, now: it.clock.time, assetConflict: askOfAsset, setAside }, [kind]);
}

function take(it: TestLedger, action: Action, subject: string, expect?: number) {
  const decider = { reviewer: "review-desk", reason: "checked_genuine" } as const;
  return it.ledger.transaction(() => new Desk(it.ledger).take({ action, subject, decider, expect }));
}

function counts(it: TestLedger, item: string): boolean {
  return folded(it).sightings.setAside(Number(item.split("-").at(-1))) === null;
}

test("set-aside observations wait, with their private reasons", async () => {
  using it = await copies();
  const waiting = items(it, "set-aside");
  expect(waiting).toHaveLength(6);
  const [first] = waiting;
  const row = Number(first?.item.split("-").at(-1));
  const record = it.rows("observation").find(({ id }) => id === row)?.body["record"];
  expect(first).toMatchObject({
    kind: "set-aside",
    city: "avalon",
    version: row,
    why: "an earlier observation has the same media file (same_media): it does not count until it is restored",
    known: { row, check: "same_media", record: { row: record }, source_type: "scout" },
  });
  const { state, live } = new Desk(it.ledger);
  expect(showSubject(first?.item ?? "", { state, live, items: waiting })).toEqual(first);
});

test("a random sample of the month is listed, drawn by the hash of the seal that covers each row", async () => {
  using it = await copies();
  const seen: string[] = [];
  const two: ItemSources["setAside"] = (candidates) => {
    const all = [...candidates];
    seen.push(...all.map(({ seed }) => seed));
    return all.slice(0, 2).map(({ row }) => row);
  };
  const listed = items(it, "set-aside", two);
  expect(listed.map(({ item }) => item)).toEqual(
    items(it, "set-aside")
      .slice(0, 2)
      .map(({ item }) => item),
  );
  const seals = it.rows("seal").map(({ body }) => body["manifest_sha256"]);
  expect(seen).toHaveLength(6);
  expect(seals).toEqual(expect.arrayContaining([...new Set(seen)]));
  take(it, "accept", listed[0]?.item ?? "");
  expect(items(it, "set-aside", two).map(({ item }) => item)).toEqual([listed[1]?.item]); // its place stays taken
});

test("a restored row counts again after its delay, although the check still hits it; the others do not", async () => {
  using it = await copies();
  const [restored = "", confirmed = ""] = items(it, "set-aside").map(({ item }) => item);
  const size = it.ledger.nextId();
  expect(take(it, "reject", restored)).toEqual({ done: "decided", row: null });
  expect(take(it, "reject", restored)).toEqual({ done: "already", row: null });
  expect(take(it, "accept", confirmed)).toEqual({ done: "decided", row: null });
  expect(it.ledger.nextId()).toBe(size); // nothing public tells of the decision
  expect(items(it, "set-aside")).toHaveLength(4);
  expect(counts(it, restored)).toBe(false);
  nights(it, FORTNIGHT);
  expect([counts(it, restored), counts(it, confirmed)]).toEqual([true, false]);
  expect(it.rows("recount").map(({ body }) => body["target"])).toEqual([Number(restored.split("-").at(-1))]);
  take(it, "accept", restored); // after all
  nights(it, FORTNIGHT);
  expect(counts(it, restored)).toBe(false);
});

test("a restored row of a suspended observer stays set aside while it is", async () => {
  using it = await copies();
  const [restored = ""] = items(it, "set-aside").map(({ item }) => item);
  take(it, "reject", restored);
  setSuspended(it.ledger, { source: "scouts", observer: "bob" }, true);
  nights(it, FORTNIGHT);
  expect(counts(it, restored)).toBe(false);
  setSuspended(it.ledger, { source: "scouts", observer: "bob" }, false);
  nights(it, FORTNIGHT);
  expect(counts(it, restored)).toBe(true);
});

test("what cannot be decided about is refused", async () => {
  using it = await copies();
  const [row] = it.rows("observation");
  expect(() => take(it, "accept", `set-aside-${row?.id}`)).toThrow("no check set it aside");
  expect(() => take(it, "accept", "set-aside-2")).toThrow("row 2 is of kind source");
  expect(() => take(it, "accept", "independence-0123456789abcdef")).toThrow("no such item was raised");
  const [known = ""] = items(it, "set-aside").map(({ item }) => item);
  expect(() => take(it, "reject", known, 1)).toThrow("stale: you saw it at row 1");
  setSuspended(it.ledger, { source: "scouts", observer: "ann" }, true);
  await it.ingest([seen("scouts", "ann", { record: 7, after: 1 })]);
  const suspended = it.rows("observation").at(-1)?.id;
  expect(() => take(it, "reject", `set-aside-${suspended}`)).toThrow(OperatorError);
  expect(() => take(it, "reject", `set-aside-${suspended}`)).toThrow("presence observer resume");
  expect(items(it, "set-aside")).toHaveLength(6);
});

test("raised items wait until they are closed, and do not come back", async () => {
  using it = await copies();
  const raised = items(it, "independence");
  expect(raised.map(({ known }) => known["check"])).toContain("same_media");
  const [item] = raised;
  expect(item).toMatchObject({ version: null, city: null, known: { rows: expect.any(Array) } });
  expect(take(it, "accept", item?.item ?? "")).toEqual({ done: "decided", row: null });
  expect(take(it, "accept", item?.item ?? "")).toEqual({ done: "already", row: null });
  expect(() => take(it, "reject", item?.item ?? "")).toThrow(`is handled: "dismiss" is for what is open`);
  nights(it, 2);
  expect(items(it, "independence").map((each) => each.item)).not.toContain(item?.item);
});
