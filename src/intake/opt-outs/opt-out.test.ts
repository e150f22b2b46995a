/** Opt-outs on a real ledger: what intake refuses afterwards, what waits for review, and what passes. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  countedRandom,
  NOW,
  sighting,
  type TestLedger,
  testLedger,
  vouchFor,
} from "../../../tests/support/ledger/intake-ledger.ts";
import { rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";
import { homePaths } from "../../kernel/home.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { doneBefore, erase } from "../erasure/erase.ts";
import { type ErasureRequest, planOptOut, planWrongRecord } from "../erasure/erasure-plan.ts";
import { intakeHashes, readSighting } from "../lines/sighting.ts";
import { OptOutJudge } from "./judge.ts";
import type { OptOutPart } from "./plan-opt-out.ts";

const HERE = { lat: 40.001, lng: -75.001 };
const THERE = { lat: 40.02, lng: -75.02 };
const FAR = { lat: 39.99, lng: -74.98 };
const NAME = "Same Name Plumbing";
const VAN = { asset_type: "vehicle_wrap", asset_ref: "van-17" };

type Changes = NonNullable<Parameters<typeof sighting>[1]>;

/** Each line comes from two observers whom the operator vouched for, so what it says is taught. */
async function taken(...lines: Changes[]): Promise<TestLedger> {
  const it = testLedger();
  await teach(it, "before", ...lines);
  return it;
}

async function teach(it: TestLedger, ref: string, ...lines: Changes[]): Promise<void> {
  for (const observer of ["first", "second"]) {
    vouchFor(it, observer);
    await take(it, `${ref}-${observer}`, ...lines.map((line) => ({ observer, ...line })));
  }
}

/** Lines of a newcomer, whose rows do not count. */
function take(it: TestLedger, ref: string, ...lines: Changes[]) {
  const sightings = lines.map((line, at) => sighting(`${ref}-${at}`, { name: NAME, ...HERE, ...line }));
  return it.ingest(sightings, { random: countedRandom(ref) });
}

function publicId(it: TestLedger, kind: "record" | "asset", at = 0): string {
  return String(it.rows(kind)[at]?.body["public_id"]);
}

const request = (target: string, part?: OptOutPart, also?: readonly string[]): ErasureRequest => ({
  kind: "opt_out",
  target,
  reason: "owner_request",
  part,
  also,
});

function optOut(it: TestLedger, part?: OptOutPart, also?: readonly string[]) {
  const plan = planOptOut(it.ledger, request(publicId(it, "record"), part, also));
  erase(it.ledger, plan);
  return plan;
}

/** The public id of the record of that name. */
function recordOf(it: TestLedger, name: string): string {
  const named = it.rows("naming").find(({ body }) => body["name"] === name);
  return String(it.rows("record").find(({ id }) => id === named?.body["record"])?.body["public_id"]);
}

function optOutOf(it: TestLedger, name: string, also?: readonly string[]) {
  const plan = planOptOut(it.ledger, request(recordOf(it, name), undefined, also));
  erase(it.ledger, plan);
  return plan;
}

/** What becomes of one more line. */
async function fate(it: TestLedger, ref: string, line: Changes): Promise<"refused" | "held" | "accepted"> {
  const { rejectedByReason, held, accepted } = await take(it, ref, line);
  if (held === 1) return "held";
  expect(rejectedByReason).toEqual(accepted === 1 ? {} : { opted_out: 1 });
  return accepted === 1 ? "accepted" : "refused";
}

describe("a whole record", () => {
  // Reproduced by an outside reader: both came back as new records.
  test("does not come back under more words with its website, or a misspelling with its reference", async () => {
    using it = await taken({ website: "https://same-name.example", ...VAN });
    optOut(it);
    expect(
      await fate(it, "words", { name: "Same Name Plumbing & Heating", website: "same-name.example", ...FAR }),
    ).toBe("refused");
    expect(await fate(it, "misspelled", { name: "Saem Name Plumbing", ...VAN, ...THERE })).toBe("refused");
    expect(it.rows("record")).toEqual([]);
  });

  test.each<[string, Changes, "refused" | "held" | "accepted"]>([
    ["the name alone, elsewhere", { name: NAME, ...FAR }, "refused"],
    ["a near name and the phone", { name: "Same Name", phone: "+1 519 555 0199", ...FAR }, "refused"],
    ["a near name and the address", { name: "Same Name", address: "1 HIGH ST., Unit 2", ...FAR }, "refused"],
    ["a near name and the website", { name: "Same Name", website: "www.same.example/", ...FAR }, "refused"],
    ["a near name and the reference", { name: "Same Name", asset_ref: "sign-1", ...FAR }, "refused"],
    ["a near name at the place", { name: "Samee Name Plumbers" }, "accepted"],
    ["a near name a few meters away", { name: "Same Name Plumbingg", lat: 40.0012 }, "held"],
    ["a near name alone, elsewhere", { name: "Same Name", ...FAR }, "accepted"],
    ["another name with the website", { name: "Rossi Bakery", website: "same.example", ...FAR }, "accepted"],
    ["another name at the place", { name: "Rossi Bakery" }, "accepted"],
  ])("%s", async (_, line, expected) => {
    using it = await taken({
      ...{ website: "https://same.example", phone: "519-555-0199" },
      ...{ address: "1 High St, Unit 2", asset_ref: "sign-1" },
    });
    optOut(it);
    expect(await fate(it, "after", line)).toBe(expected);
  });

  test("what others share never refuses by itself, but does at the place, and for good", async () => {
    using it = await taken({ website: "chain.example", phone: "519 555 0100" });
    // Another record with the website and the telephone.
    await teach(it, "chain", {
      name: "Chain Foods",
      website: "chain.example",
      phone: "519 555 0100",
      ...THERE,
    });
    optOut(it);
    const shared = { name: "Same Name", website: "chain.example", phone: "5195550100" };
    expect(await fate(it, "far", { ...shared, ...FAR })).toBe("accepted");
    expect(await fate(it, "here", shared)).toBe("refused");
    rawLedger(it.ledger).exec("DELETE FROM opt_out_facts WHERE expires_at IS NOT NULL");
    expect(await fate(it, "here later", shared)).toBe("refused");
  });

  test("a generic name is refused at its places only", async () => {
    using it = await taken({});
    optOut(it, undefined, ["Restaurant"]);
    expect(await fate(it, "here", { name: "Restaurant" })).toBe("refused");
    expect(await fate(it, "far", { name: "Restaurant", ...FAR })).toBe("held");
  });

  test("a place alone is forgotten after a year, and nothing else is", async () => {
    using it = await taken({ website: "same.example" });
    optOut(it);
    const hashes = intakeHashes(it.ledger.purposeKey);
    const verdict = (line: Changes, days: number) => {
      const read = readSighting(1, sighting("later", { name: NAME, ...HERE, ...line }), hashes, NOW);
      return new OptOutJudge(it.ledger.intake, hashes, NOW + days * DAY_MS).judge(read, "avalon");
    };
    const nearby = { name: "Same Name" };
    expect([364, 366].map((days) => verdict(nearby, days))).toEqual(["review", "pass"]);
    expect(verdict({ ...nearby, website: "same.example" }, 366)).toBe("refuse");
    expect(verdict({}, 366)).toBe("refuse");
    it.ledger.transaction(() => it.ledger.traces.remove([], undefined, NOW + 366 * DAY_MS));
    const expiring = "SELECT count(*) FROM opt_out_facts WHERE expires_at IS NOT NULL";
    expect(rawLedger(it.ledger).prepare(expiring).pluck().get()).toBe(0);
  });

  test("leaves keyed hashes alone, and no word of the name", async () => {
    using it = await taken({ name: "Quokka Lantern", website: "quokka.example", address: "7 Wombat Way" });
    optOut(it);
    it.ledger.scrub();
    const files = ["ledger.db", "ledger.db-wal"]
      .map((name) => join(it.home, "night", name))
      .filter(existsSync);
    const bytes = Buffer.concat(files.map((file) => readFileSync(file)))
      .toString("latin1")
      .toLowerCase();
    for (const word of ["quokka", "lantern", "wombat"]) expect(bytes).not.toContain(word);
  });
});

describe("names of others", () => {
  const EVIL = { name: "Evil Bakery", website: "evil.example", ...THERE };
  const RIVAL = { name: "Rival Bakery", website: "rival.example", phone: "519 555 0142", ...HERE };
  const CAFE = { name: "New Cafe", ...FAR };

  // The attack of the issue: every name that was ever seen on a record used to be refused from its opt-out on.
  test.each(["a newcomer's", "a record of rows that count"])("are not refused with %s", async (whose) => {
    using it = testLedger();
    const say = whose === "a newcomer's" ? take : teach;
    await say(it, "evil", EVIL);
    await take(it, "claims", { ...RIVAL, website: EVIL.website }, { ...CAFE, website: EVIL.website });
    await teach(it, "rival", RIVAL);
    const { optedOut } = optOutOf(it, "Evil Bakery", ["Evil Bakery"]);
    expect(optedOut?.touched).toEqual([]);
    expect(await fate(it, "evil again", EVIL)).toBe("refused");
    for (const [at, line] of [RIVAL, CAFE, { ...RIVAL, ...THERE }, { ...CAFE, ...THERE }].entries())
      expect(await fate(it, `other ${at}`, { ...line, website: EVIL.website })).toBe("accepted");
  });

  test("that nothing taught are refused nowhere, but for --also: then at the places of the record alone", async () => {
    using it = testLedger();
    await take(it, "newcomer", RIVAL);
    const plan = planOptOut(it.ledger, request(publicId(it, "record")));
    expect(plan.optedOut).toMatchObject({
      names: [{ key: "rival bakery", reach: "nowhere", because: "untaught" }],
      knownBy: { websites: [], phones: [] },
    });
    erase(it.ledger, plan);
    expect(await fate(it, "again", RIVAL)).toBe("accepted");
    expect(optOut(it, undefined, ["RIVAL BAKERY", "Rivals"]).optedOut?.names).toEqual([
      { key: "rival bakery", reach: "places", because: "also" },
      { key: "rivals", reach: "places", because: "also" },
    ]);
    expect(await fate(it, "here", RIVAL)).toBe("refused");
    expect(await fate(it, "also here", { name: "Rivals" })).toBe("refused");
    // A near name at the place waits for a reviewer, whatever website it has.
    expect(await fate(it, "near here", { ...RIVAL, name: "Rival Bakery & Sons" })).toBe("held");
    expect(await fate(it, "far", { ...RIVAL, ...FAR })).toBe("accepted");
  });

  test("do not narrow what is refused where they do not count: the name, the telephone and the website stay the record's", async () => {
    using it = await taken(RIVAL);
    await take(it, "namesake", { ...RIVAL, ...FAR }, { ...EVIL, phone: RIVAL.phone, website: RIVAL.website });
    const { optedOut } = optOutOf(it, "Rival Bakery");
    expect(optedOut?.names).toEqual([{ key: "rival bakery", reach: "city", because: "taught" }]);
    expect(optedOut?.knownBy).toMatchObject({
      phones: [{ isShared: false }],
      websites: [{ isShared: false }],
    });
    expect(optedOut?.touched).toMatchObject([{ name: "Rival Bakery", refused: 1, review: 0 }]);
    expect(await fate(it, "name", { name: "Rival Bakery", ...THERE })).toBe("refused");
    expect(await fate(it, "phone", { name: "Rival Bakers", phone: RIVAL.phone, ...THERE })).toBe("refused");
    expect(await fate(it, "evil", EVIL)).toBe("accepted");
  });

  test("that count narrow it to the record's places and contacts; --also widens it, and the plan lists whom it touches", async () => {
    using it = await taken(RIVAL);
    await teach(it, "namesake", { name: "Rival Bakery", website: "namesake.example", ...FAR });
    const [, namesake] = it.rows("record");
    const touched = [{ public_id: namesake?.body["public_id"], name: "Rival Bakery", refused: 2, review: 0 }];
    const all = planOptOut(it.ledger, request(publicId(it, "record"), undefined, ["rival bakery"]));
    expect(all.optedOut).toMatchObject({
      names: [{ key: "rival bakery", reach: "city", because: "also" }],
      touched,
    });
    const plan = optOut(it);
    expect(plan.code).not.toBe(all.code);
    expect(plan.optedOut).toMatchObject({
      names: [{ key: "rival bakery", reach: "places", because: "borne_by_others" }],
      touched: [],
    });
    expect(await fate(it, "here", { name: "Rival Bakery", ...HERE })).toBe("refused");
    expect(await fate(it, "own contact", { ...RIVAL, ...THERE })).toBe("refused");
    expect(await fate(it, "namesake's", { name: "Rival Bakery", ...FAR })).toBe("accepted");
    expect(await fate(it, "elsewhere", { name: "Rival Bakery", ...THERE })).toBe("accepted");
  });

  test("a contact that one principal named is not the record's", async () => {
    using it = testLedger();
    vouchFor(it, "alone");
    await take(it, "alone", { ...EVIL, phone: RIVAL.phone, observer: "alone" });
    const { optedOut } = optOut(it);
    expect(optedOut?.names).toMatchObject([{ key: "evil bakery", reach: "city" }]);
    expect(optedOut?.knownBy).toMatchObject({ phones: [], websites: [] });
    expect(await fate(it, "near", { name: "Evil Bakers", phone: RIVAL.phone, ...HERE })).toBe("accepted");
  });

  test("a wrong record goes as a whole, and nothing is refused afterwards", async () => {
    using it = await taken(RIVAL);
    const wrong = { ...request(publicId(it, "record")), kind: "redaction", reason: "wrong_record" } as const;
    const plan = planWrongRecord(it.ledger, wrong);
    expect(plan).toMatchObject({ optedOut: undefined, records: [{ name: "Rival Bakery" }] });
    erase(it.ledger, plan);
    expect(it.rows("record")).toEqual([]);
    expect(await fate(it, "again", RIVAL)).toBe("accepted");
  });
});

describe("one place or one asset", () => {
  /** A chain: one brand, one website, two stores. */
  const chain = () =>
    taken(
      { name: "Pizza Castle", website: "castle.example", ...HERE },
      { name: "Pizza Castle", website: "castle.example", ...THERE },
    );

  test("a franchisee's place goes, and the chain stays", async () => {
    using it = await chain();
    const plan = optOut(it, { place: HERE });
    expect(plan.records).toEqual([]);
    expect([it.rows("record").length, it.rows("asset").length, it.rows("observation").length]).toEqual([
      1, 1, 2,
    ]);
    expect(await fate(it, "there", { name: "Pizza Castle", ...THERE })).toBe("accepted");
    expect(await fate(it, "new", { name: "Pizza Castle", website: "castle.example", ...FAR })).toBe(
      "accepted",
    );
    expect(it.rows("record")).toHaveLength(1);
    expect(await fate(it, "here", { name: "Pizza Castle" })).toBe("refused");
    expect(await fate(it, "billboard", { name: "Pizza Castle", asset_type: "billboard" })).toBe("refused");
    expect(await fate(it, "near", { name: "Pizza Castel Express", website: "castle.example" })).toBe(
      "refused",
    );
    expect(await fate(it, "near alone", { name: "Pizza Castel" })).toBe("held");
    expect(await fate(it, "tenant", { name: "Rossi Bakery" })).toBe("accepted");
  });

  test("an asset goes, and others at its place stay", async () => {
    using it = await taken({}, { asset_type: "billboard" });
    const signs = it.rows("asset").find(({ body }) => body["asset_type"] === "billboard");
    optOut(it, { asset: String(signs?.body["public_id"]) });
    expect(it.rows("asset").map(({ body }) => body["asset_type"])).toEqual(["storefront"]);
    expect(await fate(it, "sign", { asset_type: "billboard" })).toBe("refused");
    expect(await fate(it, "store", {})).toBe("accepted");
  });

  test("a vehicle is known by its reference wherever it is", async () => {
    using it = await taken({}, { ...VAN });
    const van = it.rows("asset").find(({ body }) => body["is_mobile"]);
    optOut(it, { asset: String(van?.body["public_id"]) });
    expect(await fate(it, "van", { ...VAN, ...FAR })).toBe("refused");
    expect(await fate(it, "misspelled van", { ...VAN, ...FAR, name: "Same Naem Plumbing" })).toBe("refused");
    expect(await fate(it, "other van", { ...VAN, asset_ref: "van-18" })).toBe("accepted");
  });

  test("a record that nothing else supports goes with it", async () => {
    using it = await taken({});
    expect(optOut(it, { place: HERE }).records).toHaveLength(1);
    expect(it.rows("record")).toEqual([]);
    expect(await fate(it, "far", { ...FAR })).toBe("accepted");
  });

  test("what is not the record's is refused; the same command finds what it did", async () => {
    using it = await chain();
    const target = publicId(it, "record");
    const refusal = (part: OptOutPart) => () => planOptOut(it.ledger, request(target, part));
    expect(refusal({ place: FAR })).toThrow("the record has no live observation of a fixed asset there");
    expect(refusal({ asset: "as_nothing" })).toThrow("no asset has this public id");
    expect(refusal({ asset: target })).toThrow("no asset has this public id");
    await take(it, "stranger", { name: "Rossi Bakery", ...FAR });
    expect(refusal({ asset: publicId(it, "asset", 2) })).toThrow("it belongs to another record");
    const { code } = optOut(it, { place: HERE });
    expect(doneBefore(it.ledger, request(target, { place: HERE }), code)).toHaveLength(1);
    expect(doneBefore(it.ledger, request(target), code)).toBeUndefined();
  });
});

test("held lines go, or wait for another reason", async () => {
  using it = await taken({ website: "same.example" });
  await take(
    it,
    "held",
    { name: `${NAME} 519-555-0199`, website: "same.example" },
    { name: `${NAME} 519-555-0198` },
    { name: `${NAME} 519-555-0197`, ...FAR },
  );
  const held = () => rawLedger(it.ledger).prepare("SELECT reason FROM pending ORDER BY reason").pluck().all();
  expect(held()).toEqual(["phone_in_name", "phone_in_name", "phone_in_name"]);
  const plan = optOut(it);
  expect([plan.optedOut?.pending.refused.length, plan.optedOut?.pending.review.length]).toEqual([1, 1]);
  expect(held()).toEqual(["near_opt_out", "phone_in_name"]);
});

describe("what the public rows tell afterwards", () => {
  /** The bodies of all sealed rows, as a release discloses them. */
  function publicBodies({ home }: TestLedger): { id: number; body: Record<string, unknown> }[] {
    using reader = openLedgerReader(homePaths(home).ledger);
    const upTo = reader.latestCheckpoint()?.size ?? 0;
    return [...reader.publicRows({ after: 0, upTo, sealed: reader.lastSealedRow(upTo) })].flatMap(
      ({ id, disclosure }) => {
        if (disclosure === undefined) return [];
        return [{ id, body: JSON.parse(Buffer.from(disclosure, "base64url").toString())[2] }];
      },
    );
  }

  // Reproduced by an outside reader: "match_candidates: [2]" of the record that stayed, and "privacy_request, rows [2,3,4,5]".
  test("no row of a record that stays leads to one that went, and no row says why", async () => {
    using it = testLedger();
    // A name and a telephone that one principal each claims for another place.
    for (const [observer, place] of Object.entries({ first: HERE, second: THERE, third: FAR })) {
      vouchFor(it, observer);
      await take(it, observer, { observer, phone: "519 555 0100", ...place });
    }
    const [, twin, second] = it.rows("record");
    const [, , named] = it.rows("naming");
    expect(named?.body["record"]).toBe(second?.id);
    expect(named?.private["match_candidates"]).toHaveLength(2);
    const { rows } = optOut(it);
    const bodies = publicBodies(it);
    expect(bodies.map(({ id }) => id)).toEqual(expect.arrayContaining([twin?.id, second?.id]));
    const naming = bodies.filter(({ body }) => Array.isArray(body["rows"]));
    expect(naming.map(({ body }) => body)).toEqual([{ rows }]);
    for (const { body } of bodies.filter((row) => !naming.includes(row))) {
      expect(Object.keys(body)).not.toContain("match_candidates");
      for (const field of ["record", "asset", "target", "into"]) expect(rows).not.toContain(body[field]);
    }
    expect(JSON.stringify(bodies)).not.toMatch(/request|legal_order|safety|data_error|candidates/);
    expect(bodies.find(({ id }) => id === named?.id)?.body["match_review"]).toBe(true);
  });

  test("fields of observations that could say anything say only what is allowed", async () => {
    const wild = { recognition_model_version: "unit-07 driver=Bob", legibility: 0.8712345678 };
    using it = testLedger();
    await take(it, "wild", wild);
    const models = new Set(["scout:signs-2"]);
    const signs = { recognition_model_version: "signs-2", name: NAME, ...HERE };
    for (const [ref, source_type] of [
      ["allowed", "scout"],
      ["other source", "fleet_cam"],
    ] as const) {
      await it.accept([sighting(ref, { ...signs, source_type })]);
      await it.takeIn({ models, random: countedRandom(ref) });
    }
    expect(
      it.rows("observation").map(({ body }) => [body["recognition_model_version"], body["legibility"]]),
    ).toEqual([
      [null, 0.9],
      ["signs-2", null],
      [null, null],
    ]);
  });
});
