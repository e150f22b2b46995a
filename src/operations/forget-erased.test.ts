import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test, vi } from "vitest";
import { sighting, type TestLedger, testLedger } from "../../tests/support/ledger/intake-ledger.ts";
import { register, seen } from "../../tests/support/ledger/source-ledger.ts";
import { contextFor } from "../demo/demo-view.ts";
import { planOptOut } from "../intake/erasure/erasure-plan.ts";
import { leave, planToLeave } from "../intake/sources/leaving.ts";
import { enrol } from "../intake/sources/source-desk.ts";
import { type Home, homePaths } from "../kernel/home.ts";
import { DAY_MS } from "../kernel/time.ts";
import { acquireLock } from "../ledger/database/lock.ts";
import { openLedgerReader } from "../ledger/reader.ts";
import { openState } from "../state/open-state.ts";
import { openWriter } from "./context.ts";
import { eraseConfirmed } from "./erasure/erasure.ts";
import { forgetErased } from "./forget-erased.ts";
import { PUBLISH_LOCK } from "./publish-lock.ts";
import { sealAndStamp } from "./seal-and-stamp.ts";

/** Locks as they are, but nobody waits minutes for one. */
vi.mock(import("../ledger/database/lock.ts"), async (importOriginal) => {
  const real = await importOriginal();
  return { ...real, acquireLock: (path, what) => real.acquireLock(path, what) };
});

const noWait = { wait: () => Promise.resolve() };

function commandOf(it: TestLedger) {
  const home = homePaths(it.home);
  return { home, context: { ...contextFor(home), clock: () => it.clock.time } };
}

function recordsOf(it: TestLedger): string[] {
  return it.rows("record").map(({ body }) => String(body["public_id"]));
}

/** What a server writes when somebody asks for a record. */
async function ask(state: string, publicId: string): Promise<void> {
  await (await openState(undefined, homePaths(join(state, "../..")))).close();
  const database = new Database(state);
  database
    .prepare(
      "INSERT OR REPLACE INTO usage_counters (utc_day, dimension, value, requests, latest_at) VALUES ('2026-05-01', 'record', ?, 1, 0)",
    )
    .run(publicId);
  database.close();
}

function counted(state: string): number {
  const database = new Database(state, { readonly: true });
  const count = database
    .prepare("SELECT count(*) FROM usage_counters WHERE dimension = 'record'")
    .pluck()
    .get();
  database.close();
  return Number(count);
}

test("an erasure whose publishing fails is forgotten in the state by the run that finishes it", async () => {
  using it = testLedger();
  await it.ingest([sighting("old", { name: "Quiet Corner" })]);
  it.ledger.seal({ now: true });
  const [target = ""] = recordsOf(it);
  const { home, context } = commandOf(it);
  it.ledger.close();
  mkdirSync(join(home.releases, "broken"), { recursive: true });
  symlinkSync(join("releases", "broken"), home.current);
  await ask(home.state, target);

  const request = { kind: "opt_out", target, reason: "owner_request" } as const;
  const code = planned();
  const erase = () => eraseConfirmed(context, request, planOptOut, { code, clock: undefined });
  await expect(erase()).rejects.toThrow(/the published release still has them/);
  expect(counted(home.state)).toBe(0);
  await ask(home.state, target); // until the public no longer gets it
  await forgetErased(context, noWait);
  expect(existsSync(home.toForget)).toBe(true);
  await ask(home.state, target);

  rmSync(home.current);
  await erase();
  expect(counted(home.state)).toBe(0);
  expect(existsSync(home.toForget)).toBe(false);

  function planned(): string {
    using ledger = openWriter(context);
    return planOptOut(ledger, request).code;
  }
});

test("rows that leave wait for whoever publishes, and their records go from the state", async () => {
  using it = testLedger();
  register(it, "east", { operator: "Scouts Ltd" });
  enrol(it.ledger, { source: "east", observer: "ann" }, { isVouched: true, principal: "of ann" });
  await it.ingest([seen("east", "ann")]);
  it.ledger.seal({ now: true });
  const [record = ""] = recordsOf(it);
  leave(it.ledger, planToLeave(it.ledger, { observer: { source: "east", observer: "ann" } }));
  const { home, context } = commandOf(it);
  it.ledger.close();
  await ask(home.state, record);

  it.clock.time += 15 * DAY_MS; // by then all are due
  const publishing = acquireLock(PUBLISH_LOCK(home), "publishing a release");
  await expect(sealAndStamp(context, {})).rejects.toThrow(/another process .* is publishing a release/);
  expect([erased(home), counted(home.state)]).toEqual([0, 1]);
  publishing.release();
  await sealAndStamp(context, {});
  expect([erased(home), counted(home.state)]).toEqual([1, 0]);
});

function erased({ ledger }: Home): number {
  using reader = openLedgerReader(ledger);
  return reader.redactions(Number.MAX_SAFE_INTEGER).length;
}
