/** Each of these attacks succeeded at 16fb1af. The long form is `npm run adversary -- --sightings 100000`. */
import { expect, test } from "vitest";
import { BRANDS, makeTown } from "../../../../build-scripts/match/made-town.ts";
import { erase } from "../../../../src/intake/erasure/erase.ts";
import { planOptOut } from "../../../../src/intake/erasure/erasure-plan.ts";
import { classifier } from "../../../../src/intake/matching/classify.ts";
import { enrol } from "../../../../src/intake/sources/source-desk.ts";
import { nameKey } from "../../../../src/kernel/text/name-key.ts";
import { sighting, type TestLedger, testLedger } from "../../../support/ledger/intake-ledger.ts";
import { THEFTS } from "./thefts.ts";
import { playThefts, type Thief } from "./thieves.ts";

const brands = classifier({
  brands: new Map([...BRANDS, "Pizza Hut"].map((name) => [nameKey(name), "5610"])),
  keywords: new Map(),
});
const TOWN = makeTown(5, 50, 4);
const SURROUNDED = makeTown(1, 30);
const ALL = {
  name: "all",
  title: "",
  signs: (...args: Parameters<(typeof THEFTS)[0]["signs"]>) => THEFTS.flatMap(({ signs }) => signs(...args)),
};

test.each<Thief>(["newcomers", "set-aside"])("all thefts together, by %s", async (thief) => {
  const [toll] = await playThefts(TOWN, [ALL], thief, { classifier: brands, seed: 1 });
  if (toll === undefined) throw new Error("nothing was played");
  expect(toll.sightings).toBeGreaterThan(90);
  expect(toll.setAside).toBe(0);
  expect(toll.diverted.map(({ input }) => input.name)).toEqual([]);
  if (thief === "set-aside") return;
  expect(toll.changed).toEqual([]);
  expect(toll.items).toBeLessThanOrEqual(0);
});

/** All together hide these two: what is around takes the places of what is further away. */
test.each(["around", "far-around"])(
  "an established observer's lines %s a place divert nothing",
  async (name) => {
    const thefts = THEFTS.filter((theft) => theft.name === name);
    const [toll] = await playThefts(SURROUNDED, thefts, "established", { classifier: brands, seed: 1 });
    expect(toll?.sightings).toBeGreaterThan(200);
    expect(toll?.diverted.map(({ input }) => input.name)).toEqual([]);
  },
);

const EVIL = "https://evil.example/";
const RIVAL_PLACE = { lat: 40.003, lng: -75.003 };

async function attacked(): Promise<TestLedger> {
  const it = testLedger();
  const scouts = ["scout-1", "scout-2", "scout-3"];
  for (const observer of scouts) enrol(it.ledger, { source: "scout", observer }, { isVouched: true });
  const stranger = { observer: "stranger", website: EVIL };
  await it.ingest([
    sighting("evil 1", { ...stranger, name: "Evil Bakery" }),
    sighting("evil 2", { ...stranger, name: "Rival Bakery", ...RIVAL_PLACE }),
    sighting("evil 3", { ...stranger, name: "Rival 💩☠ Bakery #666", ...RIVAL_PLACE }),
  ]);
  const seen = (name: string, place: object) =>
    Array.from({ length: 12 }, (_, at) =>
      sighting(`${name} ${at}`, {
        observer: scouts[at % 3],
        observed_at: `2026-05-0${1 + (at % 9)}T1${at % 3}:25:10Z`,
        name,
        website: EVIL,
        ...place,
      }),
    );
  await it.ingest([...seen("Rival Bakery", RIVAL_PLACE), ...seen("New Cafe", { lat: 40.006, lng: -75.006 })]);
  return it;
}

/** Reference -> the record of its row. */
function recordsOf(it: TestLedger): Map<unknown, unknown> {
  return new Map(
    it.rows("observation").map(({ body, private: hidden }) => [hidden["source_ref"], body["record"]]),
  );
}

test("a website named first takes no sightings of others (Evil Bakery, New Cafe)", async () => {
  using it = await attacked();
  const records = recordsOf(it);
  const [evil, rival, cafe] = ["evil 1", "Rival Bakery 0", "New Cafe 0"].map((ref) => records.get(ref));
  expect(new Set([evil, rival, cafe]).size).toBe(3);
  for (let at = 0; at < 12; at += 1) {
    expect(records.get(`Rival Bakery ${at}`)).toBe(rival);
    expect(records.get(`New Cafe ${at}`)).toBe(cafe);
  }
});

test("an opt-out of a stranger's record bans no name of others", async () => {
  using it = await attacked();
  await it.ingest([sighting("evil 4", { observer: "stranger", name: "New Cafe" })]);
  const stolen = it
    .rows("record")
    .filter(({ id }) => [recordsOf(it).get("evil 1"), recordsOf(it).get("evil 4")].includes(id));
  for (const { body } of stolen) {
    const target = String(body["public_id"]);
    erase(it.ledger, planOptOut(it.ledger, { kind: "opt_out", target, reason: "owner_request" }));
  }
  const more = ["Rival Bakery", "New Cafe"].map((name) =>
    sighting(`${name} again`, {
      observer: "scout-1",
      observed_at: "2026-05-09T17:25:10Z",
      name,
      ...(name === "New Cafe" ? { lat: 40.006, lng: -75.006 } : RIVAL_PLACE),
    }),
  );
  expect(await it.ingest(more)).toMatchObject({ accepted: 2, held: 0, refused: 0 });
});
