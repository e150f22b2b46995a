import { expect, test } from "vitest";
import {
  sighting,
  type TestLedger,
  testLedger,
  vouchFor,
} from "../../../tests/support/ledger/intake-ledger.ts";
import { rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";

const VAN = { name: "Quokka Couriers", asset_type: "vehicle_wrap" };
const HERE = { lat: 40.001, lng: -75.001 };
const FIVE_KM_OFF = { lat: 40.04, lng: -75.03 };

function assetsOf(it: TestLedger): unknown[] {
  return it.rows("observation").map(({ body }) => body["asset"]);
}

test("two vans of one name at two places at once are two assets", async () => {
  using it = testLedger();
  vouchFor(it, "scout-7", "b");
  await it.ingest([sighting("a", { ...VAN, ...HERE, observed_at: "2026-05-01T10:00:00Z" })]);
  await it.ingest([
    sighting("b", { ...VAN, ...FIVE_KM_OFF, observed_at: "2026-05-01T10:01:00Z", observer: "b" }),
  ]);
  expect(it.rows("record")).toHaveLength(1);
  expect(new Set(assetsOf(it)).size).toBe(2);
});

test("one van may have driven from the one place to the other", async () => {
  using it = testLedger();
  vouchFor(it, "scout-7", "b");
  await it.ingest([sighting("a", { ...VAN, ...HERE, observed_at: "2026-05-01T10:00:00Z" })]);
  await it.ingest([
    sighting("b", { ...VAN, ...FIVE_KM_OFF, observed_at: "2026-05-01T10:20:00Z", observer: "b" }),
  ]);
  expect(new Set(assetsOf(it)).size).toBe(1);
});

test("a sighting between two others has to fit both", async () => {
  using it = testLedger();
  vouchFor(it, "scout-7", "b");
  await it.ingest([sighting("a", { ...VAN, ...HERE, observed_at: "2026-05-01T10:00:00Z" })]);
  await it.ingest([sighting("b", { ...VAN, ...HERE, observed_at: "2026-05-01T10:02:00Z" })]);
  await it.ingest([sighting("c", { ...VAN, ...FIVE_KM_OFF, observed_at: "2026-05-01T10:01:00Z" })]);
  const [a, b, c] = assetsOf(it);
  expect(b).toBe(a);
  expect(c).not.toBe(a);
});

test("bare dates say nothing against one vehicle, and references decide by themselves", async () => {
  using it = testLedger();
  vouchFor(it, "scout-7", "b");
  await it.ingest([sighting("a", { ...VAN, ...HERE, observed_at: "2026-05-01T10:00:00Z" })]);
  await it.ingest([sighting("b", { ...VAN, ...FIVE_KM_OFF, observed_at: "2026-05-01" })]);
  expect(new Set(assetsOf(it)).size).toBe(1);
  const plate = { ...VAN, asset_ref: "plate-1" };
  await it.ingest([sighting("c", { ...plate, ...HERE, observed_at: "2026-05-02T10:00:00Z" })]);
  await it.ingest([sighting("d", { ...plate, ...FIVE_KM_OFF, observed_at: "2026-05-02T10:00:30Z" })]);
  expect(new Set(assetsOf(it).slice(2)).size).toBe(1);
});

test("where a vehicle was seen goes with the row that said so", async () => {
  using it = testLedger();
  vouchFor(it, "scout-7", "b");
  await it.ingest([sighting("a", { ...VAN, ...HERE, observed_at: "2026-05-01T10:00:00Z" })]);
  const rows = it.rows("observation").map(({ id }) => id);
  const left = () => rawLedger(it.ledger).prepare("SELECT count(*) FROM vehicle_sightings").pluck().get();
  expect(left()).toBe(1);
  it.ledger.transaction(() => it.ledger.intake.forgetVehicleSightings(rows));
  expect(left()).toBe(0);
});
