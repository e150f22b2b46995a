import fc from "fast-check";
import { expect, test } from "vitest";
import {
  countedRandom,
  sighting,
  type TestLedger,
  testLedger,
  vouchFor,
} from "../../tests/support/ledger/intake-ledger.ts";
import { rawLedger } from "../../tests/support/ledger/raw-ledger.ts";
import { repetitions } from "../../tests/support/trial.ts";
import { erase } from "../intake/erasure/erase.ts";
import { planOptOut, planRedaction } from "../intake/erasure/erasure-plan.ts";
import { OperatorError } from "../kernel/errors.ts";
import { homePaths } from "../kernel/home.ts";
import { openLedgerReader } from "../ledger/reader.ts";
import { askOfAsset } from "../operations/waiting-reports.ts";
import { LedgerFold } from "../snapshot/fold/ledger-fold.ts";
import { type Asked, Desk, type Outcome } from "./desk.ts";
import { type ItemKind, waitingItems } from "./items.ts";
import type { Action } from "./request.ts";

// Rows: 1 city, then of each business its record, naming, asset and observation: 2 to 5, 6 to 9, 10 to 13.
async function threeRecords(): Promise<TestLedger> {
  const it = testLedger();
  vouchFor(it, "scout-7", "scout-8");
  const phone = "+1 416 555 0100";
  await takeIn(it, sighting("a", { phone }));
  await takeIn(it, sighting("b", { lat: 40.02, lng: -75.02, observer: "scout-8", phone }));
  await takeIn(it, sighting("c", { lat: 39.98, lng: -74.98, name: "Quiet Corner" }));
  return it;
}

/** One by one, because intake shuffles what comes together; each with a randomness of its own. */
async function takeIn(it: TestLedger, line: ReturnType<typeof sighting>): Promise<void> {
  await it.ingest([line], { random: countedRandom(String(line.source_ref)) });
}

function deskOf({ ledger }: TestLedger): Desk {
  return new Desk(ledger);
}

function asked(action: Action, subject: string | number, more: Partial<Asked> = {}): Asked {
  const decider = { reviewer: "review-desk", reason: "documents_checked" } as const;
  return { action, subject: String(subject), decider, ...more };
}

/** At a desk of its own, as a command has it. */
function take(it: TestLedger, ...[action, subject, more]: Parameters<typeof asked>): Outcome {
  return it.ledger.transaction(() => deskOf(it).take(asked(action, subject, more)));
}

const LATER = Date.parse("2027-01-01T00:00:00Z");

function items(it: TestLedger, kinds: readonly ItemKind[], now = LATER) {
  const { state, rows } = deskOf(it);
  return waitingItems({ state, rows, now, assetConflict: askOfAsset, setAside: "all" }, kinds);
}

test("a decision is a row with a role and a code, and the next desk knows it", async () => {
  using it = await threeRecords();
  expect(take(it, "accept", 5)).toEqual({ done: "decided", row: 14 });
  expect(it.rows("review")[0]?.body).toMatchObject({
    decision: "verify",
    target: 5,
    reviewer: "review-desk",
    reason: "documents_checked",
  });
  expect(take(it, "accept", 5)).toEqual({ done: "already", row: 14 });
  expect(take(it, "reject", 5)).toEqual({ done: "decided", row: 15 });
  expect(take(it, "accept", 5)).toEqual({ done: "decided", row: 16 });
});

test.for([
  ["a row that is not there", "accept", "99", {}, "row 99: the ledger has no such row"],
  ["row 0", "accept", "0", {}, "row 0: the ledger has no such row"],
  [
    "a row of another kind",
    "accept",
    "2",
    {},
    "row 2 is of kind record; this is for a row of kind observation",
  ],
  ["a public id of nobody", "flag", "pr_0000000000000000", {}, "no item, row number or public id"],
  ["what is no subject", "accept", "'; DROP TABLE rows; --", {}, "no item, row number or public id"],
  ["a huge number", "accept", "9".repeat(400), {}, "no item, row number or public id"],
  ["a member of every object", "flag", "__proto__", {}, "no item, row number or public id"],
  ["an item of another row", "accept", "match-5", { value: "2" }, "is of kind observation"],
  ["a match without candidates", "accept", "match-10", {}, "no candidate is left"],
  ["a match that is none", "reject", "match-10", {}, "has no match candidates"],
  ["an industry that nobody proposed", "accept", "industry-10", {}, "no industry is proposed"],
  ["an unknown industry", "classify", "10", { value: "9999" }, `"9999" is not an ISIC Rev. 5 code`],
  ["a value that makes no sense", "flag", "10", { value: "x" }, "flag takes no value"],
  ["a value for an observation", "accept", "5", { value: "x" }, "takes no value"],
  ["a join with nothing", "join", "2", {}, "name the other record"],
  ["a join with itself", "join", "2", { value: "2" }, "record 2: give two records, not one"],
  ["a merge into an asset", "join", "2", { value: "4" }, "row 4 is of kind asset"],
  [
    "an unflag of what is clear",
    "unflag",
    "2",
    {},
    `record 2 is clear: "unflag" is for what is flagged; allowed now: flag`,
  ],
  [
    "a verification without a claim",
    "verify",
    "2",
    {},
    `"verify" is for what is claimed; allowed now: claim, dissolve, join`,
  ],
  ["a reopening of what is open", "reopen", "2", {}, "is unclaimed"],
  ["a held line that never came", "accept", `generic-name-${"0".repeat(32)}`, {}, "no such line waits"],
  [
    "a stale decision",
    "flag",
    "2",
    { expect: 1 },
    "row 2: stale: you saw it at row 1, but nothing was decided",
  ],
] as const)("%s is refused, and nothing is written", async ([, action, subject, more, message]) => {
  using it = await threeRecords();
  const before = it.ledger.nextId();
  expect(() => take(it, action, subject, more)).toThrow(OperatorError);
  expect(() => take(it, action, subject, more)).toThrow(message);
  expect(it.ledger.nextId()).toBe(before);
});

test("the second of two operators who saw the same is refused, and told what came meanwhile", async () => {
  using it = await threeRecords();
  take(it, "flag", 2, { expect: 2 });
  expect(() => take(it, "classify", 2, { value: "5610", expect: 2 })).toThrow(
    "row 2: stale: you saw it at row 2, but row 14 (flag by review-desk: documents_checked) is newer: look at it again, and decide with --expect 14",
  );
  expect(take(it, "classify", 2, { value: "5610", expect: 14 }).row).toBe(15);
});

test("what was redacted cannot be decided about", async () => {
  using it = await threeRecords();
  const publicId = String(it.rows("record")[0]?.body["public_id"]);
  const plan = planRedaction(it.ledger, { kind: "redaction", target: "5", reason: "data_error" });
  erase(it.ledger, plan);
  const gone = /^row \d+ was redacted by row \d+ \(data_error\): there is nothing left to decide about$/;
  expect(() => take(it, "accept", 5)).toThrow(gone);
  expect(() => take(it, "flag", 2)).toThrow(gone); // with its only observation the record went
  expect(() => take(it, "join", 6, { value: "2" })).toThrow(gone);
  expect(() => take(it, "join", 2, { value: "6" })).toThrow(gone);
  expect(() => take(it, "flag", publicId)).toThrow("it is unknown, opted out or redacted");
});

test("a record's life goes as the table says, and back to where it was", async () => {
  using it = await threeRecords();
  for (const move of ["claim", "verify", "dissolve", "reopen"] as const) {
    expect(take(it, move, 2).done).toBe("decided");
    expect(take(it, move, 2).done).toBe("already");
  }
  expect(it.rows("status").map(({ body }) => body["status"])).toEqual([
    "claimed",
    "verified",
    "dissolved",
    "verified",
  ]);
  expect(() => take(it, "claim", 2)).toThrow(`record 2 is verified: "claim" is for what is unclaimed`);
});

test("joins lead on, and are refused onto what is joined", async () => {
  using it = await threeRecords();
  take(it, "join", 6, { value: "2" });
  expect(take(it, "join", 6, { value: "2" }).done).toBe("already");
  const stays = it.rows("record")[0]?.body["public_id"];
  expect(() => take(it, "join", 10, { value: "6" })).toThrow(
    `record 6 was joined with ${stays} (row 2): decide about that record instead`,
  );
  expect(() => take(it, "flag", 6)).toThrow("decide about that record instead");
  expect(() => take(it, "claim", 6)).toThrow("decide about that record instead");
  take(it, "join", 2, { value: "10" });
  expect(deskOf(it).state.merges.chain(6)).toEqual([6, 2, 10]);
  expect(() => take(it, "join", 10, { value: "6" })).toThrow("undo the join");
});

test("an observer who saw two records is one observer of the one at the end of the merges", async () => {
  using it = await threeRecords();
  take(it, "join", 2, { value: "6" });
  take(it, "join", 6, { value: "10" });
  const fold = new LedgerFold(it.ledger.nextId());
  it.ledger.seal({ now: true });
  using reader = readerOf(it);
  for (const row of reader.verifiedRows(it.ledger.nextId() - 1)) fold.apply(row);
  // scout-7 saw records 2 and 8, scout-8 record 5.
  expect(fold.observerTag(5)).toBe(fold.observerTag(13));
  expect(fold.observerTag(9)).not.toBe(fold.observerTag(13));
});

function readerOf(it: TestLedger) {
  return openLedgerReader(homePaths(it.home).ledger);
}

test("what waits: doubtful matches, proposed industries, flags; each goes when it is answered", async () => {
  using it = await threeRecords();
  take(it, "flag", 10);
  const all = items(it, ["match", "industry", "integrity", "retire"]);
  expect(all.map(({ item }) => item).sort()).toEqual(["industry-2", "industry-6", "integrity-10", "match-6"]);
  expect(all.map(({ waits_since }) => waits_since)).toEqual(all.map(({ waits_since }) => waits_since).sort());
  expect(all.find(({ item }) => item === "match-6")).toMatchObject({
    version: 6,
    city: "avalon",
    known: { name: "Corner Bakery House", candidates: [{ row: 2 }] },
  });
  take(it, "accept", "industry-2");
  take(it, "reject", "industry-6");
  take(it, "classify", 10, { value: "none" });
  take(it, "accept", "integrity-10");
  take(it, "reject", "match-6");
  expect(items(it, ["match", "industry", "integrity", "retire"])).toEqual([]);
});

test("age asks nobody; a sign that is seen after a reviewer retired it does, each time", async () => {
  using it = await threeRecords();
  const waiting = () => items(it, ["retire"]).map(({ item }) => item);
  expect(waiting()).toEqual([]);
  take(it, "retire", 8);
  expect(waiting()).toEqual([]);
  const again = (ref: string, day: string) =>
    sighting(ref, { lat: 40.02, lng: -75.02, observer: "scout-8", observed_at: `${day}T10:00:00Z` });
  it.clock.time = Date.parse("2026-05-20T12:00:00Z");
  await takeIn(it, again("b2", "2026-05-09"));
  expect(waiting()).toEqual([]); // seen before it was retired, and sent late
  await takeIn(it, again("b3", "2026-05-14"));
  expect(waiting()).toEqual(["retire-8"]);
  expect(take(it, "accept", "retire-8").done).toBe("decided"); // said before it was seen again
  expect(take(it, "accept", "retire-8").done).toBe("already");
  expect(waiting()).toEqual([]);
  await takeIn(it, again("b4", "2026-05-19"));
  expect(waiting()).toEqual([]); // seen on the day before it was retired again
  it.clock.time = Date.parse("2026-05-25T12:00:00Z");
  await takeIn(it, again("b5", "2026-05-24"));
  expect(take(it, "reject", "retire-8").done).toBe("decided");
  expect(deskOf(it).state.isRetired(8)).toBe(false);
  expect(waiting()).toEqual([]);
});

test("accepting a match merges into its candidate", async () => {
  using it = await threeRecords();
  take(it, "accept", "match-6");
  expect(it.rows("review")[0]?.body).toMatchObject({ decision: "merge", target: 6, into: 2 });
  expect(items(it, ["match"])).toEqual([]);
});

test("a held generic name is taken in, or not, once", async () => {
  using it = testLedger();
  const held = await it.ingest([
    sighting("r", { name: "Restaurant" }),
    sighting("s", { name: "Restaurant" }),
  ]);
  expect(held.held).toBe(2);
  const waiting = items(it, ["generic-name"]);
  expect(waiting.map(({ kind, city, version }) => [kind, city, version])).toEqual([
    ["generic-name", "avalon", null],
    ["generic-name", "avalon", null],
  ]);
  const [first = "", second = ""] = waiting.map(({ item }) => item);
  expect(() => take(it, "accept", first, { expect: 1 })).toThrow("a held line has no row");
  expect(take(it, "accept", first)).toEqual({ done: "decided", row: null });
  expect(items(it, ["generic-name"]).map(({ item }) => item)).toEqual([second]);
  expect(take(it, "accept", first)).toEqual({ done: "waits", row: null });
  expect(() => take(it, "reject", first)).toThrow("stale: somebody else took the line in meanwhile");
  expect(it.rows("observation")).toEqual([]);
  expect(await it.takeIn()).toMatchObject({ lines: 1, records: 1, assets: 1, held: 0 }); // rows 2 to 6
  expect(take(it, "accept", first)).toEqual({ done: "already", row: 5 });
  expect(() => take(it, "reject", first)).toThrow("stale: somebody else took the line in, as row 5");
  expect(take(it, "reject", second)).toEqual({ done: "decided", row: 7 });
  expect(take(it, "reject", second)).toEqual({ done: "already", row: null });
  expect(() => take(it, "accept", second)).toThrow("stale: somebody else refused the line");
  expect(it.rows("review").map(({ body }) => [body["decision"], body["target"]])).toEqual([
    ["admit", 5],
    ["dismiss", 1],
  ]);
  expect(items(it, ["generic-name"])).toEqual([]);
  const again = await it.ingest([
    sighting("r", { name: "Restaurant" }),
    sighting("s", { name: "Restaurant" }),
  ]);
  expect(again).toMatchObject({ known: 2, held: 0 });
});

test("whatever is decided, no public id is given out twice, none is lost, and a release sees what the desk sees", async () => {
  const step = fc.record({
    action: fc.constantFrom<Action>("join", "flag", "unflag", "dissolve", "reopen", "claim", "classify"),
    subject: fc.constantFrom("2", "6", "10"),
    value: fc.constantFrom("2", "6", "10", "5610"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      using it = await threeRecords();
      for (const { action, subject, value } of steps) tryTake(it, action, subject, value);
      await takeIn(it, sighting("z", { lat: 40.01, lng: -75.03, name: "Late Comer" }));
      const ids = [...it.rows("record"), ...it.rows("asset")].map(({ body }) => String(body["public_id"]));
      expect(new Set(ids).size).toBe(ids.length);
      it.ledger.seal({ now: true });
      const size = it.ledger.nextId() - 1;
      const fold = new LedgerFold(size);
      using reader = readerOf(it);
      for (const row of reader.verifiedRows(size)) fold.apply(row);
      const { state } = deskOf(it);
      for (const id of ids) expect(state.withPublicId(id)).toBeDefined();
      for (const [id, record] of fold.records) {
        const seen = state.records.get(id);
        expect(state.merges.root(id)).toBe(fold.root(record)?.id);
        expect([seen?.status, seen?.flaggedBy !== undefined]).toEqual([
          record.status,
          record.flaggedBy !== undefined,
        ]);
        expect(seen?.industry).toEqual(record.industry);
      }
    }),
    { numRuns: repetitions(250, 8) },
  );
});

function tryTake(it: TestLedger, action: Action, subject: string, value: string): void {
  const takesValue = action === "join" || action === "classify";
  try {
    take(it, action, subject, takesValue ? { value } : {});
  } catch (error) {
    expect(error).toBeInstanceOf(OperatorError);
  }
}

test("a name that was damaged on its way waits, and is published when a reviewer finds it right", async () => {
  using it = testLedger();
  const names = ["CafÃ© Olé", "Bed &amp; Bath", "Joe\u0092s", "Caf\ufffd", "Joe?s Pizza", "Café Olé"];
  const { held, accepted } = await it.ingest(names.map((name) => sighting(name, { name })));
  expect([held, accepted]).toEqual([5, 6]);
  const waiting = items(it, ["damaged-name"]);
  expect(waiting[0]?.why).toBe(
    "intake held the line (damaged_name): the name was damaged on its way, and would be published as it is",
  );
  const right = waiting.find(({ known }) => known["name"] === "Joe?s Pizza")?.item ?? "";
  expect(take(it, "accept", right).done).toBe("decided");
  await it.takeIn();
  expect(it.rows("naming").map(({ body }) => body["name"])).toEqual(["Café Olé", "Joe?s Pizza"]);
});

test("a name with details of a person waits, and a reviewer can take it in", async () => {
  using it = testLedger();
  const names = ["Call Bob 519-555-0199", "Mr. John Smith", "bob@joes.example", "Plate ABCD 123", "Mr. Sub"];
  const { held, accepted } = await it.ingest(names.map((name) => sighting(name, { name })));
  expect([held, accepted]).toEqual([4, 5]);
  const waiting = items(it, ["private-name"]);
  expect(waiting.map(({ why }) => /\((\w+)\)/.exec(why)?.[1]).sort()).toEqual([
    ...["email_in_name", "person_in_name", "phone_in_name", "plate_in_name"],
  ]);
  expect(items(it, ["generic-name"])).toEqual([]);
  const person = waiting.find(({ why }) => why.includes("person_in_name"))?.item ?? "";
  expect(take(it, "accept", person).done).toBe("decided");
  expect(await it.takeIn()).toMatchObject({ records: 1, held: 0 });
  expect(it.rows("naming").map(({ body }) => body["name"])).toEqual(["Mr. Sub", "Mr. John Smith"]);
});

test("a held line near an opt-out waits as such, and one that the opt-out refuses cannot be taken in", async () => {
  using it = testLedger();
  vouchFor(it, "scout-7");
  await it.ingest([sighting("a", { name: "Quokka Lantern", website: "quokka.example" })]);
  const target = String(it.rows("record")[0]?.body["public_id"]);
  erase(it.ledger, planOptOut(it.ledger, { kind: "opt_out", target, reason: "owner_request" }));
  await it.ingest([sighting("b", { name: "Quokka Lanterns" }), sighting("c", { name: "For Lease" })]);
  const [near] = items(it, ["opt-out"]);
  expect(near).toMatchObject({ kind: "opt-out", why: expect.stringContaining("near_opt_out") });
  expect(take(it, "accept", near?.item ?? "").done).toBe("decided");
  expect(await it.takeIn()).toMatchObject({ records: 1, refused: 0 });
  const raw = rawLedger(it.ledger);
  // As if the line had come before the opt-out and was missed by it.
  raw.exec("UPDATE pending SET input = replace(input, 'For Lease', 'Quokka Lantern')");
  const [missed] = items(it, ["generic-name"]);
  expect(take(it, "accept", missed?.item ?? "").done).toBe("decided");
  expect(await it.takeIn()).toMatchObject({ records: 0, refused: 1 });
});

test("the desk shows candidates, which are private", async () => {
  using it = await threeRecords();
  expect(items(it, ["match"]).flatMap(({ known }) => known["candidates"])).toMatchObject([{ row: 2 }]);
});

test("decisions about held lines can be erased like any other, with what they let in", async () => {
  using it = testLedger();
  await it.ingest([sighting("r", { name: "Restaurant" }), sighting("s", { name: "Restaurant" })]);
  const [first = "", second = ""] = items(it, ["generic-name"]).map(({ item }) => item);
  take(it, "accept", first);
  await it.takeIn();
  take(it, "reject", second);
  for (const [target, rows] of [
    ["7", [7]],
    ["5", [2, 3, 4, 5, 6]],
  ] as const) {
    const plan = planRedaction(it.ledger, { kind: "redaction", target, reason: "data_error" });
    expect([...plan.rows].sort((a, b) => a - b)).toEqual(rows);
    erase(it.ledger, plan);
  }
  expect(() => take(it, "accept", first)).toThrow("no such line waits, or its observation was redacted");
});
