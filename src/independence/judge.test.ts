import { expect, test } from "vitest";
import {
  placeAt,
  registryOf,
  START,
  TraceBook,
  type TraceFields,
} from "../../tests/support/independence/traces.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../kernel/time.ts";
import { RowChecks } from "./judge.ts";
import type { Registry } from "./trace.ts";

/** The reasons of rows that enter one after the other; null for rows that count. */
function reasonsOf(
  rows: readonly TraceFields[],
  registry: Registry = registryOf([]),
): readonly (string | null)[] {
  const book = new TraceBook();
  const checks = new RowChecks(registry);
  return rows.map((row) => {
    const trace = book.add(row);
    return checks.take(trace, trace.isRestored) ?? null;
  });
}

const HERE = placeAt(0.1234, 0.4321);
const NOON = START + 12 * HOUR_MS;
const LOOK = 0x0123_4567_89ab_cdefn;

test("suspended observers, affiliated principals and blind sources are set aside, restored or not", () => {
  const registry = registryOf([], {
    observers: new Map([["bad", { principal: "bad", isSuspended: true, isVouched: true }]]),
    isAffiliated: (principal, record) => principal === "owner" && record === 7,
    canSee: (source, type) => source !== "feed" || type === "vehicle_wrap",
  });
  const rows: TraceFields[] = [
    { observer: "bad", isRestored: true },
    { observer: "owner", record: 7, isRestored: true },
    { observer: "owner", record: 8 },
    { source: "feed", isCollective: true },
    { source: "feed", isCollective: true, isRestored: true },
    { source: "feed", isCollective: true, assetType: "vehicle_wrap" },
  ];
  expect(reasonsOf(rows, registry)).toEqual(["suspended", "affiliated", null, "cannot_see", null, null]);
});

test("the clock judges times of individual sources alone", () => {
  const old = START - 8 * DAY_MS;
  const rows: TraceFields[] = [
    { instant: old },
    { instant: START - 7 * DAY_MS },
    { instant: START + DAY_MS },
    { instant: old, isBareDate: true },
    { instant: old, isArchive: true },
    { instant: old, isCollective: true },
  ];
  expect(reasonsOf(rows)).toEqual(["clock", null, "clock", null, null, null]);
});

test("a copy of a place and time is set aside, from whatever principal", () => {
  const rows: TraceFields[] = [
    { ...HERE, asset: 1, observer: "a", instant: NOON },
    { ...HERE, asset: 1, observer: "a", instant: NOON },
    { ...HERE, asset: 2, observer: "a", instant: NOON },
    { ...HERE, asset: 3, observer: "b", instant: NOON },
    { ...HERE, asset: 1, observer: "b", day: 3 },
    { ...HERE, asset: 4, observer: "b", day: 3, instant: START + 3 * DAY_MS + 1 },
  ];
  expect(reasonsOf(rows)).toEqual([null, "exact_copy", null, "exact_copy", "exact_copy", null]);
});

test("coordinates of addresses coincide without being copies", () => {
  const address = { lat: 43.54512, lng: -80.24823, asset: 1 };
  const rows: TraceFields[] = [
    { ...address, observer: "a" },
    { ...address, observer: "b", day: 1 },
    { ...HERE, asset: 3, observer: "a", isBareDate: true },
    { ...HERE, asset: 3, observer: "b", isBareDate: true },
    { ...HERE, asset: 2, isCollective: true, isArchive: true, isBareDate: true },
    { ...HERE, asset: 2, isCollective: true, isArchive: true, isBareDate: true },
  ];
  expect(reasonsOf(rows)).toEqual([null, null, null, null, null, null]);
});

test("a picture counts once, for up to four assets of one look", () => {
  const frame = { media: "m", observer: "a", instant: NOON };
  const rows: TraceFields[] = [
    { ...frame, asset: 1 },
    { ...frame, asset: 2, instant: NOON + 20 * SECOND_MS },
    { ...frame, asset: 2, day: 1, instant: NOON + DAY_MS },
    { ...frame, asset: 3, ...placeAt(1000, 0) },
    { ...frame, asset: 4, observer: "b" },
    { ...frame, asset: 5 },
    { ...frame, asset: 6 },
    { ...frame, asset: 7 },
  ];
  const reused = "same_media";
  expect(reasonsOf(rows)).toEqual([null, null, reused, reused, reused, null, null, reused]);
});

test("three changed bits are the same picture, four are another", () => {
  const rows: TraceFields[] = [
    { mediaLook: LOOK, observer: "a" },
    { mediaLook: LOOK ^ (1n << 63n) ^ (1n << 40n) ^ 1n, observer: "b" },
    { mediaLook: LOOK ^ (0b1111n << 20n), observer: "c" },
    { mediaLook: 0n, observer: "a" },
    { mediaLook: 0n, observer: "b" },
    { mediaLook: 2n ** 64n - 1n, observer: "a" },
    { mediaLook: 2n ** 64n - 1n, observer: "b" },
  ];
  expect(reasonsOf(rows)).toEqual([null, "near_media", null, null, null, null, null]);
});

test("near pictures are found among thousands, wherever the bits differ", () => {
  const looks = Array.from({ length: 3000 }, (_, index) =>
    BigInt.asUintN(64, BigInt(index + 1) * 0x9e37_79b9_7f4a_7c15n),
  );
  const changed = looks.map(
    (look, index) =>
      look ^
      (1n << BigInt(index % 64)) ^
      (1n << BigInt((index * 7 + 1) % 64)) ^
      (1n << BigInt((index * 13 + 5) % 64)),
  );
  const reasons = reasonsOf(
    [...looks, ...changed].map((mediaLook) => ({ mediaLook, observer: String(mediaLook) })),
  );
  expect(reasons.slice(0, looks.length).every((reason) => reason === null)).toBe(true);
  expect(reasons.slice(looks.length).every((reason) => reason === "near_media")).toBe(true);
});

test("of looks minutes apart the first that counts is kept", () => {
  const at = (minutes: number) => ({ asset: 1, instant: NOON + minutes * 60_000 });
  const rows: TraceFields[] = [
    at(0),
    at(20),
    at(40),
    at(-29),
    { ...at(20), asset: 2 },
    { ...at(20), observer: "b" },
    { ...at(90), instant: START - 10 * DAY_MS },
    at(90),
  ];
  expect(reasonsOf(rows)).toEqual([null, "same_look", null, "same_look", null, null, "clock", null]);
});
