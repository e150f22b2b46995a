import { expect, test } from "vitest";
import { DAY_MS } from "../../../kernel/time.ts";
import type { Kind } from "./restic.ts";
import { outdated } from "./retention.ts";

const NOW = Date.parse("2026-11-24T12:00:00Z");
const HOUR_MS = DAY_MS / 24;
const snapshot = (kind: Kind, hoursAgo: number) => ({
  id: `${kind} ${hoursAgo}`,
  kind,
  at: NOW - hoursAgo * HOUR_MS,
});
const removed = (...snapshots: [Kind, number][]) =>
  outdated(
    snapshots.map(([kind, hoursAgo]) => snapshot(kind, hoursAgo)),
    NOW,
    35,
  ).map(({ id }) => id);

test("of an earlier day its last backup is kept, and of the last day each", () => {
  expect(removed(["ledger", 1], ["ledger", 2], ["ledger", 37], ["ledger", 38])).toEqual(["ledger 38"]);
});

test("after its days a backup goes, the last one of its day, too", () => {
  expect(removed(["ledger", 1], ["ledger", 35 * 24], ["ledger", 36 * 24])).toEqual(["ledger 864"]);
});

test("what a restore takes stays, however old it is", () => {
  expect(removed(["ledger", 2000], ["keys", 2000], ["state", 1900])).toEqual([]);
  expect(removed(["ledger", 2000], ["ledger", 2100], ["state", 2050], ["keys", 2000])).toEqual([
    "state 2050",
    "ledger 2100",
  ]);
});
