import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  AVALON,
  countedRandom,
  sighting,
  type TestLedger,
  testLedger,
  vouchFor,
} from "../../../tests/support/ledger/intake-ledger.ts";
import { rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";
import { homePaths } from "../../kernel/home.ts";
import type { OnlineCheck } from "../../ledger/outside-tree.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import type { ReviewBody } from "../../ledger/rows/rows.ts";
import { appendIdentity, appendOnlineCheck, appendReview, appendStatus } from "../matching/decide.ts";
import { radiusCells } from "../places/city-outline.ts";
import { registerCity } from "../places/register-city.ts";
import { doneBefore, erase, erasePending, finish, pendingTarget, planPendingRedaction } from "./erase.ts";
import { type ErasureRequest, planOptOut, planRedaction } from "./erasure-plan.ts";

const HERE = { lat: 40.001, lng: -75.001 };
const THERE = { lat: 40.02, lng: -75.02 };

const redaction = (row: number): ErasureRequest => ({
  kind: "redaction",
  target: String(row),
  reason: "privacy_request",
});
const optOut = (target: string): ErasureRequest => ({ kind: "opt_out", target, reason: "owner_request" });

function redact(it: TestLedger, row: number) {
  return erase(it.ledger, planRedaction(it.ledger, redaction(row)));
}

/** Each with public ids of its own. */
function take(it: TestLedger, lines: { readonly source_ref: unknown }[]) {
  return it.ingest(lines, { random: countedRandom(String(lines[0]?.source_ref)) });
}

function review(it: TestLedger, decision: ReviewBody["decision"], target: number, into?: number): number {
  const body = { decision, target, reason: "seen", reviewer: "desk" };
  return appendReview(it.ledger, into === undefined ? body : { ...body, into });
}

function publicId(it: TestLedger, record: number): string {
  return String(it.rows("record").find(({ id }) => id === record)?.body["public_id"]);
}

function ids(it: TestLedger, kind: Parameters<TestLedger["rows"]>[0]): number[] {
  return it.rows(kind).map(({ id }) => id);
}

/** Rows of a look-up table of intake. */
function table(it: TestLedger, name: string, columns = "*"): unknown[] {
  return rawLedger(it.ledger).prepare(`SELECT ${columns} FROM ${name}`).raw().all();
}

/** After the scrub that ends an erasure. */
function bytesOf({ home, ledger }: TestLedger): Buffer {
  ledger.scrub();
  const files = ["ledger.db", "ledger.db-wal", "ledger.db-shm"].map((name) => join(home, "night", name));
  return Buffer.concat(files.filter((file) => existsSync(file)).map((file) => readFileSync(file)));
}

/** Proves every sealed row, as a build does. */
function assertProved({ home }: TestLedger): void {
  using reader = openLedgerReader(homePaths(home).ledger);
  const size = reader.latestCheckpoint()?.size ?? 0;
  expect([...reader.verifiedRows(size)]).toHaveLength(size);
}

// Rows: 1 city, 2 record, 3 naming, 4 asset, 5 observation, 6 observation of the same.
async function seenTwice() {
  const it = testLedger();
  await take(it, [sighting("a", HERE)]);
  await take(it, [sighting("b", { ...HERE, observer: "scout-8" })]);
  return it;
}

describe("redact", () => {
  test("one of two observations: the record and its asset stay", async () => {
    using it = await seenTwice();
    const plan = planRedaction(it.ledger, redaction(6));
    expect(plan).toMatchObject({ rows: [6], rowsByKind: { observation: 1 }, records: [], renamed: [] });
    expect(plan.about).toEqual({ public_id: publicId(it, 2), name: "Corner Bakery House", city: "avalon" });
    expect(erase(it.ledger, plan)).toMatchObject({ named: [7], erasedRows: 1, seal: { rows: 7 } });
    expect(it.rows("redaction").map(({ body }) => body)).toEqual([{ rows: [6] }]);
    expect(it.rows("redaction").map((row) => row.private)).toEqual([{ reason: "privacy_request" }]);
    const kinds = ["record", "naming", "asset", "observation"] as const;
    expect(kinds.map((kind) => ids(it, kind))).toEqual([[2], [3], [4], [5]]);
    assertProved(it);
  });

  test("the last observation takes asset, record and decisions about them with it", async () => {
    using it = testLedger();
    await take(it, [sighting("a", HERE)]);
    const decisions = [review(it, "verify", 5), review(it, "retire", 4), review(it, "flag", 2)];
    decisions.push(appendStatus(it.ledger, { record: 2, status: "claimed" }));
    const identity = { brand: null, organizations: [], record: 2, same_as: [], scope: "local" };
    decisions.push(appendIdentity(it.ledger, identity));
    appendOnlineCheck(it.ledger, check(2));
    const plan = planRedaction(it.ledger, redaction(5));
    expect(plan).toMatchObject({
      rows: [2, 3, 4, 5, ...decisions],
      rowsByKind: { record: 1, naming: 1, asset: 1, observation: 1, review: 3, identity: 1, status: 1 },
      onlineChecks: 1,
      observed: { first: "2026-05-01T05:00:00Z", last: "2026-05-01T05:00:00Z" },
    });
    erase(it.ledger, plan);
    for (const name of ["record_names", "record_contacts", "assets_index", "online_checks"])
      expect(table(it, name), name).toEqual([]);
    expect(table(it, "recent_refs")).toHaveLength(1);
    // The same line is refused; another one makes a new record, which the old one has no part in.
    expect(await take(it, [sighting("a", HERE)])).toMatchObject({ known: 1 });
    expect(await take(it, [sighting("c", HERE)])).toMatchObject({ accepted: 1, records: 1, assets: 1 });
    expect(() => review(it, "flag", 2)).toThrow("row 2 is not there, or erased");
    it.ledger.seal({ now: true });
    assertProved(it);
  });

  test("an asset without other observations goes alone", async () => {
    using it = await seenTwice();
    await take(it, [sighting("sign", { ...HERE, asset_type: "site_sign" })]);
    expect(planRedaction(it.ledger, redaction(8)).rows).toEqual([7, 8]);
    expect(planRedaction(it.ledger, redaction(5)).rows).toEqual([5]);
  });

  test("a decision goes alone, and what it decided is open again", async () => {
    using it = await seenTwice();
    const rows = [review(it, "verify", 5), appendStatus(it.ledger, { record: 2, status: "claimed" })];
    for (const row of rows) {
      expect(planRedaction(it.ledger, redaction(row))).toMatchObject({
        rows: [row],
        about: { city: "avalon" },
      });
      redact(it, row);
    }
    expect([it.rows("review"), it.rows("status")]).toEqual([[], []]);
    assertProved(it);
  });

  test.for([
    [2, "of kind record and is not redacted by itself: a record goes as a whole: use `presence opt-out`"],
    [4, "of kind asset and is not redacted by itself: an asset goes with its last observation"],
    [1, "of kind city and is not redacted by itself"],
    [7, "of kind redaction and is not redacted by itself"],
    [8, "of kind seal and is not redacted by itself"],
    [6, "row 6 was already erased, by row 7"],
    [99, "row 99: the ledger has no such row"],
  ] as const)("row %i is refused", async ([row, message]) => {
    using it = await seenTwice();
    redact(it, 6);
    expect(() => planRedaction(it.ledger, redaction(row))).toThrow(message);
  });

  test.for(["0", "-1", "1e3", "4.5", "", " 4", "04", "99999999999999999999"])(
    "row %j is no row",
    async (target) => {
      using it = await seenTwice();
      expect(() => planRedaction(it.ledger, { ...redaction(1), target })).toThrow(
        "the ledger has no such row",
      );
    },
  );
});

describe("what intake knew of a redacted observation", () => {
  test("goes where no other observation supports it, and the record is still found beside it", async () => {
    using it = testLedger();
    const first = {
      ...HERE,
      phone: "+1 416 555 0173",
      address: "4711 Unmistakable Crescent",
      asset_ref: "REF-1",
    };
    await take(it, [sighting("a", first)]);
    // A few metres on: the next cell, and within the ring of the first.
    const beside = { lat: HERE.lat + 0.0004, lng: HERE.lng };
    await take(it, [sighting("b", { ...beside, phone: "+1 416 555 0999" })]);
    expect(table(it, "record_names", "place")).toHaveLength(1);
    const [before] = table(it, "record_names", "place");
    const plan = planRedaction(it.ledger, redaction(5));
    expect(plan).toMatchObject({ rows: [5], stripped: [3, 4], renamed: [] });
    erase(it.ledger, plan);
    expect(table(it, "record_names", "place")).toHaveLength(1);
    expect(table(it, "record_names", "place")).not.toContainEqual(before);
    expect(table(it, "assets_index", "place")).toEqual(table(it, "record_names", "place"));
    expect(table(it, "record_contacts")).toEqual([]);
    const bytes = bytesOf(it);
    for (const gone of ["Unmistakable", "0173", "REF-1", "40.001,", String(before)])
      expect(bytes.includes(gone), gone).toBe(false);
    expect(await take(it, [sighting("c", beside)])).toMatchObject({ accepted: 1, records: 0, assets: 0 });
    assertProved(it);
  });

  test("takes with it the records that its own might be the same as", async () => {
    using it = testLedger();
    vouchFor(it, "scout-7");
    const phone = "+1 416 555 0173";
    await take(it, [sighting("a", { ...HERE, phone })]);
    await take(it, [sighting("b", { ...THERE, phone })]);
    await take(it, [sighting("c", { ...THERE, observer: "scout-8" })]);
    const named = () => it.rows("naming").at(-1);
    const [, first] = ids(it, "observation");
    expect(named()?.private).toEqual({ match_candidates: [2] });
    redact(it, first ?? 0);
    expect([named()?.body["match_review"], named()?.private]).toEqual([true, {}]);
    assertProved(it);
  });

  test("stays where another observation was made at the same place", async () => {
    using it = testLedger();
    vouchFor(it, "scout-7", "scout-8");
    const contact = { website: "https://bakery.example/shop", phone: "+1 416 555 0173" };
    await take(it, [sighting("a", { ...HERE, ...contact })]);
    await take(it, [sighting("b", { ...HERE, phone: "+1 416 555 0999", observer: "scout-8" })]);
    const names = table(it, "record_names", "place");
    expect(table(it, "record_contacts")).toHaveLength(3);
    redact(it, 6);
    expect(table(it, "record_names", "place")).toEqual(names);
    expect(table(it, "record_contacts")).toHaveLength(2);
    redact(it, 5);
    expect(table(it, "record_contacts")).toEqual([]);
  });

  test("of a vehicle goes with its reference", async () => {
    using it = testLedger();
    vouchFor(it, "scout-7");
    await take(it, [sighting("a", HERE)]);
    await take(it, [sighting("van", { ...THERE, asset_type: "vehicle_wrap", asset_ref: "PLATE-1" })]);
    await take(it, [sighting("van2", { ...THERE, asset_type: "vehicle_wrap", asset_ref: "PLATE-1" })]);
    const observations = ids(it, "observation");
    expect(table(it, "record_names", "place")).toHaveLength(2);
    const [, van, again] = observations;
    expect(planRedaction(it.ledger, redaction(van ?? 0))).toMatchObject({ rows: [van], stripped: [] });
    redact(it, van ?? 0);
    expect(table(it, "record_names", "place")).toHaveLength(2);
    redact(it, again ?? 0);
    expect(table(it, "record_names", "place")).toHaveLength(1);
    expect(table(it, "assets_index")).toHaveLength(1);
    expect(bytesOf(it).includes("PLATE-1")).toBe(false);
  });
});

// Rows: 1 city, 2 record, 3 naming, 4 asset, 5 observation, 6 record, 7 naming, 8 asset, 9 observation.
async function twoRecords(changes: Parameters<typeof sighting>[1] = {}) {
  const it = testLedger();
  vouchFor(it, "scout-7"); // so its rows teach
  await take(it, [sighting("a", { ...HERE, name: "Quokka Lantern Works" })]);
  await take(it, [sighting("b", { ...THERE, name: "Quokka Lamps", ...changes })]);
  return it;
}

describe("merged records", () => {
  test("a record stays as long as one that went into it has an observation", async () => {
    using it = await twoRecords();
    const merge = review(it, "merge", 6, 2);
    const plan = planRedaction(it.ledger, redaction(5));
    // Its name goes with the last observation that had it.
    expect(plan.rows).toEqual([3, 4, 5]);
    const [was, is] = ["Quokka Lantern Works", "Quokka Lamps"].map((name) => ({ name, website: null }));
    expect(plan.renamed).toEqual([{ public_id: publicId(it, 2), was, is }]);
    expect(planRedaction(it.ledger, redaction(9)).rows).toEqual([6, 7, 8, 9, merge]);
    erase(it.ledger, plan);
    const [, naming] = it.rows("naming");
    expect(naming?.body).toMatchObject({ record: 2, name: "Quokka Lamps" });
    expect(planRedaction(it.ledger, redaction(9)).rows).toEqual([2, 6, 7, 8, 9, merge, naming?.id]);
    redact(it, 9);
    expect([...ids(it, "record"), ...ids(it, "naming")]).toEqual([]);
    for (const name of ["record_names", "assets_index"]) expect(table(it, name), name).toEqual([]);
    assertProved(it);
  });

  test("an observation of the one on an asset of the other keeps both", async () => {
    using it = await twoRecords();
    const merge = review(it, "merge", 6, 2);
    await take(it, [sighting("c", { ...THERE, name: "Quokka Lamps" })]);
    const [, , latest] = it.rows("observation");
    expect(latest?.body).toMatchObject({ record: 2, asset: 8 });
    // The tag that the observer had with the merged record was that observation's only.
    expect(planRedaction(it.ledger, redaction(9)).rows).toEqual([9, merge]);
    redact(it, 9);
    redact(it, 5);
    expect(ids(it, "record")).toEqual([2, 6]);
    // The name of the one went with its last row.
    expect(it.rows("naming").map(({ body }) => [body["record"], body["name"]])).toEqual([
      [6, "Quokka Lamps"],
      [2, "Quokka Lamps"],
    ]);
    expect(ids(it, "asset")).toEqual([8]);
    assertProved(it);
  });

  test("a merge is written anew without the tag of an observer who is gone", async () => {
    using it = await twoRecords();
    await take(it, [sighting("c", { ...THERE, name: "Quokka Lamps", observer: "scout-8" })]);
    const merge = review(it, "merge", 6, 2);
    const [, nine, other] = it.rows("observation");
    const tag = String(nine?.body["observer_tag"]);
    const plan = planRedaction(it.ledger, redaction(9));
    expect(plan.rows).toEqual([9, merge]);
    expect(plan.replacements).toHaveLength(1);
    expect(bytesOf(it).includes(tag)).toBe(true);
    erase(it.ledger, plan);
    const [written, ...more] = it.rows("review");
    expect(more).toEqual([]);
    expect(written?.body).toMatchObject({ decision: "merge", target: 6, into: 2 });
    expect(Object.keys(Object(written?.body["tags"]))).toEqual([other?.body["observer_tag"]]);
    expect(bytesOf(it).includes(tag)).toBe(false);
    assertProved(it);
  });

  test("a redacted merge is undone", async () => {
    using it = await twoRecords();
    const merge = review(it, "merge", 6, 2);
    expect(planRedaction(it.ledger, redaction(merge))).toMatchObject({ rows: [merge], replacements: [] });
    redact(it, merge);
    expect(planOptOut(it.ledger, optOut(publicId(it, 2))).rows).toEqual([2, 3, 4, 5]);
  });
});

describe("opt-out", () => {
  test.for([2, 6])("of record %i takes the whole merged group, and leaves no name", async (record) => {
    using it = await twoRecords();
    await take(it, [sighting("other", { lat: 40.03, lng: -75.03, name: "Wholly Other Shop" })]);
    const merge = review(it, "merge", 6, 2);
    const verified = review(it, "verify", 9);
    appendOnlineCheck(it.ledger, check(6));
    const secrets = ["Quokka", "quokka", publicId(it, 2), publicId(it, 6)].concat(
      it.rows("observation").flatMap(({ id, body }) => (id <= 9 ? [String(body["observer_tag"])] : [])),
    );
    const plan = planOptOut(it.ledger, optOut(publicId(it, record)));
    expect(plan).toMatchObject({
      rows: [2, 3, 4, 5, 6, 7, 8, 9, merge, verified],
      rowsByKind: { record: 2, naming: 2, asset: 2, observation: 2, review: 2 },
      onlineChecks: 1,
      optedOut: { names: [{ key: "quokka lamps" }, { key: "quokka lantern works" }], touched: [] },
    });
    expect(plan.records.map(({ name }) => name)).toEqual(["Quokka Lantern Works", "Quokka Lamps"]);
    for (const secret of secrets) expect(bytesOf(it).includes(secret), secret).toBe(true);
    erase(it.ledger, plan);
    for (const secret of secrets) expect(bytesOf(it).includes(secret), secret).toBe(false);
    expect(table(it, "record_names", "record")).toEqual([[10]]);
    expect(table(it, "online_checks")).toEqual([]);
    expect(it.rows("redaction").map(({ body }) => body)).toEqual([{ rows: plan.rows }]);
    assertProved(it);
  });

  test("is remembered by intake: the line and the names are refused, in this city only", async () => {
    using it = await twoRecords();
    registerCity(it.ledger, { ...AVALON, geonameId: 2, asciiName: "Far" }, radiusCells(50, 10, 2));
    erase(it.ledger, planOptOut(it.ledger, optOut(publicId(it, 2))));
    expect(await take(it, [sighting("a", { ...HERE, name: "Quokka Lantern Works" })])).toMatchObject({
      known: 1,
    });
    const again = { ...THERE, name: "The QUOKKA Lantern Works, Inc." };
    expect(await take(it, [sighting("n", again)])).toMatchObject({
      rejected: 1,
      rejectedByReason: { opted_out: 1 },
    });
    const far = { lat: 50, lng: 10, name: "Quokka Lantern Works" };
    expect(await take(it, [sighting("far", far)])).toMatchObject({ accepted: 1, records: 1 });
    // Merely alike, and of the record that stays.
    expect(await take(it, [sighting("l", { ...THERE, name: "Quokka Lamps" })])).toMatchObject({
      accepted: 1,
    });
  });

  test("deletes held lines of its names, and refuses more of them", async () => {
    using it = await twoRecords();
    await take(it, [sighting("held", { ...HERE, name: "Restaurant" })]);
    await take(it, [sighting("held elsewhere", { ...HERE, name: "For Lease" })]);
    const request = { ...optOut(publicId(it, 2)), also: ["Restaurant"] };
    const plan = planOptOut(it.ledger, request);
    expect(plan.optedOut?.pending.refused).toHaveLength(1);
    erase(it.ledger, plan);
    expect(table(it, "pending", "input")).toEqual([[expect.stringContaining("For Lease")]]);
    expect(await take(it, [sighting("held 2", { ...HERE, name: "Restaurant" })])).toMatchObject({
      rejectedByReason: { opted_out: 1 },
    });
    expect(await take(it, [sighting("held", { ...HERE, name: "Restaurant" })])).toMatchObject({ known: 1 });
  });

  test("of an unknown id or of an asset is refused", async () => {
    using it = await twoRecords();
    expect(() => planOptOut(it.ledger, optOut("pr_nobody"))).toThrow(
      "pr_nobody: no record has this public id",
    );
    const asset = String(it.rows("asset")[0]?.body["public_id"]);
    expect(() => planOptOut(it.ledger, optOut(asset))).toThrow(`${asset} is the public id of an asset`);
  });
});

describe("the confirmation code", () => {
  test("is void when anything has changed, and differs by request", async () => {
    using it = await seenTwice();
    const { code } = planRedaction(it.ledger, redaction(6));
    expect(code).toMatch(/^[0-9a-f]{8}$/);
    expect(planRedaction(it.ledger, redaction(6)).code).toBe(code);
    const codes = [
      planRedaction(it.ledger, redaction(5)).code,
      planRedaction(it.ledger, { ...redaction(6), reason: "safety" }).code,
      planOptOut(it.ledger, optOut(publicId(it, 2))).code,
    ];
    appendStatus(it.ledger, { record: 2, status: "claimed" });
    codes.push(planRedaction(it.ledger, redaction(6)).code);
    expect(new Set([code, ...codes]).size).toBe(5);
  });

  test("finds an erasure that was done, after which the same again only finishes", async () => {
    using it = await twoRecords();
    const request = optOut(publicId(it, 2));
    const plan = planOptOut(it.ledger, request);
    expect(doneBefore(it.ledger, request, plan.code)).toBeUndefined();
    const { named } = erase(it.ledger, plan);
    const rows = it.ledger.nextId();
    const done = doneBefore(it.ledger, request, plan.code) ?? [];
    expect(finish(it.ledger, done)).toMatchObject({ named, erasedRows: 4, seal: { rows: 0 } });
    expect(it.ledger.nextId()).toBe(rows);
    expect(doneBefore(it.ledger, { ...request, target: publicId(it, 6) }, plan.code)).toBeUndefined();
    expect(doneBefore(it.ledger, { ...request, reason: "safety" }, plan.code)).toBeUndefined();
    expect(doneBefore(it.ledger, request, "00000000")).toBeUndefined();
  });
});

function check(record: number): OnlineCheck {
  return { record, checkedAt: 1, verdict: "none", signalTypes: [], matchCount: 0, provider: "test" };
}

describe("a pending line", () => {
  const SECRET = sighting("secret-ref", { name: "Quokka Lantern Works", observer: "zephyrine" });

  async function threePending(): Promise<TestLedger> {
    const it = testLedger();
    await it.accept([sighting("a"), SECRET, sighting("c")]);
    return it;
  }

  test.for([
    ["b1:2", { batch: "b1", line: 2 }],
    ["b0:17", { batch: "b0", line: 17 }],
    ["12", undefined],
    ["b1:0", undefined],
    ["b1:-1", undefined],
    ["b:1", undefined],
    ["b1:2 ", undefined],
    ["b1:2:3", undefined],
    [`b1:${"9".repeat(40)}`, undefined],
  ] as const)("%s names a line or not", ([text, target]) => {
    expect(pendingTarget(text)).toEqual(target);
  });

  test("a pending line is shown, deleted, and refused from then on", async () => {
    using it = await threePending();
    const plan = planPendingRedaction(it.ledger, { batch: "b1", line: 2 });
    expect(plan).toMatchObject({ name: "Quokka Lantern Works", assetType: "storefront" });
    erasePending(it.ledger, plan.id);
    expect(it.ledger.pending.counts().waiting).toBe(2);
    expect(await it.accept([SECRET])).toMatchObject({ known: 1, accepted: 0 });
    expect(await it.takeIn()).toMatchObject({ lines: 2 });
    expect(it.rows("observation")).toHaveLength(2);
    expect(() => planPendingRedaction(it.ledger, { batch: "b1", line: 1 })).toThrow("b1:1: no such line");
  });

  test("a held line is deleted like one that waits", async () => {
    using it = testLedger();
    await it.ingest([sighting("r", { name: "Restaurant", observer: "zephyrine" })]);
    expect(it.ledger.pending.counts()).toMatchObject({ waiting: 0, held: 1 });
    erasePending(it.ledger, planPendingRedaction(it.ledger, { batch: "b1", line: 1 }).id);
    expect(it.ledger.pending.counts()).toMatchObject({ waiting: 0, held: 0 });
  });
});
