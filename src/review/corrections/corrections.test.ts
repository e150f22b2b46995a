import { expect, test } from "vitest";
import {
  countedRandom,
  sighting,
  type TestLedger,
  testLedger,
} from "../../../tests/support/ledger/intake-ledger.ts";
import { rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";
import { reteach } from "../../intake/matching/reteach.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { homePaths } from "../../kernel/home.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { askOfAsset } from "../../operations/waiting-reports.ts";
import { LedgerFold } from "../../snapshot/fold/ledger-fold.ts";
import { Desk } from "../desk.ts";
import { waitingItems } from "../items.ts";
import type { Correction, DeskAtWork } from "./correction.ts";
import { planApart, planJoin, planUnapart, planUnjoin } from "./pair.ts";
import { planRename, planRuleNaming } from "./rename.ts";
import { planSplit, planUnsplit, type SplitRequest } from "./split.ts";

const BY = { reviewer: "review-desk", reason: "different_businesses" } as const;
const SCOUTS = ["scout-1", "scout-2", "scout-3"];

type Plan = (at: DeskAtWork) => Correction;
const atDesk = ({ ledger }: TestLedger): DeskAtWork => ({ desk: new Desk(ledger), ledger });
const plan = (it: TestLedger, of: Plan) => of(atDesk(it));

/** Returns what the preview showed. */
function make(it: TestLedger, of: Plan): Correction["shown"] {
  const { shown, make: doIt } = plan(it, of);
  it.ledger.transaction(() => doIt(BY));
  return shown;
}

let lines = 0;

/** One by one, so that the order is theirs. */
async function see(it: TestLedger, name: string, changes: Parameters<typeof sighting>[1] = {}) {
  lines += 1;
  const random = countedRandom(`${lines}`);
  await it.ingest([sighting(`line-${lines}`, { name, observer: "scout-1", ...changes })], { random });
}

/** Evil Bakery, as three scouts saw it, and twelve sightings of a rival that became rows of it; a second business elsewhere. */
async function captured(): Promise<TestLedger> {
  const it = testLedger();
  for (const observer of SCOUTS) await see(it, "Evil Bakery", { observer });
  await see(it, "Corner Shop", { lat: 40.02, lng: -75.02 });
  const own = it.rows("observation").slice(0, 3);
  it.ledger.transaction(() => {
    for (let at = 0; at < 12; at += 1) {
      const { body = {}, private: hidden = {} } = own[at % 3] ?? {};
      it.ledger.append({
        kind: "observation",
        body: JSON.parse(JSON.stringify(body)),
        private: {
          ...JSON.parse(JSON.stringify(hidden)),
          source_ref: { source: "scout", ref: `rival-${at}` },
          seen: { name: "Rival Bakery", website: "https://rival.example" },
        },
      });
    }
    reteach(it.ledger, [recordNamed(it, "Evil Bakery").id]);
  });
  return it;
}

function recordNamed(it: TestLedger, name: string) {
  const { state } = new Desk(it.ledger);
  const found = [...state.records.values()].findLast((record) => record.name === name);
  if (found === undefined) throw new Error(`no record is called ${name}`);
  return found;
}

const idOf = (it: TestLedger, name: string) => recordNamed(it, name).body.public_id;

/** Name of each record -> its live observations, as a release counts them; each asset is of one record. */
function counted(it: TestLedger): Record<string, number> {
  it.ledger.seal({ now: true });
  const size = it.ledger.nextId() - 1;
  const fold = new LedgerFold(size);
  using reader = openLedgerReader(homePaths(it.home).ledger);
  for (const row of reader.verifiedRows(size)) fold.apply(row);
  const owners = new Map<number, number>();
  const counts: Record<string, number> = {};
  for (const [, record, asset] of fold.sightings.observedBy(Number.POSITIVE_INFINITY)) {
    const root = fold.merges.root(record);
    expect(owners.get(asset) ?? root, `asset ${asset}`).toBe(root);
    owners.set(asset, root);
    const name = fold.records.get(root)?.name ?? "";
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** What intake looks up, against what it would be taught anew from all rows. */
function expectTaught(it: TestLedger): void {
  const tables = ["record_names", "record_contacts", "assets_index", "apart", "apart_places"];
  const rows = (table: string) => rawLedger(it.ledger).prepare(`SELECT * FROM ${table}`).all();
  const read = () =>
    tables.map((table) =>
      rows(table)
        .map((row) => JSON.stringify(row))
        .sort(),
    );
  const before = read();
  it.ledger.transaction(() => reteach(it.ledger, new Desk(it.ledger).state.records.keys()));
  expect(before).toEqual(read());
}

const asked = (it: TestLedger, request: Partial<SplitRequest>): SplitRequest => ({
  ...{ record: idOf(it, "Evil Bakery"), assets: [], seen: [], websites: [], rows: [] },
  ...request,
});

test("a captured business gets a record of its own, later lines find it, and all of it comes back", async () => {
  using it = await captured();
  expect(counted(it)).toEqual({ "Evil Bakery": 15, "Corner Shop": 1 });
  const shown = make(it, (at) => planSplit(at, asked(it, { seen: ["RIVAL bakery"] })));
  expect(shown).toMatchObject({
    ...{ correction: "split", new_name: "Rival Bakery", observations_leaving: 12, observations_staying: 3 },
    ...{ principals_linked: 3, seen_as: ["Rival Bakery (12)"], assets_leaving: [] },
  });
  expect(shown["assets_parted"]).toHaveLength(1);
  expect(counted(it)).toEqual({ "Evil Bakery": 3, "Rival Bakery": 12, "Corner Shop": 1 });
  const tags = it.rows("reassign").map(({ body }) => body["observer_tag"]);
  expect(new Set(tags).size).toBe(3);
  expectTaught(it);
  await see(it, "Rival Bakery", { observer: "scout-2" });
  await see(it, "Evil Bakery", { observer: "scout-2" });
  expect(counted(it)).toMatchObject({ "Evil Bakery": 4, "Rival Bakery": 13 });
  const back = make(it, (at) => planUnsplit(at, idOf(it, "Rival Bakery")));
  expect(back).toMatchObject({ observations_returning: 13, observations_staying: 0 });
  expect(counted(it)).toEqual({ "Evil Bakery": 17, "Corner Shop": 1 });
  expectTaught(it);
  expect(() => plan(it, (at) => planUnsplit(at, idOf(it, "Rival Bakery")))).toThrow("nothing to undo");
});

test("a flag and affiliations hold for both sides, and a whole asset keeps its id", async () => {
  using it = await captured();
  const { id } = recordNamed(it, "Evil Bakery");
  it.ledger.transaction(() => {
    new Desk(it.ledger).decide({ decision: "flag", target: id, ...BY });
    it.ledger.sources.addAffiliation({ principal: "p", subject: `record ${id}` });
  });
  await see(it, "Evil Bakery", { asset_type: "billboard", lat: 40.0011 });
  const asset = it.rows("asset").at(-1)?.body["public_id"];
  const called = { name: "Rival Pâtisserie", website: "rival.example" };
  const shown = make(it, (at) => planSplit(at, asked(it, { assets: [String(asset)], called })));
  expect(shown).toMatchObject({ assets_leaving: [asset], assets_parted: [], observations_leaving: 1 });
  const rival = recordNamed(it, "Rival Pâtisserie");
  expect(rival).toMatchObject({
    website: "https://rival.example",
    flaggedBy: { body: { decision: "flag" } },
  });
  expect(it.ledger.sources.affiliations().map(({ subject }) => subject)).toContain(`record ${rival.id}`);
  expect(counted(it)["Rival Pâtisserie"]).toBe(1);
});

test("a business that moved is joined, and stands alone again with what came to its signs since", async () => {
  using it = await captured();
  const pair: [string, string] = [idOf(it, "Corner Shop"), idOf(it, "Evil Bakery")];
  expect(make(it, (at) => planJoin(at, ...pair))).toMatchObject({
    observations_moving: 1,
    principals_linked: 1,
  });
  expect(counted(it)).toEqual({ "Evil Bakery": 16 });
  expect(() => plan(it, (at) => planSplit(at, asked(it, { record: pair[0], rows: [1] })))).toThrow(
    "was joined with",
  );
  await see(it, "Corner Shop", { lat: 40.02, lng: -75.02, observer: "scout-3" });
  expect(counted(it)).toEqual({ "Evil Bakery": 17 });
  expectTaught(it);
  const back = make(it, (at) => planUnjoin(at, ...pair));
  expect(back).toMatchObject({ observations_returning: 2, observations_staying: 15, principals_linked: 1 });
  expect(counted(it)).toEqual({ "Evil Bakery": 15, "Corner Shop": 2 });
  expectTaught(it);
  expect(() => plan(it, (at) => planUnjoin(at, ...pair))).toThrow("nothing to undo");
});

test("twins stay two, whose match nothing proposes, until that is taken back", async () => {
  using it = await captured();
  const pair: [string, string] = [idOf(it, "Corner Shop"), idOf(it, "Evil Bakery")];
  make(it, (at) => planApart(at, ...pair));
  expect(() => plan(it, (at) => planApart(at, ...pair))).toThrow("already kept apart");
  expect(() => plan(it, (at) => planJoin(at, ...pair))).toThrow("are kept apart: undo that first");
  expectTaught(it);
  make(it, (at) => planUnapart(at, pair[1], pair[0]));
  expectTaught(it);
  expect(() => plan(it, (at) => planUnapart(at, ...pair))).toThrow("are not kept apart");
  expect(plan(it, (at) => planJoin(at, ...pair)).shown).toMatchObject({ correction: "join" });
});

test("a pair is one item, says why, and is closed for both when it is answered", async () => {
  using it = await captured();
  const [one, other] = [recordNamed(it, "Evil Bakery"), recordNamed(it, "Corner Shop")];
  const propose = (record: number, candidate: number, name: string) =>
    it.ledger.append({
      kind: "naming",
      body: {
        industry: null,
        industry_method: "unclassified",
        match_review: true,
        name,
        record,
        website: null,
      },
      private: { match_candidates: [candidate] },
    });
  it.ledger.transaction(() => {
    propose(one.id, other.id, one.name);
    propose(other.id, one.id, other.name);
  });
  const items = () => {
    const { state, rows } = new Desk(it.ledger);
    return waitingItems({ state, rows, now: 0, assetConflict: askOfAsset, setAside: "all" }, ["match"]);
  };
  expect(items().map(({ item, why }) => [item, why])).toEqual([
    [
      `match-${other.id}`,
      `${one.body.public_id} ("Evil Bakery") shares its place and a contact, under another name`,
    ],
  ]);
  make(it, (at) => planApart(at, one.body.public_id, other.body.public_id));
  expect(items()).toEqual([]);
  const { state } = new Desk(it.ledger);
  expect([one, other].map(({ id }) => state.records.get(id)?.isMatchWaiting)).toEqual([false, false]);
});

test("a name that a reviewer gives holds, is looked up, and is the rule's again when it is taken back", async () => {
  using it = await captured();
  const id = idOf(it, "Evil Bakery");
  const called = { name: "Good Bakery", website: "good.example" };
  expect(make(it, (at) => planRename(at, id, called))).toMatchObject({
    name: "Evil Bakery",
    new_name: "Good Bakery",
  });
  expect(recordNamed(it, "Good Bakery").naming).toMatchObject({ ...BY, website: "https://good.example" });
  expect(() => plan(it, (at) => planRename(at, id, called))).toThrow("this name");
  expectTaught(it);
  make(it, (at) => planRename(at, id, { name: "Good Bakery", website: "none" }));
  expect(recordNamed(it, "Good Bakery").website).toBeNull();
  make(it, (at) => planRuleNaming(at, id));
  expect(recordNamed(it, "Evil Bakery").naming?.reviewer).toBeUndefined();
  expect(() => plan(it, (at) => planRuleNaming(at, id))).toThrow("nothing to undo");
});

test.for<[string, (it: TestLedger) => Plan, string]>([
  ["a split of nothing", (it) => (at) => planSplit(at, asked(it, {})), "select the observations to move"],
  [
    "a name that nobody saw",
    (it) => (at) => planSplit(at, asked(it, { seen: ["Nobody"] })),
    'no observation of "Nobody"',
  ],
  [
    "a row of another record",
    (it) => (at) => planSplit(at, asked(it, { rows: [1] })),
    'no observation of "1"',
  ],
  [
    "an asset of nobody",
    (it) => (at) => planSplit(at, asked(it, { assets: ["as_x"] })),
    'no observation of "as_x"',
  ],
  ["no website", (it) => (at) => planSplit(at, asked(it, { websites: ["a b"] })), "is not a web address"],
  [
    "the whole record",
    (it) => (at) => planSplit(at, asked(it, { seen: ["Evil Bakery", "Rival Bakery"] })),
    "these are all 15 observations",
  ],
  [
    "a new record with a telephone in its name",
    (it) => (at) =>
      planSplit(at, asked(it, { seen: ["Rival Bakery"], called: { name: "Rival 416-555-0199" } })),
    "holds a telephone number",
  ],
  [
    "an unknown record",
    () => (at) => planRename(at, "pr_nobody", { name: "A Name" }),
    "no item, row number or public id",
  ],
  ["a row that is no record", () => (at) => planRename(at, "1", { name: "A Name" }), "of kind city"],
  [
    "no name",
    (it) => (at) => planRename(at, idOf(it, "Evil Bakery"), { name: " \u200b " }),
    "has no visible character",
  ],
  [
    "a generic name",
    (it) => (at) => planRename(at, idOf(it, "Evil Bakery"), { name: "Restaurant" }),
    "is generic",
  ],
  [
    "a script as website",
    (it) => (at) =>
      planRename(at, idOf(it, "Evil Bakery"), { name: "A Name", website: "javascript:alert(1)" }),
    "is not a web address",
  ],
  [
    "itself",
    (it) => (at) => planJoin(at, idOf(it, "Evil Bakery"), idOf(it, "Evil Bakery")),
    "two records, not one",
  ],
  [
    "itself, apart",
    (it) => (at) => planApart(at, idOf(it, "Evil Bakery"), idOf(it, "Evil Bakery")),
    "not one",
  ],
])("%s is refused, and nothing is written", async ([, of, message], { expect }) => {
  using it = await captured();
  const last = it.ledger.nextId();
  expect(() => plan(it, of(it))).toThrow(OperatorError);
  expect(() => plan(it, of(it))).toThrow(message);
  expect(it.ledger.nextId()).toBe(last);
});
