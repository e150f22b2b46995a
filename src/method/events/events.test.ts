import fc from "fast-check";
import { cellToParent } from "h3-js";
import { expect, test } from "vitest";
import { sha256Hex } from "../../kernel/hash.ts";
import { DAY_MS, isoDate } from "../../kernel/time.ts";
import { AS_OF, anySightings, BY_NAME, DECLARED, sighting, TODAY } from "../../testing/method/facts.ts";
import { type AsOf, asOfAt } from "../as-of.ts";
import { judge } from "../standing/verification.ts";
import type { LookRow, Sighting } from "../types.ts";
import type { EventAsset, EventRecord } from "./event-types.ts";
import { cityEvents } from "./events.ts";

const published = (age: number) => (TODAY - age + 1) * DAY_MS; // as test-facts publishes: at the end of that day
const CELL = "882b9bc001fffff";

const asset = (id: number, publishedAge: number, changes: Partial<EventAsset> = {}): EventAsset => ({
  id,
  publicId: `ex_asset_${id}`,
  assetType: "storefront",
  publishedAt: published(publishedAge),
  retirements: [],
  ...changes,
});

const record = (sightings: readonly Sighting[], changes: Partial<EventRecord> = {}): EventRecord => ({
  id: 100,
  publicId: "ex_record",
  name: "Example Bakery",
  publishedAt: published(20),
  industry: DECLARED,
  matchUnderReview: false,
  sightings: judge(sightings),
  assets: [],
  checks: [],
  ...changes,
});

/** A month row that names a cell: the month began `began` days ago, and the row was published `age` days ago. */
const month = (began: number, age: number, cell = CELL): LookRow => ({
  span: "month",
  first: TODAY - began,
  last: TODAY - began + 29,
  publishedAt: published(age),
  cells: [cell],
});

const types = (records: readonly EventRecord[], looks: readonly LookRow[] = [], asOf: AsOf = AS_OF) =>
  cityEvents(records, looks, asOf).map(({ type }) => type);

test("a record's first publication is one event, at that moment", () => {
  const [event, ...more] = cityEvents(
    [record([sighting(20), sighting(20, { observer: "b" }), sighting(3)])],
    [],
    AS_OF,
  );
  expect(more).toEqual([]);
  expect(event).toMatchObject({
    type: "new_public_record",
    detectedAt: published(20),
    recordPublicId: "ex_record",
    asset: null,
    confidence: 0.95, // two observers
    label: "ledger",
    evidenceCount: 2, // the one of 3 days ago was published later
    headline: "New presence record: Example Bakery",
    summary: expect.stringMatching(/ with 2 accepted observations \(seen by 2 independent observers\)\.$/),
  });
  expect(event?.id).toMatch(/^evt_[0-9a-f]{24}$/);
});

test("one observer alone gives 0.9, a review of industry or match 0.5", () => {
  const seen = [sighting(20)];
  expect(cityEvents([record(seen)], [], AS_OF)[0]?.confidence).toBe(0.9);
  expect(cityEvents([record(seen, { industry: BY_NAME })], [], AS_OF)[0]).toMatchObject({
    confidence: 0.5,
    label: "review_needed",
  });
  expect(cityEvents([record(seen, { matchUnderReview: true })], [], AS_OF)[0]?.label).toBe("review_needed");
});

test("archives, seed surveys and rows observed over 30 days before publication raise nothing", () => {
  const at = (changes: Partial<Sighting>) =>
    types([record([sighting(20, { publishedAt: published(20), ...changes })])]);
  expect(at({ archived: true })).toEqual([]);
  expect(at({ source: "seed_survey" })).toEqual([]);
  expect(at({ day: TODAY - 19 - 31 })).toEqual([]); // published on the day TODAY - 19
  expect(at({ day: TODAY - 19 - 30 })).toEqual(["new_public_record"]);
});

test("a new asset is an event only for a record that was public before", () => {
  const sightings = [sighting(20, { asset: 1 }), sighting(5, { asset: 2 })];
  const events = cityEvents([record(sightings, { assets: [asset(1, 20), asset(2, 5)] })], [], AS_OF);
  expect(events.map(({ type, assetPublicId }) => [type, assetPublicId])).toEqual([
    ["new_observed_asset", "ex_asset_2"],
    ["new_public_record", null],
  ]);
});

test("a wrapped vehicle is an event of its own, with a new record too", () => {
  const wrap = { asset: 1, assetType: "vehicle_wrap", fine: false } as const;
  const events = types([
    record([sighting(20, wrap)], { assets: [asset(1, 20, { assetType: "vehicle_wrap" })] }),
  ]);
  expect(events.sort()).toEqual(["new_public_record", "new_wrapped_fleet_asset"]);
});

/** A storefront last seen 250 days ago. */
const unseen = (changes: Partial<EventAsset> = {}, seen: Partial<Sighting> = {}) => [
  record([sighting(250, { asset: 1, ...seen })], { publishedAt: 0, assets: [asset(1, 250, changes)] }),
];

const staleEvent = (records: readonly EventRecord[], looks: readonly LookRow[]) =>
  cityEvents(records, looks, AS_OF).find(({ type }) => type === "stale_asset");

test("a fixed asset is stale once 180 days are over and a later month says that its cell was looked at", () => {
  expect(staleEvent(unseen(), [month(240, 200)])).toMatchObject({
    type: "stale_asset",
    detectedAt: (TODAY - 70) * DAY_MS, // day 180 after the sighting
    assetPublicId: "ex_asset_1",
    confidence: 0.7,
    label: "derived",
    evidenceCount: 1,
  });
  expect(staleEvent(unseen(), [month(60, 10)])?.detectedAt).toBe(published(10));
});

test("the text says in how many months, as known when it went stale", () => {
  const text = (looks: readonly LookRow[]) => staleEvent(unseen(), looks)?.summary;
  expect(text([month(240, 200)])).toContain("Its map cell was looked at in 1 later month without");
  expect(text([month(240, 200), month(210, 170), month(60, 20)])).toContain("in 2 later months without");
});

test("the day that a stale asset was last observed is that of its last accepted sighting", () => {
  const seen = (lastVerdict: Sighting["verdict"], firstVerdict?: Sighting["verdict"]) => {
    const sightings = [
      sighting(255, { asset: 1, verdict: firstVerdict }),
      sighting(250, { asset: 1, verdict: lastVerdict }),
    ];
    return staleEvent([record(sightings, { publishedAt: 0, assets: [asset(1, 255)] })], [month(240, 200)]);
  };
  const [accepted, rejected, nothing] = [seen(undefined), seen("rejected"), seen("rejected", "rejected")];
  expect(accepted?.summary).toContain(`, the newest of ${isoDate((TODAY - 250) * DAY_MS)} (the city's`);
  expect(rejected?.summary).toContain(`, the newest of ${isoDate((TODAY - 255) * DAY_MS)} (the city's`);
  expect(nothing?.summary).toContain("has only observations that a review has since rejected. ");
  expect([rejected?.id, nothing?.id]).toEqual([accepted?.id, accepted?.id]);
});

test("ids of events are what they always were", () => {
  const id = `evt_${sha256Hex('["stale_asset","ex_asset_1","2024-07-26"]').slice(0, 24)}`;
  expect(staleEvent(unseen(), [month(240, 200)])).toMatchObject({
    id,
    detectedAt: Date.parse("2024-07-26T00:00:00Z"),
  });
});

const isStale = (records: readonly EventRecord[], looks = [month(60, 10)]) =>
  types(records, looks).includes("stale_asset");

test("nobody looked, looked elsewhere, only found other things, or only in the month of the sighting: not stale", () => {
  expect(isStale(unseen())).toBe(true);
  expect(isStale(unseen(), [])).toBe(false);
  expect(isStale(unseen(), [month(60, 10, "882b9bc003fffff")])).toBe(false);
  expect(isStale(unseen(), [month(250, 200)])).toBe(false);
  expect(isStale(unseen(), [{ ...month(60, 10), span: "week" }])).toBe(false);
  const neighbor = record([sighting(10, { asset: 9 })], { id: 101, publicId: "ex_neighbor", publishedAt: 0 });
  expect(isStale([...unseen(), neighbor], [])).toBe(false);
});

test("an asset last seen in an archive or a seed survey does not go stale in public", () => {
  const known = (changes: Partial<Sighting>) => isStale(unseen({}, changes));
  expect([known({}), known({ archived: true }), known({ source: "seed_survey" })]).toEqual([
    true,
    false,
    false,
  ]);
});

test("a live sighting of the same day counts before one from an archive", () => {
  const both = [sighting(250, { asset: 1, archived: true }), sighting(250, { asset: 1, observer: "b" })];
  expect(isStale([record(both, { publishedAt: 0, assets: [asset(1, 250)] })])).toBe(true);
});

test("of several months the row published first tells", () => {
  expect(staleEvent(unseen(), [month(100, 40), month(70, 55)])?.detectedAt).toBe(published(55));
});

test("a vehicle is stale by age alone, and says so", () => {
  const wrap = { assetType: "vehicle_wrap" } as const;
  const van = unseen(wrap, { ...wrap, cell: cellToParent(CELL, 5), fine: false });
  const event = staleEvent(van, []);
  expect(event?.detectedAt).toBe((TODAY - 160) * DAY_MS); // day 90 after the sighting
  expect(event?.summary).toContain("It is stale by age alone");
});

test("a retired asset does not go stale, one taken back does", () => {
  expect(isStale(unseen({ retirements: [{ at: published(100), retired: true }] }))).toBe(false);
  const back = [
    { at: published(50), retired: false },
    { at: published(100), retired: true },
  ];
  expect(isStale(unseen({ retirements: back }))).toBe(true);
  expect(isStale(unseen({ retirements: [{ at: published(5), retired: true }] }))).toBe(true); // later
});

test("a sighting published in time prevents the event, one published afterwards leaves it", () => {
  const withMore = (more: Sighting) => {
    const [first] = unseen();
    return first === undefined ? [] : [{ ...first, sightings: judge([...first.sightings, more]) }];
  };
  const looked = [month(240, 200)];
  expect(isStale(withMore(sighting(100, { asset: 1 })), looked)).toBe(false);
  expect(isStale(withMore(sighting(100, { asset: 1, publishedAt: published(60) })), looked)).toBe(true);
});

test("a digital gap is an event when a definite check first says none", () => {
  const checks = [
    { checkedAt: published(3), verdict: "none" },
    { checkedAt: published(8), verdict: "unknown" },
    { checkedAt: published(15), verdict: "none" },
    { checkedAt: published(18), verdict: "detected" },
  ] as const;
  const events = cityEvents([record([sighting(20)], { checks })], [], AS_OF);
  expect(events.map(({ type, detectedAt }) => [type, detectedAt])).toEqual([
    ["digital_gap_detected", published(15)],
    ["new_public_record", published(20)],
  ]);
  expect(events[0]).toMatchObject({ confidence: 0.7, label: "derived", evidenceCount: 1 });
});

test("a check before the record was public is told when it is", () => {
  const checks = [{ checkedAt: published(40), verdict: "none" }] as const;
  const gap = cityEvents([record([sighting(20)], { checks })], [], AS_OF).find(
    ({ asset: of, type }) => !of && type === "digital_gap_detected",
  );
  expect(gap?.detectedAt).toBe(published(20));
});

test("a rejection leaves the event, without evidence and with a note", () => {
  const [event] = cityEvents([record([sighting(20, { verdict: "rejected" })])], [], AS_OF);
  expect(event).toMatchObject({
    type: "new_public_record",
    evidenceCount: 0,
    confidence: 0.5,
    label: "review_needed",
  });
  expect(event?.summary).toContain("has since been rejected");
});

/** A city of two records with one asset each per drawn asset, all published where their first sighting was. */
const cities = anySightings({ minLength: 2 }).map((drawn) =>
  [...Map.groupBy(drawn, ({ asset: of }) => of % 2)].map(([id, sightings]): EventRecord => {
    const first = (some: readonly Sighting[]) => Math.min(...some.map(({ publishedAt }) => publishedAt));
    const assets = [...Map.groupBy(sightings, ({ asset: of }) => of)].map(([of, some]) =>
      asset(of, 0, { publishedAt: first(some) }),
    );
    return record(sightings, { id, publicId: `ex_${id}`, publishedAt: first(sightings), assets });
  }),
);

const looksOfCity = fc
  .array(
    fc.record({
      began: fc.integer({ min: 30, max: 500 }),
      late: fc.nat({ max: 40 }),
      cell: fc.constantFrom(CELL, "882b9bc003fffff"),
    }),
  )
  .map((drawn) => drawn.map(({ began, late, cell }) => month(began, Math.max(0, began - 37 - late), cell)));

test("an event that a release shows is in every later one, with the same id and moment", () => {
  fc.assert(
    fc.property(cities, looksOfCity, fc.nat({ max: 400 }), (city, looks, back) => {
      const earlier = asOfAt(AS_OF.ms - back * DAY_MS, 0);
      const known = city.map((each) => ({
        ...each,
        sightings: judge(each.sightings.filter(({ publishedAt }) => publishedAt <= earlier.ms)),
      }));
      const rows = looks.filter(({ publishedAt }) => publishedAt <= earlier.ms);
      const then = cityEvents(known, rows, earlier).map(({ id, detectedAt }) => `${id} ${detectedAt}`);
      const now = cityEvents(city, looks, AS_OF).map(({ id, detectedAt }) => `${id} ${detectedAt}`);
      expect(now).toEqual(expect.arrayContaining(then));
      const until = cityEvents(city, looks, AS_OF).filter(({ detectedAt }) => detectedAt <= earlier.ms);
      expect(until.map(({ id, detectedAt }) => `${id} ${detectedAt}`)).toEqual(then);
    }),
  );
});

test("ids differ, order is newest first, and no text says more than was seen", () => {
  fc.assert(
    fc.property(cities, looksOfCity, (city, looks) => {
      const events = cityEvents(city, looks, AS_OF);
      expect(cityEvents(city.toReversed(), looks, AS_OF)).toEqual(events);
      expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
      for (const [index, { detectedAt, headline, summary }] of events.entries()) {
        expect(detectedAt).toBeLessThanOrEqual(events[index - 1]?.detectedAt ?? AS_OF.ms);
        expect(summary).toMatch(/corroborated|independent observers|in review/);
        expect(`${headline} ${summary}`).not.toMatch(
          /closed|verified business|out of business|undefined|NaN/i,
        );
      }
    }),
  );
});

test("an empty city has no events", () => {
  expect(cityEvents([], [], AS_OF)).toEqual([]);
  expect(cityEvents([record([])], [], AS_OF)).toEqual([]);
});
