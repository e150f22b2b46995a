/**
 * A write of the store that fails, before or after it took effect, undoes its transaction alone; the same file and the same take-in
 * again complete it.
 */
import { expect, test } from "vitest";
import {
  NOW,
  sighting,
  type TestLedger,
  testLedger,
  vouchFor,
} from "../../tests/support/ledger/intake-ledger.ts";
import { utcDayStart } from "../kernel/time.ts";
import type { IntakeStore } from "../ledger/matching/intake-store.ts";
import type { LedgerWriter } from "../ledger/writer.ts";

const TODAY = utcDayStart(NOW);

type Write =
  | "addSourceRef"
  | "settleSourceRefs"
  | "addPending"
  | "setSourceRow"
  | "addName"
  | "addClaim"
  | "addAsset"
  | "takePublicId"
  | "addLook"
  | "setSynthetic";

const FAULTS = (
  [
    "addSourceRef",
    "settleSourceRefs",
    "addPending",
    "setSourceRow",
    "addName",
    "addClaim",
    "addAsset",
    "takePublicId",
    "addLook",
    "setSynthetic",
  ] as const
).flatMap((write) => (["before", "after"] as const).map((when) => ({ write, when })));

const LINES = [
  sighting("a"),
  sighting("b", { name: "Harbour Ropes", lat: 40.01, website: "https://ropes.example" }),
  sighting("c", { name: "Restaurant" }),
  sighting("d", { name: "Quokka Lantern Works", lat: 40.02, phone: "+1 416 555 0100" }),
  sighting("e", { name: "Harbour Ropes", lat: 40.01, lng: -75.02 }),
  sighting("f", { name: "Restaurant", lat: 40.03 }),
];

/** The ledger with a store whose first call of `write` fails. */
function faulty(ledger: LedgerWriter, write: Write, when: "before" | "after"): LedgerWriter {
  const real: (...values: never[]) => unknown = ledger.intake[write];
  const fail = (...values: never[]) => {
    if (when === "after") real(...values);
    throw new Error("fault");
  };
  const intake: IntakeStore = { ...ledger.intake, [write]: fail };
  return new Proxy(ledger, {
    get: (target, name) => {
      const member: unknown = name === "intake" ? intake : Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

function contents(it: TestLedger) {
  const bodies = (["record", "asset", "observation"] as const).map((kind) => it.rows(kind));
  return {
    rows: bodies.map((rows) => rows.length),
    next: it.ledger.nextId(),
    pending: it.ledger.pending.counts(),
    held: it.ledger.deskRows.heldLines().map(({ batch: _, ...line }) => line), // the retry is a batch of its own
  };
}

const whole = (async () => {
  using it = testLedger();
  vouchFor(it, "scout-7");
  await it.ingest(LINES, { batchLines: 2 });
  return contents(it);
})();

const ACCEPTING: ReadonlySet<Write> = new Set([
  "addSourceRef",
  "settleSourceRefs",
  "addPending",
  "setSynthetic",
]);

test.for(FAULTS)("$write fails $when it took effect", async ({ write, when }) => {
  using it = testLedger();
  vouchFor(it, "scout-7");
  await it.ingest(LINES.slice(0, 2));
  const before = contents(it);
  const ledger = faulty(it.ledger, write, when);
  await expect(it.ingest(LINES, { ledger })).rejects.toThrow("fault");
  const isAccepted = !ACCEPTING.has(write);
  const pending = { waiting: isAccepted ? 4 : 0, held: 0, oldestDay: isAccepted ? TODAY : null };
  expect(contents(it)).toEqual({ ...before, pending });
  const known = isAccepted ? 6 : 2;
  expect(await it.ingest(LINES, { batchLines: 2 })).toMatchObject({ known, held: 2, accepted: 6 - known });
  expect(contents(it)).toEqual(await whole);
});
