import { gridDistance, latLngToCell } from "h3-js";
import { describe, expect, test } from "vitest";
import {
  sighting,
  type TestLedger,
  testLedger,
  vouchFor,
} from "../../../tests/support/ledger/intake-ledger.ts";
import { rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";
import { applyDueChanges } from "../sources/due-changes.ts";
import { appendReview } from "./decide.ts";
import { reteach } from "./reteach.ts";

const RIVAL = { name: "Rival Bakery", lat: 40.01, lng: -75.01 };
const EVIL = { name: "Evil Bakery", lat: 40.02, lng: -75.02 };
const ELSEWHERE = { lat: 39.98, lng: -75.02 };
const SITE = { website: "https://rival.example" };
const PHONE = { phone: "+1 416 555 0100" };
const VAN = { asset_type: "vehicle_wrap" };
const TRUSTED = ["ann", "bob", "cyd"];

const DESK = { reason: "seen", reviewer: "desk" };

type Changes = Parameters<typeof sighting>[1];

/** Ann, Bob and Cyd count; nobody else does. */
function town(): TestLedger {
  const it = testLedger();
  vouchFor(it, ...TRUSTED);
  return it;
}

let refs = 0;

/** Each sighting comes alone: its record. */
async function seen(
  it: TestLedger,
  observer: string | null,
  ...lines: readonly Changes[]
): Promise<number[]> {
  for (const line of lines) {
    refs += 1;
    const by = observer === null ? { source: null } : { observer };
    await it.ingest([sighting(`${refs}`, { ...by, ...line })], { random: seededBy(refs) });
  }
  return it
    .rows("observation")
    .slice(-lines.length)
    .map(({ body }) => Number(body["record"]));
}

function seededBy(seed: number) {
  let drawn = 0;
  return (size: number) =>
    Buffer.from(Array.from({ length: size }, (_, at) => (seed * 31 + at * 7 + drawn++) % 256));
}

/** Each of those who count sees it. */
async function seenByAll(it: TestLedger, line: Changes): Promise<Set<number>> {
  const records = new Set<number>();
  for (const observer of TRUSTED) for (const record of await seen(it, observer, line)) records.add(record);
  return records;
}

function namesOf(it: TestLedger, record: number): unknown[] {
  const names = "SELECT DISTINCT name_key FROM record_names WHERE record = ? AND level > 0 ORDER BY 1";
  return rawLedger(it.ledger).prepare(names).pluck().all(record);
}

/** Candidates of match reviews, with those of this night. */
function items(it: TestLedger): unknown[] {
  applyDueChanges(it.ledger);
  return it.rows("naming").flatMap(({ private: hidden }) => hidden["match_candidates"] ?? []);
}

describe("an observer who does not count", () => {
  test.each([
    ["a website", SITE],
    ["a telephone", PHONE],
  ])("that names a rival's contact first gets nothing: %s", async (_, contact) => {
    using it = town();
    const [evil = 0] = await seen(it, "eve", { ...EVIL, ...contact }, { ...RIVAL, ...contact });
    const rival = await seenByAll(it, { ...RIVAL, ...contact });
    expect(rival).not.toContain(evil);
    expect(rival.size).toBe(1);
    expect(namesOf(it, evil)).toEqual([]);
    expect(rawLedger(it.ledger).prepare("SELECT DISTINCT record FROM record_contacts").pluck().all()).toEqual(
      [...rival],
    );
  });

  test("who names a rival at its place, before or after it is listed, changes nothing", async () => {
    using it = town();
    const [first] = await seen(it, "eve", { ...RIVAL, ...SITE });
    const rival = await seenByAll(it, RIVAL);
    expect([...rival]).toEqual([first]); // adopted
    const [again] = await seen(it, "eve", { ...RIVAL, website: "evil.example" });
    expect(again).toBe(first);
    expect(await seenByAll(it, { ...EVIL, website: "evil.example" })).not.toContain(first);
  });

  test.each(["Rival Bakkery", "Rivаl Bakery", "Rival", "RIVAL BAKERY 2"])(
    "who writes %s at the rival's place diverts nothing and raises no item",
    async (name) => {
      using it = town();
      const rival = await seenByAll(it, { ...RIVAL, ...SITE });
      await seen(it, "eve", { ...RIVAL, ...SITE, name });
      expect(await seenByAll(it, { ...RIVAL, ...SITE })).toEqual(rival);
      expect(items(it)).toEqual([]);
    },
  );

  test("who names a brand, a vehicle or a reference first keeps none of them", async () => {
    using it = town();
    const brand = { name: "Pizza Castle" };
    await seen(
      it,
      "eve",
      { ...brand, ...ELSEWHERE },
      { ...RIVAL, ...VAN },
      { ...EVIL, ...VAN, asset_ref: "plate" },
    );
    const castle = await seenByAll(it, { ...brand, lat: RIVAL.lat, lng: RIVAL.lng });
    expect(await seenByAll(it, { ...brand, lat: EVIL.lat, lng: EVIL.lng })).toEqual(castle);
    const rival = await seenByAll(it, RIVAL);
    expect(await seenByAll(it, { ...RIVAL, ...VAN })).toEqual(rival);
    const [van] = await seen(it, "ann", { ...RIVAL, ...VAN, asset_ref: "plate" });
    expect(rival.has(van ?? 0)).toBe(true);
  });

  test("does not make of one vehicle two by saying that it was elsewhere", async () => {
    using it = town();
    const at = (hour: number, place: object) => ({
      ...RIVAL,
      ...VAN,
      ...place,
      observed_at: `2026-05-01T${hour}:00:00Z`,
    });
    await seen(it, "ann", at(10, {}));
    await seen(it, "eve", at(11, { lat: 40.04, lng: -75.03 }));
    await seen(it, "bob", at(11, {}));
    const [ann, , bob] = it.rows("observation").map(({ body }) => body["asset"]);
    expect(bob).toBe(ann);
  });

  test("raises no item, however many lines it sends", async () => {
    using it = town();
    await seenByAll(it, { ...RIVAL, ...SITE });
    for (let at = 0; at < 8; at += 1)
      await seen(
        it,
        "eve",
        { ...RIVAL, ...SITE, ...ELSEWHERE, lat: 39.98 + at * 0.001 },
        { ...RIVAL, name: `Rival Bakery ${"x".repeat(at)}` },
      );
    expect(items(it)).toEqual([]);
    expect(it.rows("naming").some(({ body }) => body["match_review"] === true)).toBe(false);
  });
});

/** In a row of neighboring cells. */
const [FIRST = RIVAL, OWN = RIVAL, LAST = RIVAL] = [40.01, 40.0104, 40.0108].map((lat) => ({
  ...RIVAL,
  lat,
}));

test("one observer who counts, around a rival's place before it is listed, takes nothing from what two others see", async () => {
  using it = town();
  await seen(it, "cyd", { ...FIRST }, { ...LAST });
  for (const observer of ["ann", "bob"]) await seen(it, observer, { ...OWN }, { ...FIRST }, { ...LAST });
  const theirs = it.rows("observation").slice(2);
  expect(new Set(theirs.map(({ body }) => body["record"])).size).toBe(1);
  expect(new Set(theirs.map(({ body }) => body["asset"])).size).toBe(1);
});

test("nor does one who stands two cells away on both sides; a reviewer is asked about the two records", async () => {
  using it = town();
  const around = [FIRST.lat - 0.0004, LAST.lat + 0.0004].map((lat) => ({ ...RIVAL, lat }));
  const [before, after] = await seen(it, "cyd", ...around);
  const theirs = [
    ...(await seen(it, "ann", { ...OWN })),
    ...(await seen(it, "bob", { ...FIRST }, { ...LAST })),
    ...(await seen(it, "ann", { ...FIRST }, { ...LAST })),
  ];
  expect(new Set(theirs)).toEqual(new Set([before]));
  expect(
    new Set(
      it
        .rows("observation")
        .slice(2)
        .map(({ body }) => body["asset"]),
    ).size,
  ).toBe(1);
  expect(items(it)).toEqual([before]);
  expect(it.rows("naming").at(-1)?.body).toMatchObject({ record: after, match_review: true });
});

test("what two observers saw is still found where only the first one of them was", async () => {
  using it = town();
  const [record = 0] = await seen(it, "ann", { ...OWN });
  await seen(it, "bob", { ...LAST });
  expect(await seenByAll(it, { ...FIRST })).toEqual(new Set([record]));
  expect(it.rows("asset")).toHaveLength(1);
});

describe("lines without a source", () => {
  const [first, own, last] = [FIRST, OWN, LAST];

  test("around a rival's place, before or after it is listed, divert nothing", async () => {
    using it = town();
    const cells = [first, own, last].map(({ lat = 0, lng = 0 } = RIVAL) => latLngToCell(lat, lng, 11));
    expect(cells.slice(1).map((cell, at) => gridDistance(cells[at] ?? "", cell))).toEqual([1, 1]);
    await seen(it, null, { ...first }, { ...last });
    expect(it.rows("record")).toHaveLength(2);
    const rival = await seenByAll(it, { ...own });
    for (const line of [first, last])
      for (const record of await seenByAll(it, { ...line })) rival.add(record);
    expect(rival.size).toBe(1);
  });

  test("raise no item, and are no candidates", async () => {
    using it = town();
    const [rival] = await seenByAll(it, { ...RIVAL, ...PHONE });
    await seen(it, null, { ...RIVAL, name: "Rivel Bakery" }, { ...RIVAL, ...PHONE, name: "Harbour Ropes" });
    await seen(it, null, { ...EVIL });
    await seenByAll(it, { ...EVIL, name: "Evil Bakkery" });
    expect(rival).toBeDefined();
    expect(items(it)).toEqual([]);
  });

  test("do not make the name of a rival's vehicle ambiguous", async () => {
    using it = town();
    await seen(it, null, { ...RIVAL, ...ELSEWHERE }, { ...RIVAL, lat: 39.97 });
    const rival = await seenByAll(it, RIVAL);
    for (const van of [VAN, { ...VAN, asset_ref: "plate" }])
      expect(await seenByAll(it, { ...RIVAL, ...VAN, ...van })).toEqual(rival);
  });

  test("teach names and places where nobody else does, and keep them when a reviewer names the record", async () => {
    using it = town();
    const [record = 0] = await seen(it, null, { ...RIVAL });
    const naming = { record, name: "Rival Bakery House", website: null, industry: null, match_review: false };
    it.ledger.transaction(() => {
      it.ledger.append({ kind: "naming", body: { ...naming, industry_method: "unclassified", ...DESK } });
      reteach(it.ledger, [record]);
    });
    const again = await seen(it, null, { ...RIVAL }, { ...RIVAL, name: naming.name });
    expect(again).toEqual([record, record]);
  });
});

describe("an adopted record", () => {
  test("gives its id and its asset there, and nothing else", async () => {
    using it = town();
    const lines = [
      { ...RIVAL, ...SITE },
      { ...RIVAL, asset_type: "billboard" },
    ];
    const [record] = await seen(it, "eve", ...lines);
    const [adopted] = await seen(it, "ann", RIVAL);
    expect(adopted).toBe(record);
    expect(it.rows("asset")).toHaveLength(2);
    expect(namesOf(it, record ?? 0)).toEqual(["rival bakery"]);
    expect(
      rawLedger(it.ledger).prepare("SELECT count(*) FROM record_names WHERE level = 0").pluck().get(),
    ).toBe(0);
    expect(rawLedger(it.ledger).prepare("SELECT count(*) FROM record_contacts").pluck().get()).toBe(0);
  });

  test("is called what its first counting row says from that night on, and has no website", async () => {
    using it = town();
    const [record] = await seen(it, "eve", {
      ...RIVAL,
      name: "RIVAL BAKERY!",
      website: "https://evil.example",
    });
    applyDueChanges(it.ledger);
    await seen(it, "ann", { ...RIVAL, ...SITE });
    expect(applyDueChanges(it.ledger)).toMatchObject({ namings: 1 });
    const shown = it.rows("naming").map(({ body }) => [body["record"], body["name"], body["website"]]);
    expect(shown).toEqual([
      [record, "RIVAL BAKERY!", null],
      [record, "Rival Bakery", null],
    ]);
  });

  test("is not adopted by a row of who runs it", async () => {
    using it = town();
    const [record = 0] = await seen(it, "eve", RIVAL);
    const { principal } =
      it.ledger.sources.observers().find(({ observer, principal: own }) => observer === own) ?? {};
    it.ledger.transaction(() =>
      it.ledger.sources.addAffiliation({ principal: String(principal), subject: `record ${record}` }),
    );
    for (const observer of TRUSTED) await seen(it, observer, RIVAL);
    const counts = it.rows("observation").map(({ body }) => [body["record"], body["counts"]]);
    expect(counts.filter(([, counted]) => counted === false)).toEqual([
      [record, false],
      [record, false],
    ]);
  });
});

describe("what decides", () => {
  test("name and place, whatever the contact says", async () => {
    using it = town();
    const evil = await seenByAll(it, { ...EVIL, ...SITE });
    const rival = await seenByAll(it, { ...RIVAL, ...SITE });
    expect(rival.size).toBe(1);
    expect([...rival].some((record) => evil.has(record))).toBe(false);
  });

  test("name and a contact that two principals taught, at another place", async () => {
    using it = town();
    const [rival] = await seen(it, "ann", { ...RIVAL, ...PHONE }, { ...RIVAL, ...PHONE });
    const [other] = await seen(it, "ann", { ...RIVAL, ...PHONE, ...ELSEWHERE });
    expect(other).not.toBe(rival);
    await seen(it, "bob", { ...RIVAL, ...PHONE });
    const [moved] = await seen(it, "cyd", { ...RIVAL, ...PHONE, lat: 39.97 });
    expect(moved).toBe(rival);
  });

  test("a built-in source teaches no contact", async () => {
    using it = town();
    const [rival] = await seen(it, null, { ...RIVAL, ...PHONE });
    await seen(it, "ann", { ...RIVAL, ...PHONE });
    const [other] = await seen(it, "cyd", { ...RIVAL, ...PHONE, ...ELSEWHERE });
    expect(other).not.toBe(rival);
  });

  test("near name, place and a taught contact together; without the contact it is an item when seen again", async () => {
    using it = town();
    const [rival] = [...(await seenByAll(it, { ...RIVAL, ...PHONE }))];
    const [misread] = await seen(it, "ann", { ...RIVAL, ...PHONE, name: "Rival Bakkery" });
    expect(misread).toBe(rival);
    const [proposed] = await seen(it, "ann", { ...RIVAL, name: "Rivel Bakery" });
    expect(proposed).not.toBe(rival);
    expect(items(it)).toEqual([]);
    await seen(it, "eve", { ...RIVAL, name: "Rivel Bakery" });
    await seen(it, null, { ...RIVAL, name: "Rivel Bakery" });
    expect(items(it)).toEqual([]);
    await seenByAll(it, { ...RIVAL, name: "Rivel Bakery" });
    expect(items(it)).toEqual([rival]);
    expect(it.rows("naming").at(-1)?.body).toMatchObject({ record: proposed, match_review: true });
    await seenByAll(it, { ...RIVAL, name: "Rivel Bakery" });
    expect(items(it)).toEqual([rival]);
  });

  test("a near name waits for its second line no longer than both records stand by themselves", async () => {
    using it = town();
    const [rival = 0] = await seenByAll(it, RIVAL);
    const [near = 0] = await seen(it, "ann", { ...RIVAL, name: "Rivel Bakery" });
    appendReview(it.ledger, { decision: "merge", target: near, into: rival, ...DESK });
    expect(it.ledger.intake.nearWaiting()).toEqual([]);
  });

  test("place and contact under another name make a record of its own and one item", async () => {
    using it = town();
    const [mall] = [...(await seenByAll(it, { ...RIVAL, ...PHONE }))];
    const other = await seenByAll(it, { ...RIVAL, ...PHONE, name: "Harbour Ropes" });
    expect(other.size).toBe(1);
    expect(items(it)).toEqual([mall]);
  });

  test("the same name elsewhere is an item only with a shared contact", async () => {
    using it = town();
    const [rival] = await seen(it, "ann", { ...RIVAL, ...PHONE });
    await seen(it, "bob", { ...RIVAL, ...ELSEWHERE });
    expect(items(it)).toEqual([]);
    await seen(it, "bob", { ...RIVAL, ...PHONE, lat: 39.97 });
    expect(items(it)).toEqual([rival]);
  });

  test("one false sign does not shatter a fleet", async () => {
    using it = town();
    await seenByAll(it, RIVAL);
    await seen(it, "ann", { ...RIVAL, ...ELSEWHERE });
    const vans = await seenByAll(it, { ...RIVAL, ...VAN, lat: 40.03 });
    expect(vans.size).toBe(1);
  });

  test("twins that are kept apart, by a taught contact, else by the nearest centre of exact places", async () => {
    using it = town();
    const [one, other] = [RIVAL, { ...RIVAL, lat: RIVAL.lat + 0.0003 }];
    const east = await seenByAll(it, { ...one, ...PHONE });
    const west = await seenByAll(it, { ...other, name: "Harbour Ropes", ...SITE });
    const [first = 0, second = 0] = [...east, ...west];
    it.ledger.transaction(() => {
      const naming = { record: second, name: RIVAL.name, website: null, industry: null, match_review: false };
      it.ledger.append({ kind: "naming", body: { ...naming, industry_method: "unclassified", ...DESK } });
      reteach(it.ledger, [first, second]);
    });
    appendReview(it.ledger, { decision: "apart", target: first, into: second, ...DESK });
    expect(await seen(it, "ann", one, other, { ...one, ...SITE }, { ...other, ...PHONE })).toEqual([
      ...[first, second, second, first],
    ]);
  });
});
