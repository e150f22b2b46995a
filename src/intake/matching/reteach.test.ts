import fc from "fast-check";
import { expect, test } from "vitest";
import {
  sighting,
  type TestLedger,
  testLedger,
  vouchFor,
} from "../../../tests/support/ledger/intake-ledger.ts";
import { rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";
import { night } from "../../../tests/support/ledger/source-ledger.ts";
import { DAY_MS, utcDayStart } from "../../kernel/time.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { erase } from "../erasure/erase.ts";
import { planOptOut, planRedaction } from "../erasure/erasure-plan.ts";
import { judgeLedger } from "../sources/judge-ledger.ts";
import { leave, planToLeave } from "../sources/leaving.ts";
import { recordSubject } from "../sources/principals.ts";
import { link, principalOf, setSuspended } from "../sources/source-desk.ts";
import { planUndo, undo } from "../undo.ts";
import { appendReview } from "./decide.ts";
import { reteach, reteachPrincipal } from "./reteach.ts";

const OBSERVERS = ["ann", "bob", "cyd", "dan"];
const NAMES = ["Corner Bakery House", "Corner Bakery Haus", "Pizza Castle", "Harbour Ropes"];
const CONTACTS = [{}, { website: "bakery.example" }, { phone: "+1 416 555 0100" }];
const KINDS = [
  { asset_type: "storefront" },
  { asset_type: "storefront" },
  { asset_type: "site_sign" },
  { asset_type: "vehicle_wrap" },
  { asset_type: "vehicle_wrap", asset_ref: "plate-1" },
];

interface Step {
  readonly event: string;
  readonly at: number; // both choose among what there is
  readonly other: number;
}

const TABLES = [
  "record_names",
  "record_contacts",
  "assets_index",
  "vehicle_sightings",
  "apart",
  "apart_places",
];

function contents({ ledger }: TestLedger): unknown[] {
  return TABLES.map((table) =>
    rawLedger(ledger)
      .prepare(`SELECT * FROM ${table} ORDER BY ${table.startsWith("apart") ? "1, 2" : "1, 2, 3, 4"}`)
      .all(),
  );
}

/** What the rows and the private registry say, without anything that was known before. */
function rebuilt(it: TestLedger): unknown[] {
  for (const table of TABLES) rawLedger(it.ledger).exec(`DELETE FROM ${table}`);
  it.ledger.transaction(() =>
    reteach(
      it.ledger,
      it.rows("record").map(({ id }) => id),
    ),
  );
  return contents(it);
}

function pick<T>(items: readonly T[], at: number): T | undefined {
  return items[at % items.length];
}

let refs = 0;

function line({ at, other }: Step) {
  refs += 1;
  const observer = pick(OBSERVERS, at);
  return sighting(`${refs}`, {
    observer,
    ...(at % 7 === 0 && { source: null }),
    ...pick(KINDS, other),
    ...pick(CONTACTS, at + other),
    name: pick(NAMES, Math.floor(at / 4)) ?? "",
    lat: 40.001 + (Math.floor(other / 5) % 6) * 0.0003,
    observed_at: `2026-05-0${1 + (at % 5)}T1${other % 10}:25:10Z`,
  });
}

const why = { reason: "privacy_request" } as const;
const decider = { reason: "x", reviewer: "desk" };

function who(at: number) {
  return { source: "scout", observer: pick(OBSERVERS, at) ?? "" };
}

const EVENTS: Readonly<Record<string, (it: TestLedger, step: Step) => void>> = {
  night: (it, { at }) => {
    it.clock.time += (1 + (at % 9)) * DAY_MS;
    judgeLedger(it.ledger);
    night(it.ledger);
    it.ledger.seal({ now: true });
  },
  suspend: ({ ledger }, { at, other }) => setSuspended(ledger, who(at), other % 2 === 0),
  link: ({ ledger }) => {
    const [one, other] = [who(0), who(1)];
    const [first, second] = [one, other].map(({ source, observer }) => principalOf(ledger, source, observer));
    if (first !== second) link(ledger, one, other);
  },
  leave: ({ ledger }, { at }) => leave(ledger, planToLeave(ledger, { observer: who(at) })),
  undo: ({ ledger }, { other }) => {
    const batch = pick(ledger.batches.list(1000), other);
    if (batch !== undefined && batch.decision !== "undone") undo(ledger, planUndo(ledger, batch.name));
  },
};

/** What needs a record and an observation. */
const DECISIONS: Readonly<Record<string, (it: TestLedger, about: About, step: Step) => void>> = {
  run: ({ ledger }, { record }, { at }) => {
    const principal = principalOf(ledger, "scout", who(at).observer);
    ledger.transaction(() => {
      ledger.sources.addAffiliation({ principal, subject: recordSubject(record.id) });
      reteachPrincipal(ledger, principal);
    });
  },
  "set aside": (it, { row }) =>
    judged(it, row, (sources, day) => sources.putSetAside(row.id, "exact_copy", day)),
  restore: (it, { row }) =>
    judged(it, row, (sources, day) => sources.reviewSetAside(row.id, "restored", day)),
  merge: ({ ledger }, { record, other }) => {
    if (record.id !== other.id)
      appendReview(ledger, { decision: "merge", target: record.id, into: other.id, ...decider });
  },
  review: ({ ledger }, { row }, { at }) => {
    appendReview(ledger, { decision: at % 3 === 0 ? "verify" : "reject", target: row.id, ...decider });
  },
  apart: ({ ledger }, { record, other }) => {
    if (record.id !== other.id)
      appendReview(ledger, { decision: "apart", target: record.id, into: other.id, ...decider });
  },
  move: ({ ledger }, { row, other }) => {
    const [from = 0] = ledger.live.recordsAbout(row.id);
    const body = { target: row.id, record: other.id, asset: Number(row.body["asset"]), observer_tag: "tag" };
    ledger.transaction(() => {
      ledger.append({ kind: "reassign", body: { ...body, ...decider } });
      reteach(ledger, [from, other.id]);
    });
  },
  rename: ({ ledger }, { record }, { at }) => {
    const body = { record: record.id, name: pick(NAMES, at) ?? "", website: "https://bakery.example" };
    const industry = { industry: null, industry_method: "unclassified", match_review: false } as const;
    ledger.transaction(() => {
      ledger.append({ kind: "naming", body: { ...body, ...industry, ...decider } });
      reteach(ledger, [record.id]);
    });
  },
  redact: ({ ledger }, { row }) =>
    erase(ledger, planRedaction(ledger, { kind: "redaction", target: String(row.id), ...why })),
  "opt out": ({ ledger }, { record }) =>
    erase(ledger, planOptOut(ledger, { kind: "opt_out", target: String(record.body["public_id"]), ...why })),
};

type Row = ReturnType<TestLedger["rows"]>[number];

interface About {
  readonly row: Row;
  readonly record: Row;
  readonly other: Row;
}

function judged(
  { ledger, clock }: TestLedger,
  row: Row,
  say: (sources: LedgerWriter["sources"], day: number) => void,
): void {
  ledger.transaction(() => {
    say(ledger.sources, utcDayStart(clock.time));
    reteach(ledger, ledger.live.recordsAbout(row.id));
  });
}

async function play(it: TestLedger, step: Step): Promise<void> {
  const { event, at, other } = step;
  const decide = DECISIONS[event];
  if (event === "take") await it.ingest([line(step), line({ event, at: at + other, other: at + 3 })]);
  else if (decide === undefined) EVENTS[event]?.(it, step);
  else {
    const [row, records] = [pick(it.rows("observation"), at), it.rows("record")];
    const [one, two] = [pick(records, at), pick(records, other)];
    if (row && one && two) decide(it, { row, record: one, other: two }, step);
  }
}

const steps = fc.array(
  fc.record({
    event: fc.oneof(fc.constant("take"), fc.constantFrom(...Object.keys(EVENTS), ...Object.keys(DECISIONS))),
    at: fc.nat(1000),
    other: fc.nat(1000),
  }),
  { minLength: 10, maxLength: 25 },
);

test("what intake looks up is at any time what the rows and the private registry teach", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      using it = testLedger();
      vouchFor(it, "ann", "bob", "cyd");
      for (const each of history) {
        await play(it, each);
        const known = contents(it);
        expect(rebuilt(it)).toEqual(known);
      }
    }),
    { numRuns: 30, seed: 40 },
  );
});

test("what a reviewer rejects stops teaching its name and contact, and teaches again once it is verified", async () => {
  using it = testLedger();
  vouchFor(it, "ann", "bob");
  const website = "bakery.example";
  const misread = { name: "Corner Bakery Haus", website, observed_at: "2026-05-02T10:25:10Z" };
  await it.ingest([sighting("right", { observer: "ann", name: "Corner Bakery House", website })]);
  await it.ingest([
    sighting("misread", { observer: "ann", ...misread }),
    sighting("misread too", { observer: "bob", ...misread }),
  ]);
  const taught = contents(it);
  const namesOf = ([names]: readonly unknown[]) => JSON.stringify(names);
  const rows = it
    .rows("observation")
    .filter(({ private: { source_ref } }) => String(source_ref).startsWith("misread"));
  const review = (decision: "reject" | "verify") => {
    for (const { id } of rows) appendReview(it.ledger, { decision, target: id, ...decider });
    return contents(it);
  };
  const rejected = review("reject");
  expect(namesOf(rejected)).not.toBe(namesOf(taught));
  expect(rejected).toEqual(rebuilt(it));
  expect(review("verify")).toEqual(taught);
});
