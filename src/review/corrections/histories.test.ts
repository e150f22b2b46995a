/** Corrections and erasures in any order: each observation is under one record, and nothing names what is gone. */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  countedRandom,
  sighting,
  type TestLedger,
  testLedger,
} from "../../../tests/support/ledger/intake-ledger.ts";
import { rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";
import { folded } from "../../../tests/support/ledger/source-ledger.ts";
import { erase } from "../../intake/erasure/erase.ts";
import { planOptOut, planRedaction } from "../../intake/erasure/erasure-plan.ts";
import { reteach } from "../../intake/matching/reteach.ts";
import { leave, planToLeave } from "../../intake/sources/leaving.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { Desk } from "../desk.ts";
import type { Correction, DeskAtWork } from "./correction.ts";
import { planApart, planJoin, planUnapart, planUnjoin } from "./pair.ts";
import { planRename, planRuleNaming } from "./rename.ts";
import { planSplit, planUnsplit } from "./split.ts";

const BY = { reviewer: "review-desk", reason: "different_businesses" } as const;
const WHY = { reason: "privacy_request" } as const;
const SCOUTS = ["ann", "bob", "cyd"];
const NAMES = ["Corner Bakery House", "Harbour Ropes", "Pizza Castle"];

interface Step {
  readonly event: string;
  readonly at: number; // both choose among what there is
  readonly other: number;
}

function pick<T>(items: readonly T[], at: number): T {
  const item = items[at % items.length];
  if (item === undefined) throw new OperatorError("there is none");
  return item;
}

type Plan = (at: DeskAtWork, ids: readonly string[], step: Step) => Correction;

const asked = { assets: [], seen: [], websites: [], rows: [] };

function rowsOf({ desk, ledger }: DeskAtWork, id: string): number[] {
  const root = desk.state.merges.root(desk.state.withPublicId(id) ?? 0);
  const group = [...desk.state.records.keys()].filter((record) => desk.state.merges.root(record) === root);
  return ledger.live.sightings(group, []).map(({ id: row }) => row);
}

const CORRECTIONS: Readonly<Record<string, Plan>> = {
  split: (at, ids, step) => {
    const record = pick(ids, step.at);
    const rows = rowsOf(at, record).filter((_, index) => (step.other >> (index % 8)) % 2 === 1);
    return planSplit(at, {
      ...asked,
      record,
      rows,
      called: step.at % 3 === 0 ? { name: "New House" } : undefined,
    });
  },
  unsplit: (at, ids, step) => planUnsplit(at, pick(ids, step.at)),
  join: (at, ids, step) => planJoin(at, pick(ids, step.at), pick(ids, step.other)),
  unjoin: (at, _, step) => {
    const joined = [...at.desk.state.records.values()].filter(({ merge }) => merge !== undefined);
    const record = pick(joined, step.at);
    return planUnjoin(at, String(record.id), String(record.merge?.into));
  },
  apart: (at, ids, step) => planApart(at, pick(ids, step.at), pick(ids, step.other)),
  unapart: (at, ids, step) => planUnapart(at, pick(ids, step.at), pick(ids, step.other)),
  rename: (at, ids, step) => planRename(at, pick(ids, step.at), { name: pick(NAMES, step.other) }),
  "rule's name": (at, ids, step) => planRuleNaming(at, pick(ids, step.at)),
};

const ERASURES: Readonly<Record<string, (at: DeskAtWork, ids: readonly string[], step: Step) => void>> = {
  redact: ({ ledger, desk }, ids, step) => {
    const row = pick(rowsOf({ ledger, desk }, pick(ids, step.at)), step.other);
    erase(ledger, planRedaction(ledger, { kind: "redaction", target: String(row), ...WHY }));
  },
  "opt out": ({ ledger }, ids, step) => {
    erase(ledger, planOptOut(ledger, { kind: "opt_out", target: pick(ids, step.at), ...WHY }));
  },
  leave: ({ ledger }, _, step) => {
    leave(ledger, planToLeave(ledger, { observer: { source: "scout", observer: pick(SCOUTS, step.at) } }));
  },
};

let lines = 0;

async function see(it: TestLedger, { at, other }: Step): Promise<void> {
  lines += 1;
  const line = sighting(`line-${lines}`, {
    name: pick(NAMES, at),
    observer: pick(SCOUTS, other),
    lat: 40.001 + (Math.floor(at / 3) % 3) * 0.0006,
    observed_at: `2026-05-0${1 + (at % 5)}T1${other % 10}:25:10Z`,
    asset_type: pick(["storefront", "site_sign"], Math.floor(other / 3)),
  });
  await it.ingest([line], { random: countedRandom(`${lines}`) });
}

/** Tries others where one is refused. */
async function play(it: TestLedger, step: Step): Promise<boolean> {
  for (let more = 0; more < 6; more += 1)
    if (await tried(it, { ...step, at: step.at + more, other: step.other + more * 3 })) return true;
  return false;
}

async function tried(it: TestLedger, step: Step): Promise<boolean> {
  if (step.event === "see") await see(it, step);
  else {
    const at = { desk: new Desk(it.ledger), ledger: it.ledger };
    const ids = [...at.desk.state.records.values()].map(({ body }) => body.public_id);
    try {
      const planned = CORRECTIONS[step.event]?.(at, ids, step);
      if (planned === undefined) ERASURES[step.event]?.(at, ids, step);
      else it.ledger.transaction(() => planned.make(BY));
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      return false;
    }
  }
  return true;
}

const TABLES = ["record_names", "record_contacts", "assets_index", "apart"];

function contents({ ledger }: TestLedger): unknown[] {
  return TABLES.map((table) =>
    rawLedger(ledger)
      .prepare(`SELECT * FROM ${table} ORDER BY ${table === "apart" ? "1, 2" : "1, 2, 3, 4"}`)
      .all(),
  );
}

function expectWhole(it: TestLedger): void {
  const known = contents(it);
  const { state } = new Desk(it.ledger);
  it.ledger.transaction(() => reteach(it.ledger, state.records.keys()));
  expect(contents(it)).toEqual(known);
  const live = new Set(LIVE.flatMap((kind) => it.rows(kind).map(({ id }) => id)));
  for (const { id, body } of it.rows("reassign"))
    for (const named of [body["target"], body["record"], body["asset"]])
      expect(live.has(Number(named)), `row ${id} names row ${named}`).toBe(true);
  const shown = shownAtDesk(it);
  expect([...shown.values()].flat().sort()).toEqual(
    it
      .rows("observation")
      .map(({ id }) => id)
      .sort(),
  );
  const counts = [...shown].map(([record, rows]) => [record, rows.length]);
  expect(counts.sort()).toEqual([...published(it)].sort());
}

const LIVE = ["record", "asset", "observation"] as const;

/** Record that stands by itself -> its observations. */
function shownAtDesk({ ledger }: TestLedger): Map<number, number[]> {
  const { state } = new Desk(ledger);
  const groups = Map.groupBy(state.records.keys(), (record) => state.merges.root(record));
  const rows = [...groups].map(
    ([root, group]) => [root, ledger.live.sightings(group, []).map(({ id }) => id)] as const,
  );
  return new Map(rows.filter(([, { length }]) => length > 0));
}

/** How many a release counts for each; an asset is of one record. */
function published(it: TestLedger): Map<number, number> {
  const { sightings, merges } = folded(it);
  const counts = new Map<number, number>();
  const owners = new Map<number, number>();
  for (const [, record, asset] of sightings.observedBy(Number.POSITIVE_INFINITY)) {
    const root = merges.root(record);
    expect(owners.get(asset) ?? root, `asset ${asset}`).toBe(root);
    owners.set(asset, root);
    counts.set(root, (counts.get(root) ?? 0) + 1);
  }
  return counts;
}

const steps = fc.array(
  fc.record({
    event: fc.oneof(
      { weight: 1, arbitrary: fc.constant("see") },
      { weight: 2, arbitrary: fc.constantFrom(...Object.keys(CORRECTIONS)) },
      { weight: 1, arbitrary: fc.constantFrom("split", "join", "unsplit", "unjoin") },
      { weight: 1, arbitrary: fc.constantFrom("redact", "redact", "redact", "opt out", "leave") },
    ),
    at: fc.nat(1000),
    other: fc.nat(1000),
  }),
  { minLength: 8, maxLength: 20 },
);

test("whatever is moved, taken back and erased, each observation stands under one record, and nothing names what is gone", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      using it = testLedger();
      for (let at = 0; at < 9; at += 1) await see(it, { event: "see", at, other: at * 4 });
      for (const step of history) {
        if (await play(it, step)) expectWhole(it);
      }
    }),
    { numRuns: 4, seed: 41, endOnFailure: true },
  );
});
