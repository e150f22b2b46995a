import { describe, expect, test } from "vitest";
import { fakeCity, fakeEvent, release } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { WEBHOOK_CONTRACT } from "../../contract/accounts/delivery.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { latestEvents, pulse } from "./pulse.ts";

describe("latest events", () => {
  const context = fakeContext({
    events: [
      fakeEvent("evt_a_new", 1),
      fakeEvent("evt_a_old", 300),
      fakeEvent("evt_b_newest", 0, { city: "beta", cityName: "Beta" }),
      fakeEvent("evt_b_a", 1, { city: "beta", cityName: "Beta" }),
    ],
  });

  test("the newest of all cities, each with its city, ties by id", () => {
    const events = latestEvents(context, 3);
    expect(events.map(({ id, city }) => [id, city])).toEqual([
      ["evt_b_newest", "beta"],
      ["evt_a_new", "alpha"],
      ["evt_b_a", "beta"],
    ]);
    expect(events[0]).toMatchObject({ detected_at: "2026-06-30T00:00:00Z", city: "beta", city_name: "Beta" });
  });

  test("all there are when there are fewer, and none of a release without events", () => {
    expect(latestEvents(context, 100)).toHaveLength(4);
    expect(latestEvents(fakeContext(), 5)).toEqual([]);
  });
});

describe("pulse", () => {
  const context = fakeContext({
    events: [
      fakeEvent("evt_today", 0),
      fakeEvent("evt_stale", 10, {
        type: "stale_asset",
        assetPublicId: "demo_asset",
        assetType: "storefront",
      }),
      fakeEvent("evt_edge", 30),
      fakeEvent("evt_old", 31),
    ],
  });
  const read = (query: Record<string, string>) => pulse.read(context, { city: "alpha" }, query);

  test("the window is the 30 days before as_of, its edge included", () => {
    const { events, since, summary } = read({});
    expect(events.map(({ id }) => id)).toEqual(["evt_today", "evt_stale", "evt_edge"]);
    expect(since).toBe("2026-05-31T00:00:00Z");
    expect(summary).toMatchObject({
      total_events: 3,
      returned_events: 3,
      window_end: "2026-06-30T00:00:00Z",
      by_type: {
        new_public_record: 2,
        new_observed_asset: 0,
        new_wrapped_fleet_asset: 0,
        stale_asset: 1,
        digital_gap_detected: 0,
      },
    });
  });

  test("`since` moves the start, and totals do not depend on the limit", () => {
    const { events, summary } = read({ since: "2026-05-01", limit: "1" });
    expect(events).toHaveLength(1);
    expect(summary).toMatchObject({ total_events: 4, returned_events: 1 });
    expect(read({ since: "2026-05-01", limit: "1" })).toMatchObject({ total_count: 4, has_more: true });
    expect(read({ since: "2030-01-01T00:00:00Z" }).events).toEqual([]);
  });

  test("webhooks are available where the operator had delivery set up, and the contract says what is not sent", () => {
    const contractOf = (delivery: typeof release.delivery) =>
      pulse.read(fakeContext({ release: { ...release, delivery } }), { city: "alpha" }, {}).webhook_contract;
    expect(contractOf({ email: "sent", webhooks: true })).toEqual(WEBHOOK_CONTRACT);
    expect(contractOf({ email: "written_to_files", webhooks: true })).toEqual(WEBHOOK_CONTRACT);
    expect(contractOf({ email: "waiting", webhooks: true })).toMatchObject({
      available: true,
      note: expect.stringContaining("Email is currently off"),
    });
    expect(contractOf({ email: "waiting", webhooks: false })).toMatchObject({
      available: false,
      note: expect.stringContaining("Delivery is currently off"),
    });
  });

  test("closure, rebrand and vacancy are named as unavailable", () => {
    expect(read({}).unavailable_event_classes.map(({ event_class }) => event_class)).toEqual([
      "closure",
      "rebrand",
      "vacancy",
    ]);
  });

  test("a city without events answers with an empty feed", () => {
    expect(pulse.read(context, { city: "beta" }, {})).toMatchObject({ status: "active", events: [] });
  });

  test("without `since` all pages have the window of the first one, whatever release is current", () => {
    const query = { limit: "2" };
    const first = read(query);
    const later = { ...release, asOf: release.asOf + 9 * DAY_MS };
    const cities = [fakeCity(1, "Alpha", { snapshotId: crypto.randomUUID() })];
    const newer = { ...context, snapshot: fakeContext({ release: later, cities }).snapshot };
    const cursor = first.next_cursor ?? "";
    const second = pulse.read(newer, { city: "ALPHA" }, { ...query, cursor });
    expect(second).toMatchObject({ since: first.since, data_as_of: first.data_as_of, total_count: 3 });
    expect(second.events.map(({ id }) => id)).toEqual(["evt_edge"]);
  });
});
