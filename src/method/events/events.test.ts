import fc from "fast-check";
import { cellToParent } from "h3-js";
import { expect, test } from "vitest";
import {
  AS_OF,
  anySightings,
  BY_NAME,
  DECLARED,
  sighting,
  TODAY,
} from "../../../tests/support/method/facts.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { DAY_MS, dayText, isoDate } from "../../kernel/time.ts";
import { type AsOf, asOfAt } from "../numbers.ts";
import { judge } from "../standing/verification.ts";
import { LookedMonths, type LookRow, type Sighting, type Spell } from "../types.ts";
import type { EventAsset, EventRecord } from "./event-types.ts";
import { type EventHistory, cityEvents as eventsOfCity } from "./events.ts";

const published = (age: number) => (TODAY - age + 1) * DAY_MS; // as test-facts publishes: at the end of that day
const CELL = "882b9bc001fffff";

const asset = (id: number, changes: Partial<EventAsset> = {}): EventAsset => ({
  id,
  publicId: `ex_asset_${id}`,
  assetType: "storefront",
  retirements: [],
  ...changes,
});

const record = (sightings: readonly Sighting[], changes: Partial<EventRecord> = {}): EventRecord => ({
  id: 100,
  publicId: "ex_record",
  name: "Example Bakery",
  industry: DECLARED,
  isSynthetic: false,
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

/** When a sighting counted for the record and its asset 1, as published. */
const counted = (from: number, until = Number.POSITIVE_INFINITY, changes: Partial<Spell> = {}): Spell => ({
  record: 100,
  asset: 1,
  from,
  until,
  isMoved: false,
  ...changes,
});

const cityEvents = (
  records: readonly EventRecord[],
  looks: readonly LookRow[],
  asOf: AsOf,
  history?: EventHistory,
) => eventsOfCity(records, new LookedMonths(looks), asOf, history);

const events = (records: readonly EventRecord[], looks: readonly LookRow[], history: Partial<EventHistory>) =>
  cityEvents(records, looks, AS_OF, { spells: new Map(), roots: new Map(), ...history });

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
    confidence: 0.8, // two observers, corroborated
    state: "corroborated",
    strongestState: "corroborated",
    observerCount: 2,
    monthsLooked: null,
    label: "ledger",
    evidenceCount: 2, // the one of 3 days ago was published later
    headline: "Newly listed: Example Bakery",
    summary: expect.stringMatching(/: 2 accepted observations \(seen by 2 independent observers\)\.$/),
  });
  expect(event?.id).toMatch(/^evt_[0-9a-f]{24}$/);
});

test("a review of industry or match is the label's, and changes no confidence", () => {
  const seen = [sighting(20)];
  expect(cityEvents([record(seen)], [], AS_OF)[0]?.confidence).toBe(0.6);
  expect(cityEvents([record(seen, { industry: BY_NAME })], [], AS_OF)[0]).toMatchObject({
    confidence: 0.6,
    label: "review_needed",
  });
  expect(cityEvents([record(seen, { matchUnderReview: true })], [], AS_OF)[0]?.label).toBe("review_needed");
});

const APART = { setAside: "private_trace" } as const;

test("nothing is told of a record or an asset before something of it counts", () => {
  const checks = [{ checkedAt: published(10), verdict: "none" }] as const;
  const wrap = { asset: 2, assetType: "vehicle_wrap", fine: false, ...APART } as const;
  const assets = [asset(1), asset(2, { assetType: "vehicle_wrap" }), asset(3)];
  const newcomers = [sighting(250, { asset: 1, ...APART }), sighting(250, wrap)];
  expect(types([record(newcomers, { assets, checks })], [month(240, 200)])).toEqual([]);
  const [event, ...more] = cityEvents(
    [record([...newcomers, sighting(20, { asset: 1 })], { assets: [asset(1), asset(3)], checks })],
    [],
    AS_OF,
  );
  expect(event).toMatchObject({ type: "digital_gap_detected", detectedAt: published(10) });
  expect(more).toMatchObject([{ type: "new_public_record", detectedAt: published(20), evidenceCount: 1 }]);
});

test("what does not count is no evidence of an event, and makes no asset new", () => {
  const sightings = [
    sighting(20),
    sighting(20, { observer: "b", ...APART }),
    sighting(5, { asset: 2, ...APART }),
  ];
  const [event, ...more] = cityEvents([record(sightings, { assets: [asset(1), asset(2)] })], [], AS_OF);
  expect(more).toEqual([]);
  expect(event).toMatchObject({ type: "new_public_record", evidenceCount: 1, confidence: 0.6 });
});

test("a recount moves no event: it is dated by what counted then, loses evidence, and is told of once", () => {
  const [first, second] = [sighting(20, { ...APART }), sighting(10)];
  const told = (until?: number) =>
    events([record(until === undefined ? [{ ...first, setAside: null }, second] : [first, second])], [], {
      spells: new Map([[first.id, [counted(published(20), until)]]]),
    });
  const [then, now] = [told(), told(published(5))];
  expect(then).toMatchObject([{ type: "new_public_record", confidence: 0.6, evidenceCount: 1 }]);
  expect(now).toMatchObject([
    { id: then[0]?.id, detectedAt: then[0]?.detectedAt, confidence: 0, evidenceCount: 0 },
  ]);
});

test("what counts by a later decision is told of when it does, and once where it counts again", () => {
  const late = sighting(20);
  const spells = new Map([[late.id, [counted(published(12), published(8)), counted(published(3))]]]);
  expect(events([record([late])], [], { spells })).toMatchObject([
    { type: "new_public_record", detectedAt: published(12), evidenceCount: 1 },
  ]);
});

test("sightings that are moved to another record raise nothing there, and leave their events where they are", () => {
  const [moved, own] = [sighting(20), sighting(2, { asset: 7 })];
  const rival = { id: 200, publicId: "ex_rival", assets: [asset(1), asset(7)] };
  const spells = new Map([
    [
      moved.id,
      [
        counted(published(20), published(5)),
        counted(published(5), undefined, { record: 200, isMoved: true }),
      ],
    ],
  ]);
  const before = events([record([moved], { assets: [asset(1)] })], [], {});
  const after = events([record([]), record([moved, own], rival)], [], { spells });
  expect(before).toHaveLength(1);
  expect(after).toMatchObject([
    { type: "new_observed_asset", assetPublicId: "ex_asset_7" },
    { id: before[0]?.id, detectedAt: before[0]?.detectedAt, recordPublicId: "ex_record", evidenceCount: 0 },
  ]);
});

test("an asset of a merged record keeps its event, which is of the record that stays", () => {
  const [root, other] = [sighting(30), sighting(10, { asset: 2 })];
  const merged = (until?: number, more: Spell[] = []) => [
    counted(published(10), until, { record: 101, asset: 2 }),
    ...more,
  ];
  const first = sighting(25, { asset: 3 });
  const spells = new Map([
    [first.id, [counted(published(25), published(5), { record: 101, asset: 3 })]],
    [other.id, merged(published(5), [counted(published(5), undefined, { asset: 2, isMoved: true })])],
  ]);
  const roots = new Map([
    [100, 100],
    [101, 100],
  ]);
  const city = [record([root, first, other], { assets: [1, 2, 3].map((id) => asset(id)) })];
  expect(
    events(city, [], { spells, roots }).map(({ type, detectedAt, record: of }) => [type, detectedAt, of]),
  ).toEqual([
    ["new_observed_asset", published(10), 100],
    ["new_public_record", published(30), 100],
  ]);
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
  const events = cityEvents([record(sightings, { assets: [asset(1), asset(2)] })], [], AS_OF);
  expect(events.map(({ type, assetPublicId }) => [type, assetPublicId])).toEqual([
    ["new_observed_asset", "ex_asset_2"],
    ["new_public_record", null],
  ]);
});

test("a wrapped vehicle is an event of its own, with a new record too", () => {
  const wrap = { asset: 1, assetType: "vehicle_wrap", fine: false } as const;
  const events = types([record([sighting(20, wrap)], { assets: [asset(1, { assetType: "vehicle_wrap" })] })]);
  expect(events.sort()).toEqual(["new_public_record", "new_wrapped_fleet_asset"]);
});

/** A storefront last seen 250 days ago. */
const unseen = (changes: Partial<EventAsset> = {}, seen: Partial<Sighting> = {}) => [
  record([sighting(250, { asset: 1, ...seen })], { assets: [asset(1, changes)] }),
];

const staleEvent = (records: readonly EventRecord[], looks: readonly LookRow[]) =>
  cityEvents(records, looks, AS_OF).find(({ type }) => type === "stale_asset");

test("a fixed asset is stale once 180 days are over and a later month says that its cell was looked at", () => {
  expect(staleEvent(unseen(), [month(240, 200)])).toMatchObject({
    type: "stale_asset",
    detectedAt: (TODAY - 70) * DAY_MS, // day 180 after the sighting
    assetPublicId: "ex_asset_1",
    confidence: 0.7,
    monthsLooked: 1,
    label: "derived",
    evidenceCount: 1,
  });
  expect(staleEvent(unseen(), [month(60, 10)])?.detectedAt).toBe(published(10));
});

test("text, number and confidence say in how many months, until it was seen again", () => {
  const looks = [month(240, 200), month(210, 170), month(60, 20)];
  const [one, three] = [staleEvent(unseen(), looks.slice(0, 1)), staleEvent(unseen(), looks)];
  expect(one?.summary).toMatch(
    /^The storefront of Example Bakery [^.]*; its area was visited in 1 later month without/,
  );
  expect(three?.summary).toContain("in 3 later months without");
  expect(three).toMatchObject({ id: one?.id, monthsLooked: 3, confidence: 0.8 });
  const [city] = unseen();
  if (city === undefined) throw new Error("no city");
  const again = { ...city, sightings: judge([...city.sightings, sighting(50, { asset: 1 })]) };
  expect(staleEvent([again], looks)).toMatchObject({ id: one?.id, monthsLooked: 2, confidence: 0.75 });
});

test("the day that a stale asset was last observed is that of its last accepted sighting", () => {
  const seen = (lastVerdict: Sighting["verdict"], firstVerdict?: Sighting["verdict"]) => {
    const sightings = [
      sighting(255, { asset: 1, verdict: firstVerdict }),
      sighting(250, { asset: 1, verdict: lastVerdict }),
    ];
    const spells = new Map(sightings.map(({ id, publishedAt }) => [id, [counted(publishedAt)]]));
    return events([record(sightings, { assets: [asset(1)] })], [month(240, 200)], { spells }).find(
      ({ type }) => type === "stale_asset",
    );
  };
  const [accepted, rejected, nothing] = [seen(undefined), seen("rejected"), seen("rejected", "rejected")];
  expect(accepted?.summary).toContain(`, the newest of ${dayText(isoDate((TODAY - 250) * DAY_MS))};`);
  expect(rejected?.summary).toContain(`, the newest of ${dayText(isoDate((TODAY - 255) * DAY_MS))};`);
  expect(nothing?.summary).toContain(
    "has only observations that were since rejected in review, set aside or moved; its area",
  );
  expect([rejected?.id, nothing?.id]).toEqual([accepted?.id, accepted?.id]);
});

test("an id is made of what cannot change: type, subject, and the day on which a stale asset was last seen", () => {
  const id = (...parts: string[]) => `evt_${sha256Hex(JSON.stringify(parts)).slice(0, 24)}`;
  const [stale, created] = cityEvents(unseen(), [month(240, 200)], AS_OF);
  expect(stale?.id).toBe(id("stale_asset", "ex_asset_1", isoDate((TODAY - 250) * DAY_MS)));
  expect(created?.id).toBe(id("new_public_record", "ex_record"));
});

test("sightings that do not count postpone nothing, and a sighting set aside later leaves what it postponed", () => {
  const [old, more] = [sighting(250, { asset: 1 }), sighting(100, { asset: 1, ...APART })];
  const of = (spells?: readonly Spell[]) =>
    events([record([old, more], { assets: [asset(1)] })], [month(240, 200)], {
      ...(spells && { spells: new Map([[more.id, spells]]) }),
    }).filter(({ type }) => type === "stale_asset");
  const stale = (TODAY - 70) * DAY_MS;
  expect(of()).toMatchObject([{ detectedAt: stale, evidenceCount: 1 }]);
  // It counted until it was set aside: only then is the asset known to have gone unseen since the sighting before.
  expect(of([counted(published(100), published(60))])).toMatchObject([{ detectedAt: published(60) }]);
  // It began to count when the event had been told.
  expect(of([counted(published(40), published(30))])).toMatchObject([{ detectedAt: stale }]);
});

test("an asset that was stale before it moved is not stale anew", () => {
  const seen = sighting(250, { asset: 1 });
  const spells = new Map([
    [
      seen.id,
      [
        counted(published(250), published(30)),
        counted(published(30), undefined, { record: 200, isMoved: true }),
      ],
    ],
  ]);
  const city = [record([]), record([seen], { id: 200, publicId: "ex_rival", assets: [asset(1)] })];
  expect(events(city, [month(240, 200)], { spells }).map(({ type, record: of }) => [type, of])).toEqual([
    ["stale_asset", 100],
    ["new_public_record", 100],
  ]);
});

const isStale = (records: readonly EventRecord[], looks = [month(60, 10)]) =>
  types(records, looks).includes("stale_asset");

test("nobody looked, looked elsewhere, only found other things, or only in the month of the sighting: not stale", () => {
  expect(isStale(unseen())).toBe(true);
  expect(isStale(unseen(), [])).toBe(false);
  expect(isStale(unseen(), [month(60, 10, "882b9bc003fffff")])).toBe(false);
  expect(isStale(unseen(), [month(250, 200)])).toBe(false);
  expect(isStale(unseen(), [{ ...month(60, 10), span: "week" }])).toBe(false);
  const neighbor = record([sighting(10, { asset: 9 })], { id: 101, publicId: "ex_neighbor" });
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
  expect(isStale([record(both, { assets: [asset(1)] })])).toBe(true);
});

test("of several months the row published first tells", () => {
  expect(staleEvent(unseen(), [month(100, 40), month(70, 55)])?.detectedAt).toBe(published(55));
});

test("a vehicle is stale by age alone, and says so", () => {
  const wrap = { assetType: "vehicle_wrap" } as const;
  const van = unseen(wrap, { ...wrap, cell: cellToParent(CELL, 5), fine: false });
  const event = staleEvent(van, []);
  expect(event?.detectedAt).toBe((TODAY - 160) * DAY_MS); // day 90 after the sighting
  expect(event?.summary).toMatch(
    /^The vehicle wrap of Example Bakery [^.]*; nobody has reported it for long/,
  );
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
  expect(events[0]).toMatchObject({ confidence: 0.75, label: "derived", evidenceCount: 1 });
});

test("a check before the record was public is told when it is", () => {
  const checks = [{ checkedAt: published(40), verdict: "none" }] as const;
  const gap = cityEvents([record([sighting(20)], { checks })], [], AS_OF).find(
    ({ asset: of, type }) => !of && type === "digital_gap_detected",
  );
  expect(gap?.detectedAt).toBe(published(20));
});

test("a gap that was closed before the record counted is not told of", () => {
  const checks = [
    { checkedAt: published(40), verdict: "none" },
    { checkedAt: published(30), verdict: "detected" },
  ] as const;
  expect(types([record([sighting(20)], { checks })])).toEqual(["new_public_record"]);
});

test("a rejection leaves the event, without evidence and with a note", () => {
  const rejected = sighting(20, { verdict: "rejected" });
  const spells = new Map([[rejected.id, [counted(published(20), published(5))]]]);
  const [event] = events([record([rejected])], [], { spells });
  expect(event).toMatchObject({
    type: "new_public_record",
    evidenceCount: 0,
    confidence: 0,
    state: null,
    strongestState: null,
    label: "review_needed",
  });
  expect(event?.summary).toContain(
    "Every observation behind this event has since been rejected in review, set aside or",
  );
});

/** A city of two records with one asset each per drawn asset. */
const cities = anySightings({ minLength: 2 }).map((drawn) =>
  [...Map.groupBy(drawn, ({ asset: of }) => of % 2)].map(([id, sightings]): EventRecord => {
    const assets = [...new Set(sightings.map(({ asset: of }) => of))].map((of) => asset(of));
    return record(sightings, { id, publicId: `ex_${id}`, assets });
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

test("every sentence with the name of a made-up record says that it is made up", () => {
  fc.assert(
    fc.property(cities, looksOfCity, (city, looks) => {
      for (const { headline, summary } of cityEvents(
        city.map((each) => ({ ...each, isSynthetic: true })),
        looks,
        AS_OF,
      ))
        expect(`${headline} ${summary}`.replaceAll("Example Bakery (made up)", "")).not.toContain(
          "Example Bakery",
        );
    }),
  );
});

test("months looked at are those since an asset's newest sighting, and nobody looks for a vehicle", () => {
  const sightings = [sighting(250, { asset: 9 }), sighting(200, { asset: 1 }), sighting(150, { asset: 1 })];
  const wrap = sighting(200, { asset: 2, assetType: "vehicle_wrap", fine: false });
  const assets = [asset(1), asset(2, { assetType: "vehicle_wrap" })];
  const told = cityEvents(
    [record([...sightings, wrap], { assets })],
    [month(190, 160), month(140, 110)],
    AS_OF,
  );
  expect(told.map(({ type, monthsLooked }) => [type, monthsLooked]).sort()).toEqual([
    ["new_observed_asset", 1],
    ["new_public_record", null],
    ["new_wrapped_fleet_asset", null],
    ["stale_asset", null],
  ]);
});

test("an empty city has no events", () => {
  expect(cityEvents([], [], AS_OF)).toEqual([]);
  expect(cityEvents([record([])], [], AS_OF)).toEqual([]);
});
