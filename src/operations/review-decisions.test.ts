/** How many decisions a city asks, measured as an operator would make them: groups by groups, then items, until nothing waits. */
import { expect, test } from "vitest";
import {
  AVALON,
  NOW,
  sighting,
  type TestLedger,
  testLedger,
} from "../../tests/support/ledger/intake-ledger.ts";
import { rawLedger } from "../../tests/support/ledger/raw-ledger.ts";
import { nights as nightsPass, register } from "../../tests/support/ledger/source-ledger.ts";
import { CAMERAS, CLUB, MEMBERS, twoSuppliers } from "../../tests/support/towns/two-suppliers.ts";
import { erase } from "../intake/erasure/erase.ts";
import { planRedaction } from "../intake/erasure/erasure-plan.ts";
import { standardClassifier } from "../intake/matching/classify.ts";
import { enrol } from "../intake/sources/source-desk.ts";
import { Desk } from "../review/desk.ts";
import { planGroup } from "../review/queue/decide-group.ts";
import type { QueueGroup, QueueItem, ReviewQueue } from "../review/queue/model.ts";
import { itemsOf, queueOf } from "./review-queue.ts";

const BY = { reviewer: "review-desk", reason: "checked_genuine" } as const;
const NIGHTS = 3;

async function delivered(): Promise<TestLedger> {
  const it = testLedger();
  register(it, CAMERAS, { kind: "fleet_cam", vetting: "collective", operator: "cameras" });
  register(it, CLUB, { operator: "club" });
  for (const observer of MEMBERS) enrol(it.ledger, { source: CLUB, observer }, { isVouched: true });
  const { nights } = twoSuppliers({
    ...{ seed: 1, shops: 380, nights: NIGHTS, linesANight: 1000 },
    center: { lat: AVALON.lat, lng: AVALON.lng },
    start: NOW,
  });
  for (const lines of nights) {
    await it.accept(lines);
    await it.takeIn({ classifier: standardClassifier });
    nightsPass(it, 1);
  }
  return it;
}

function queue(it: TestLedger): ReviewQueue {
  return queueOf({ ledger: it.ledger, reports: [], now: it.clock.time });
}

/** Answers everything, a group or an item at a time, and says how often; what an answer leads to is asked next. */
function answerAll(it: TestLedger): number {
  for (let decisions = 0; ; ) {
    const { groups, items } = queue(it);
    const alone = items.filter(({ asked_in }) => asked_in === null);
    if (groups.length + alone.length === 0) return decisions;
    answer(it, groups, alone);
    decisions += groups.length + alone.length;
  }
}

function answer(it: TestLedger, groups: readonly QueueGroup[], alone: readonly QueueItem[]): void {
  const { ledger, clock } = it;
  const desk = new Desk(ledger);
  const items = itemsOf(desk.state, { ledger, now: clock.time });
  ledger.transaction(() => {
    for (const { key } of groups)
      planGroup({ desk, ledger, items }, { group: key, action: "accept" }).decide(BY);
    for (const { id } of alone) desk.take({ action: "reject", subject: id, decider: BY });
  });
}

test("3,000 lines of two suppliers ask at most 60 decisions", async () => {
  using it = await delivered();
  const { counts, groups, not_asked } = queue(it);
  const decisions = Object.fromEntries(counts.map((count) => [count.kind, count.decisions]));
  expect(Object.keys(decisions)).toEqual(
    expect.arrayContaining([
      "match",
      "industry",
      "generic-name",
      "damaged-name",
      "private-name",
      "set-aside",
    ]),
  );
  expect(counts.reduce((sum, { items }) => sum + items, 0)).toBeGreaterThan(200);
  expect(groups.find(({ key }) => key === "rule:5610")?.items).toBeGreaterThan(20);
  expect(not_asked).toMatchObject([{ what: "records without an industry" }]);
  expect(answerAll(it)).toBeLessThanOrEqual(60);
});

test("a name that was decided about asks nobody again, and what was refused stays out", async () => {
  using it = testLedger();
  register(it, CLUB);
  const line = (ref: string, name: string) => sighting(ref, { source: CLUB, name });
  await it.ingest([
    line("a", "Restaurant"),
    line("b", "Open"),
    line("c", "Call 519 555 0199"),
    line("d", "Open"),
  ]);
  const before = queue(it).groups.map(({ sample, items }) => [sample[0]?.name, items]);
  expect(before).toEqual(
    expect.arrayContaining([
      ["Open", 2],
      ["Restaurant", 1],
      ["Call 519 555 0199", 1],
    ]),
  );
  const key = (name: string) => queue(it).groups.find(({ sample }) => sample[0]?.name === name)?.key ?? "";
  expect(decided(it, key("Restaurant"), "accept")).toMatchObject({ decided: 1, remembered: 1 });
  expect(decided(it, key("Open"), "reject")).toMatchObject({ decided: 2, remembered: 1 });
  expect(decided(it, key("Call 519 555 0199"), "accept")).toMatchObject({ decided: 1, remembered: 1 });
  await it.ingest([
    line("e", "RESTAURANT"),
    line("f", "open!"),
    line("g", "CALL 519 555 0199"),
    line("h", "Call 519 555 0100"),
  ]);
  expect(queue(it).groups.map(({ question }) => question)).toEqual([
    "May “Call 519 555 0100” be published as it is?",
  ]);
  const admitted = it.rows("review").filter(({ body }) => body["decision"] === "admit");
  expect(admitted).toHaveLength(4);
  const dismissed = it.rows("review").filter(({ body }) => body["decision"] === "dismiss");
  expect(dismissed.map(({ body }) => [body["target"], body["reviewer"]])).toEqual(
    Array(3).fill([1, "review-desk"]),
  );
  expect(remembered(it)).toHaveLength(3);

  // An erasure of any observation of a name forgets what was decided of it.
  const [row] = it
    .rows("observation")
    .filter(({ private: hidden }) => JSON.stringify(hidden).includes("CALL 519"));
  erase(
    it.ledger,
    planRedaction(it.ledger, { kind: "redaction", target: String(row?.id), reason: "privacy_request" }),
  );
  expect(remembered(it)).toHaveLength(2);
  await it.ingest([line("i", "Call 519 555 0199")]);
  expect(queue(it).groups).toHaveLength(2);
});

function decided(it: TestLedger, group: string, action: "accept" | "reject") {
  const { ledger, clock } = it;
  const desk = new Desk(ledger);
  const items = itemsOf(desk.state, { ledger, now: clock.time });
  return ledger.transaction(() => planGroup({ desk, ledger, items }, { group, action }).decide(BY));
}

/** No name stands in what is remembered. */
function remembered({ ledger }: TestLedger): unknown[] {
  const rows = rawLedger(ledger).prepare("SELECT * FROM held_names").all();
  expect(JSON.stringify(rows)).not.toMatch(/restaurant|open|call/i);
  return rows;
}
