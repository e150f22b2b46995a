/** What a batch that is undone leaves behind: its rows, and nothing in public that only it made. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AVALON, type TestLedger, testLedger } from "../../tests/support/ledger/intake-ledger.ts";
import { folded, nights, register, seen } from "../../tests/support/ledger/source-ledger.ts";
import { INDUSTRIES } from "../contract/cities/industry.ts";
import { homePaths } from "../kernel/home.ts";
import { DAY_MS } from "../kernel/time.ts";
import { openLedgerReader } from "../ledger/reader.ts";
import { Desk } from "../review/desk.ts";
import { waitingItems } from "../review/items.ts";
import { buildSnapshot } from "../snapshot/build.ts";
import { ReleaseSettings } from "../snapshot/release-settings.ts";
import { openSnapshot, type Snapshot } from "../snapshot/snapshot.ts";
import { appendReview } from "./matching/decide.ts";
import { planUndo, undo } from "./undo.ts";

/** One ledger a test: a genuine batch, and one of which nobody else saw anything but record 1. */
async function twoBatches(): Promise<TestLedger> {
  const it = testLedger();
  register(it, "scouts", { vetting: "collective" });
  await it.ingest([seen("scouts", "ann", { record: 1 }), seen("scouts", "ann", { record: 2 })]);
  it.ledger.seal({ now: true });
  it.clock.time += DAY_MS;
  await it.ingest([
    seen("scouts", "bob", { record: 1, day: 1 }),
    { ...seen("scouts", "bob", { record: 1, day: 1, hour: 15 }), asset_type: "billboard" },
    seen("scouts", "bob", { record: 7, day: 1 }),
    seen("scouts", "bob", { record: 8, day: 1 }),
  ]);
  it.ledger.seal({ now: true });
  it.clock.time += DAY_MS;
  return it;
}

const NAMES = ["Shop b1", "Shop c2", "Shop h7", "Shop i8"];

function rowOf(it: TestLedger, name: string): number {
  return Number(it.rows("naming").find(({ body }) => body["name"] === name)?.body["record"]);
}

function publicIdOf(it: TestLedger, name: string): string {
  return String(it.rows("record").find(({ id }) => id === rowOf(it, name))?.body["public_id"]);
}

let snapshots = 0;

/** What is read of a release of now. */
function released<T>(it: TestLedger, read: (snapshot: Snapshot) => T): T {
  it.ledger.seal({ now: true });
  using reader = openLedgerReader(homePaths(it.home).ledger);
  const treeSize = reader.latestCheckpoint()?.size ?? 0;
  snapshots += 1;
  const out = join(it.home, `snapshot-${snapshots}.db`);
  const settings = ReleaseSettings.parse({ baseUrl: "https://example.org", sourceRevision: "test" });
  const reference = { gazetteer: [AVALON], industries: INDUSTRIES };
  const ledgerPath = homePaths(it.home).ledger;
  buildSnapshot({ ledgerPath, out, treeSize, asOf: it.clock.time, settings, reference });
  const snapshot = openSnapshot(out);
  try {
    return read(snapshot);
  } finally {
    snapshot.close();
  }
}

function shownNames(it: TestLedger): string[] {
  const ids = NAMES.map((name) => publicIdOf(it, name));
  return released(it, (snapshot) =>
    ids.flatMap((id) => snapshot.record(id)?.name ?? []).sort((a, b) => (a < b ? -1 : 1)),
  );
}

describe("records and assets that only the batch made", () => {
  test("leave the public by a review each, with their events; what others saw, too, stays", async () => {
    using it = await twoBatches();
    expect(shownNames(it)).toEqual(NAMES);
    const only = ["Shop h7", "Shop i8"].map((name) => rowOf(it, name));
    const billboard = it.rows("asset").find(({ body }) => body["asset_type"] === "billboard")?.id;
    const assets = it.rows("asset").filter(({ body }) => only.includes(Number(body["record"])));
    const events = released(it, (snapshot) =>
      snapshot.eventsOf("avalon", { since: 0, offset: 0, limit: 99 }),
    );
    const about = (each: (typeof events)[number]) => only.includes(Number(each.record));
    expect(events.filter(about)).not.toEqual([]);

    const plan = planUndo(it.ledger, "b2");
    expect(plan.withdrawn.records).toEqual(only);
    expect(new Set(plan.withdrawn.assets)).toEqual(new Set([billboard, ...assets.map(({ id }) => id)]));
    undo(it.ledger, plan);

    const reviews = it.rows("review").map(({ body }) => body);
    expect(reviews).toHaveLength(5);
    for (const body of reviews)
      expect(body).toMatchObject({ decision: "withdraw", reason: "batch_undone", reviewer: "operator" });
    expect(shownNames(it)).toEqual(["Shop b1", "Shop c2"]);
    const kept = publicIdOf(it, "Shop b1");
    const first = it.rows("review")[0]?.id ?? 0;
    released(it, (snapshot) => {
      const left = snapshot.eventsOf("avalon", { since: 0, offset: 0, limit: 99 });
      expect(left.filter(about)).toEqual([]);
      expect(snapshot.assetsOf(snapshot.record(kept)?.id ?? 0).map(({ assetType }) => assetType)).toEqual([
        "storefront",
      ]);
      const withdrawn = snapshot.withdrawals(0, 0, 99);
      expect(new Set(withdrawn.map(({ erasedBy }) => erasedBy))).toEqual(new Set([first]));
      // Records, assets, and the observations of either: the one of the kept storefront stays.
      const gone = new Set<unknown>(plan.withdrawn.assets);
      const observed = it
        .rows("observation")
        .flatMap(({ id, body }) => (gone.has(body["asset"]) ? [id] : []));
      expect(observed).toHaveLength(3);
      expect(withdrawn.map(({ row }) => row).sort((a, b) => a - b)).toEqual(
        [...plan.withdrawn.records, ...plan.withdrawn.assets, ...observed].sort((a, b) => a - b),
      );
    });
  });

  test("ask reviewers nothing, and the same lines make records of their own later", async () => {
    using it = await twoBatches();
    const asked = () => {
      const { state, rows } = new Desk(it.ledger);
      const rules = { assetConflict: () => undefined, setAside: "all" } as const;
      const items = waitingItems({ state, rows, now: it.clock.time, ...rules }, ["integrity"]);
      return items.map(({ about }) => about.record).sort();
    };
    const [kept, gone] = ["Shop b1", "Shop h7"].map((name) => rowOf(it, name));
    for (const target of [kept, gone, rowOf(it, "Shop c2")])
      appendReview(it.ledger, {
        ...{ decision: "flag", target: target ?? 0 },
        ...{ reason: "suspicious_pattern", reviewer: "review-desk" },
      });
    expect(asked()).toContain(gone);
    const day = it.clock.time;
    it.ledger.transaction(() => {
      it.ledger.sources.raise({ key: "own", check: "walks", record: gone ?? 0, rows: [], day });
      it.ledger.sources.raise({
        key: "all",
        check: "walks",
        record: null,
        rows: it.ledger.batches.rowsOf("b2"),
        day,
      });
      it.ledger.sources.raise({ key: "kept", check: "walks", record: kept ?? 0, rows: [], day });
    });
    undo(it.ledger, planUndo(it.ledger, "b2"));
    expect(asked()).toEqual([kept, rowOf(it, "Shop c2")].sort());
    expect(it.ledger.sources.openItems().map(({ key }) => key)).toEqual(["kept"]);
    nights(it, 16); // nothing that waited comes back

    const before = publicIdOf(it, "Shop h7");
    await it.ingest([seen("scouts", "cyd", { record: 7, day: 3 })]);
    const ids = it
      .rows("record")
      .filter(({ id }) =>
        it.rows("naming").some(({ body }) => body["record"] === id && body["name"] === "Shop h7"),
      )
      .map(({ body }) => String(body["public_id"]));
    expect(ids).toHaveLength(2);
    released(it, (snapshot) => {
      expect(ids.map((id) => snapshot.record(id)?.name)).toEqual([undefined, "Shop h7"]);
      expect(ids[0]).toBe(before);
    });
  });

  test("stay while a batch that is not undone has seen them, and go with the last one", async () => {
    using it = await twoBatches();
    await it.ingest([seen("scouts", "cyd", { record: 7, day: 2 })]);
    it.ledger.seal({ now: true });
    it.clock.time += DAY_MS;
    undo(it.ledger, planUndo(it.ledger, "b2"));
    expect(shownNames(it)).toEqual(["Shop b1", "Shop c2", "Shop h7"]);
    const plan = planUndo(it.ledger, "b3");
    expect(plan.withdrawn.records).toEqual([rowOf(it, "Shop h7")]);
    undo(it.ledger, plan);
    expect(shownNames(it)).toEqual(["Shop b1", "Shop c2"]);
  });

  test("stay where a reviewer joined them with what others saw", async () => {
    using it = await twoBatches();
    const [target, into] = ["Shop c2", "Shop h7"].map((name) => rowOf(it, name));
    appendReview(it.ledger, {
      ...{ decision: "merge", target: target ?? 0, into: into ?? 0 },
      ...{ reason: "same_business", reviewer: "review-desk" },
    });
    const plan = planUndo(it.ledger, "b2");
    expect(plan.withdrawn.records).toEqual([rowOf(it, "Shop i8")]);
    undo(it.ledger, plan);
    const { records } = folded(it);
    expect([...records.keys()]).toContain(into);
  });
});
