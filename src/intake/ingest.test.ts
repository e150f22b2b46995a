import {
  chownSync,
  createReadStream,
  existsSync,
  lchownSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { cellToParent, getResolution, latLngToCell } from "h3-js";
import { describe, expect, test } from "vitest";
import {
  AVALON,
  countedRandom,
  sighting,
  type TestLedger,
  testLedger,
  vouchFor,
} from "../../tests/support/ledger/intake-ledger.ts";
import { rawLedger } from "../../tests/support/ledger/raw-ledger.ts";
import { OperatorError } from "../kernel/errors.ts";
import { nameKey } from "../kernel/text/name-key.ts";
import { cityDate } from "../kernel/time.ts";
import type { LineFault } from "./lines/fault.ts";
import { openRejectsFile } from "./lines/rejects.ts";
import { intakeHashes } from "./lines/sighting.ts";
import { factKeys } from "./opt-outs/judge.ts";
import { radiusCells } from "./places/city-outline.ts";
import { registerCity } from "./places/register-city.ts";

interface Entry {
  line: number;
  field: string | null;
  reason: LineFault["reason"];
  message: string;
  input: Record<string, unknown> | null;
}

function entries(text: string): Entry[] {
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

describe("bad lines", () => {
  const cases: [string, unknown, LineFault["reason"], string | null][] = [
    ["broken JSON", '{"name": "x", "phone": "4165550100"', "invalid_json", null],
    ["an array", "[1,2]", "not_an_object", null],
    ["null", "null", "not_an_object", null],
    ["a missing field", sighting("a", { observer: undefined }), "missing_field", "observer"],
    ["an empty reference", sighting(""), "missing_field", "source_ref"],
    ["latitude as text", sighting("a", { lat: "40" }), "wrong_type", "lat"],
    ["name as number", sighting("a", { name: 7 }), "wrong_type", "name"],
    ["a required null", sighting("a", { name: null }), "wrong_type", "name"],
    ["an unknown source type", sighting("a", { source_type: "drone" }), "not_allowed", "source_type"],
    ["latitude out of range", sighting("a", { lat: 90.5 }), "out_of_range", "lat"],
    ["longitude out of range", sighting("a", { lng: -180.1 }), "out_of_range", "lng"],
    ["(0,0)", sighting("a", { lat: 0, lng: 0 }), "zero_coordinates", "lat"],
    ["swapped coordinates", sighting("a", { lat: -75, lng: 40 }), "outside_registered_cities", "lat"],
    ["no registered city", sighting("a", { lat: 10, lng: 10 }), "outside_registered_cities", "lat"],
    ["a future date", sighting("a", { observed_at: "2026-05-11T02:00:01Z" }), "future_date", "observed_at"],
    [
      "a date before 1990",
      sighting("a", { observed_at: "1989-12-31T23:59:59Z" }),
      "ancient_date",
      "observed_at",
    ],
    ["tomorrow's date", sighting("a", { observed_at: "2026-05-11" }), "future_date", "observed_at"],
    ["no date", sighting("a", { observed_at: "yesterday" }), "invalid_date", "observed_at"],
    ["the 30th of February", sighting("a", { observed_at: "2026-02-30" }), "invalid_date", "observed_at"],
    [
      "a time without offset",
      sighting("a", { observed_at: "2026-05-01T10:00" }),
      "invalid_date",
      "observed_at",
    ],
    ["an empty name", sighting("a", { name: " " }), "empty_name", "name"],
    ["a name of control characters", sighting("a", { name: "\u0000\u202e\u200b" }), "empty_name", "name"],
    ["a long name", sighting("a", { name: "x".repeat(121) }), "name_too_long", "name"],
    ["a name of a megabyte", sighting("a", { name: "x".repeat(1_000_000) }), "line_too_long", null],
    ["half a surrogate pair", sighting("a", { observer: "\ud800" }), "invalid_encoding", "observer"],
    ["an unknown industry", sighting("a", { industry: "9999" }), "unknown_industry_code", "industry"],
    [
      "a script as website",
      sighting("a", { website: "javascript://x.example/%0aalert(1)" }),
      "invalid_website",
      "website",
    ],
    ["a telephone without digits", sighting("a", { phone: "ask inside" }), "invalid_phone", "phone"],
    [
      "a name that nothing can compare",
      sighting("a", { name: { length: { toString: null } } }),
      "wrong_type",
      "name",
    ],
    ["legibility above 1", sighting("a", { legibility: 1.1 }), "out_of_range", "legibility"],
  ];
  test.for(cases)("%s", async ([, line, reason, field]) => {
    using it = testLedger();
    const summary = await it.ingest([sighting("good"), line, sighting("good 2")]);
    expect(summary).toMatchObject({ read: 3, accepted: 2, rejected: 1, rejectedByReason: { [reason]: 1 } });
    expect(entries(it.rejects)).toMatchObject([{ line: 2, reason, field }]);
  });

  test("swapped coordinates are recognised", async () => {
    using it = testLedger();
    await it.ingest([sighting("a", { lat: -75.001, lng: 40.001 })]);
    expect(entries(it.rejects)[0]?.message).toContain("with latitude and longitude swapped it is in Avalon");
  });

  test("the rejects file masks what is private and bounds what is long", async () => {
    using it = testLedger();
    const secret = { phone: "416 555 0100", address: "1 Secret Street", observer: "agent-9" };
    const deep = { observed_at: "x".repeat(30), website: { deep: "y".repeat(5000) } };
    await it.ingest([
      sighting("a", { ...secret, ...deep }),
      '{"phone":"416 555 0100",',
      sighting("b", { ...secret, name: 5 }),
    ]);
    expect(it.rejects).not.toMatch(/555|Secret|agent-9/);
    const found = entries(it.rejects);
    expect(found[0]?.input).toMatchObject({ phone: "[masked]", address: "[masked]", observer: "[masked]" });
    expect(found[1]?.input).toBeNull();
    expect(it.rejects.length).toBeLessThan(2500);
  });

  test("a rejects file is replaced, and left away when nothing is refused", async () => {
    using it = testLedger();
    const path = join(it.home, "in.rejects.ndjson");
    const run = async (lines: unknown[]) => {
      using rejects = openRejectsFile(path);
      await it.ingest(lines, { rejects });
    };
    await run(["{", "}"]);
    expect(entries(readFileSync(path, "utf8"))).toHaveLength(2);
    await run(["{"]);
    expect(entries(readFileSync(path, "utf8"))).toHaveLength(1);
    await run([sighting("a")]);
    expect(existsSync(path)).toBe(false);
  });

  test("what is no file of its own is never removed, however empty", () => {
    using it = testLedger();
    const path = join(it.home, "nothing");
    symlinkSync("/dev/null", path);
    openRejectsFile(path)[Symbol.dispose]();
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
  });
});

describe("a rejects file in a folder of whoever brings the lines", () => {
  test.skipIf(process.getuid?.() !== 0)("is no link and no file of that user", () => {
    using it = testLedger();
    const [path, own] = [join(it.home, "in.rejects.ndjson"), join(it.home, "own")];
    const stranger = 64_199;
    writeFileSync(own, "kept");
    symlinkSync(own, path);
    lchownSync(path, stranger, stranger);
    expect(() => openRejectsFile(path)).toThrow(/link of another user/);
    rmSync(path);
    linkSync(own, path);
    expect(() => openRejectsFile(path)).toThrow(/another name/);
    rmSync(path);
    writeFileSync(path, "theirs");
    chownSync(path, stranger, stranger);
    expect(() => openRejectsFile(path)).toThrow(/belongs to another user/);
    expect([readFileSync(own, "utf8"), readFileSync(path, "utf8")]).toEqual(["kept", "theirs"]);
  });
});

describe("the same line again", () => {
  test("adds nothing", async () => {
    using it = testLedger();
    const lines = [sighting("a"), sighting("b", { name: "Restaurant" }), sighting("c", { lat: 1 })];
    expect(await it.ingest(lines)).toMatchObject({ accepted: 2, held: 1, rejected: 1 });
    const next = it.ledger.nextId();
    expect(await it.ingest(lines)).toMatchObject({ accepted: 0, known: 2, held: 0, rejected: 1 });
    expect(it.ledger.nextId()).toBe(next);
  });

  test("within one file and one batch is known, in another form too", async () => {
    using it = testLedger();
    const text = JSON.stringify(sighting("a")).replace("{", '{ "phone": null, "website": "", "unknown": 1, ');
    expect(await it.ingest([sighting("a"), text])).toMatchObject({ accepted: 1, known: 1 });
  });

  test("with other content is refused, and the first line of the file wins", async () => {
    using it = testLedger();
    const summary = await it.ingest([sighting("a", { name: "First" }), sighting("a", { name: "Second" })]);
    expect(summary.rejectedByReason).toEqual({ duplicate_reference_with_other_content: 1 });
    expect(it.rows("naming").map(({ body }) => body["name"])).toEqual(["First"]);
    expect(await it.ingest([sighting("a", { name: "Third" })])).toMatchObject({ rejected: 1 });
  });

  test("of another source type is another line", async () => {
    using it = testLedger();
    expect(await it.ingest([sighting("a"), sighting("a", { source_type: "fleet_cam" })])).toMatchObject({
      accepted: 2,
    });
  });
});

describe("matching", () => {
  const far = { lat: 40.02, lng: -75.02 };

  test("one place, other spellings: one record, one asset", async () => {
    using it = testLedger();
    const summary = await it.ingest([
      sighting("a", { name: "JOE'S Café, Inc." }),
      sighting("b", { name: "Joe’s Cafe #12", lat: 40.00105 }),
    ]);
    expect(summary).toMatchObject({ accepted: 2, records: 1, assets: 1 });
  });

  test("one name at two places is two records, and a match review where they share a contact", async () => {
    using it = testLedger();
    vouchFor(it, "scout-7");
    const shared = { phone: "+1 416 555 0100" };
    const lines = [
      sighting("a", shared),
      sighting("b", { ...far, ...shared }),
      sighting("c", { lat: 39.98 }),
    ];
    expect(await it.ingest(lines)).toMatchObject({ records: 3, assets: 3 });
    const proposed = it.rows("naming").filter(({ body }) => body["match_review"] === true);
    expect(proposed).toHaveLength(1);
    expect(proposed[0]?.private["match_candidates"]).toHaveLength(1);
    expect(JSON.stringify(proposed[0]?.body)).not.toContain("candidates");
  });

  test("a brand covers its places, and each place is an asset", async () => {
    using it = testLedger();
    const brand = { name: "Pizza Castle" };
    expect(await it.ingest([sighting("a", brand), sighting("b", { ...brand, ...far })])).toMatchObject({
      records: 1,
      assets: 2,
    });
    expect(it.rows("naming")[0]?.body).toMatchObject({ industry: "5611", industry_method: "name_rule" });
  });

  test.for([
    [{ phone: "+1 (416) 555-0100" }, { phone: "416.555.0100 ext. 5" }],
    [{ website: "http://www.joes.example/" }, { website: "https://joes.example/?utm=1" }],
    [{ website: "facebook.com/Joes" }, { website: "https://m.facebook.com/joes/" }],
  ])(
    "a contact that two observers named is the record's, however it is written: %j",
    async ([one, other]) => {
      using it = testLedger();
      vouchFor(it, "scout-7", "scout-8");
      await it.ingest([sighting("a", one), sighting("b", { ...other, observer: "scout-8" })]);
      expect(await it.ingest([sighting("c", { ...far, ...other })])).toMatchObject({ records: 0, assets: 1 });
    },
  );

  test("a shared platform joins nothing", async () => {
    using it = testLedger();
    vouchFor(it, "scout-7", "scout-8");
    const site = { website: "https://www.facebook.com/" };
    await it.ingest([sighting("a", site), sighting("b", { ...site, observer: "scout-8" })]);
    expect(await it.ingest([sighting("c", { ...site, ...far })])).toMatchObject({ records: 1 });
  });

  test("a mobile asset is matched by reference and name, not by place", async () => {
    using it = testLedger();
    vouchFor(it, "scout-7");
    const van = { asset_type: "vehicle_wrap", name: "Swift Plumbing", asset_ref: "plate-1" };
    const lines = [
      sighting("a", van),
      sighting("b", { ...van, ...far }),
      sighting("c", { ...van, asset_ref: "plate-2" }),
    ];
    expect(await it.ingest(lines)).toMatchObject({ records: 1, assets: 2 });
  });

  test("a mobile asset whose name several records bear is a record of its own", async () => {
    using it = testLedger();
    vouchFor(it, "scout-7");
    await it.ingest([sighting("a"), sighting("b", far)]);
    const vans = ["c", "d"].map((ref) => sighting(ref, { asset_type: "vehicle_wrap" }));
    expect(await it.ingest(vans)).toMatchObject({ records: 1, assets: 1 });
  });

  test("matches the same whether the caches are warm or cold", async () => {
    const lines = Array.from({ length: 60 }, (_, at) =>
      sighting(`${at}`, {
        lat: 40 + (at % 13) * 0.0002,
        name: at % 3 === 0 ? "Pizza Castle" : `Shop ${at % 4}`,
      }),
    );
    using warm = testLedger();
    using cold = testLedger();
    for (const it of [warm, cold]) vouchFor(it, "scout-7");
    const together = await warm.ingest(lines, { batchLines: 1 });
    const order = warm.rows("observation").map((row) => Number(row.private["source_ref"]));
    let records = 0;
    for (const line of order.map((at) => lines[at] ?? sighting("none")))
      records += (await cold.ingest([line], { random: countedRandom(String(line.source_ref)) })).records;
    expect(records).toBe(together.records);
    const places = (it: TestLedger) =>
      it.rows("observation").map(({ body }) => [body["record"], body["asset"]]);
    expect(places(cold)).toEqual(places(warm));
  });

  test("a name that has opted out is refused", async () => {
    using it = testLedger();
    const key = factKeys("avalon", intakeHashes(it.ledger.purposeKey)).name(nameKey("Corner Bakery House"));
    it.ledger.transaction(() => rawLedger(it.ledger).prepare("INSERT INTO opt_outs VALUES (?)").run(key));
    const line = sighting("a", { website: "https://bakery.example", phone: "+1 416 555 0100" });
    expect((await it.ingest([line])).rejectedByReason).toEqual({ opted_out: 1 });
    expect(it.rejects).not.toMatch(/Bakery|bakery|555|40\.001|scout-7/);
    expect(entries(it.rejects)[0]?.input).toMatchObject({
      source_ref: "a",
      name: "[masked]",
      lat: "[masked]",
    });
  });
});

describe("rows", () => {
  test("a fixed asset is published by its cell and solar day; what is private stays private", async () => {
    using it = testLedger();
    vouchFor(it, "scout-7"); // the industry of a row that does not count is not taken over
    const secret = { phone: "416 555 0100", address: "1 Secret Street", media_sha256: "AB".repeat(32) };
    await it.ingest([
      sighting("ref-1", { ...secret, industry: "1071", legibility: 0.5, website: "joes.example" }),
    ]);
    const [observation] = it.rows("observation");
    const [record] = it.rows("record");
    const [naming] = it.rows("naming");
    expect(observation?.body).toMatchObject({
      accepted_at: "2026-05-10T00:00:00Z",
      observed_at: "2026-05-01T05:00:00Z",
      h3_cell: latLngToCell(40.001, -75.001, 8),
      presence_kind: "location_presence",
      legibility: 0.5,
      is_synthetic: false,
      record: record?.id,
    });
    expect(observation?.private).toEqual({
      exact: {
        lat: 40.001,
        lng: -75.001,
        observed_at: "2026-05-01T14:25:10.000Z",
        media_sha256: "ab".repeat(32),
      },
      observer: { hash: expect.any(String), principal: expect.any(String) },
      seen: {
        name: "Corner Bakery House",
        website: "joes.example",
        phone: "416 555 0100",
        address: "1 Secret Street",
        industry: "1071",
      },
      source_ref: "ref-1",
    });
    expect(observation?.private["observer"]).toMatchObject({ hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(observation?.body["observer_tag"]).toMatch(/^[\w-]{16}$/);
    expect(naming?.body).toEqual({
      industry: "1071",
      industry_method: "declared",
      match_review: false,
      name: "Corner Bakery House",
      record: record?.id,
      website: null, // one principal teaches none
    });
    expect([record?.private, naming?.private]).toEqual([{}, {}]);
    const kinds = ["observation", "record", "naming", "asset"] as const;
    const published = JSON.stringify(kinds.flatMap((kind) => it.rows(kind)).map((row) => row.body));
    expect(published).not.toMatch(/555|Secret|40\.001|scout-7|ref-1|abab|14:25/);
  });

  test("a mobile asset is published by the cell of a city and its solar day", async () => {
    using it = testLedger();
    await it.ingest([sighting("a", { asset_type: "vehicle_wrap", observed_at: "2026-05-02T03:00:00Z" })]);
    // Avalon lies at 75 degrees west: solar days begin at 05:00 UTC, so 03:00 UTC still belongs to the 1st of May.
    expect(it.rows("observation")[0]?.body).toMatchObject({
      observed_at: "2026-05-01T05:00:00Z",
      h3_cell: cellToParent(latLngToCell(40.001, -75.001, 8), 5),
      presence_kind: "mobile_presence",
    });
    expect(it.rows("asset")[0]?.body).toMatchObject({ is_mobile: true });
  });

  test("a bare date is noon of the solar day", async () => {
    using it = testLedger();
    await it.ingest([sighting("a", { observed_at: "2026-05-01" })]);
    expect(it.rows("observation")[0]?.private["exact"]).toMatchObject({
      observed_at: "2026-05-01T17:00:00.000Z",
    });
  });

  test("observer tags tell observers of a record apart, and say nothing across records", async () => {
    using it = testLedger();
    const other = { name: "Other Shop" };
    await it.ingest([
      sighting("a"),
      sighting("b"),
      sighting("c", { observer: "scout-8" }),
      sighting("d", other),
      sighting("e", { source_type: "fleet_cam" }), // one observer in all sources of an operator
    ]);
    const tags = new Map(
      it.rows("observation").map((row) => [row.private["source_ref"], row.body["observer_tag"]]),
    );
    expect(tags.get("a")).toBe(tags.get("b"));
    expect(tags.get("a")).toBe(tags.get("e"));
    expect(new Set(["a", "c", "d"].map((ref) => tags.get(ref))).size).toBe(3);
  });

  test("rows do not tell the order of the file", async () => {
    using it = testLedger();
    const refs = Array.from({ length: 40 }, (_, at) => `${at}`.padStart(3, "0"));
    await it.ingest(refs.map((ref) => sighting(ref)));
    const order = it.rows("observation").map((row) => String(row.private["source_ref"]));
    expect(order.toSorted()).toEqual(refs);
    const ascents = order.filter((ref, at) => at > 0 && ref > (order[at - 1] ?? "")).length;
    expect(ascents).toBeGreaterThan(8);
    expect(ascents).toBeLessThan(31);
  });

  test("record, naming and asset come before the observation, and public ids bear the environment", async () => {
    using it = testLedger();
    await it.ingest([sighting("a")]);
    const kinds = ["record", "naming", "asset", "observation"] as const;
    expect(kinds.map((kind) => it.rows(kind)[0]?.id)).toEqual([2, 3, 4, 5]);
    expect(it.rows("record")[0]?.body["public_id"]).toMatch(/^pr_[0-9a-z]{16}$/);
    expect(getResolution(String(it.rows("observation")[0]?.body["h3_cell"]))).toBe(8);
  });

  test("synthetic and real observations never mix", async () => {
    using it = testLedger();
    await it.ingest([sighting("a")]);
    await expect(it.ingest([sighting("b")], { synthetic: true })).rejects.toThrow(/holds real observations/);
    using demo = testLedger();
    await demo.ingest([sighting("a")], { synthetic: true });
    await expect(demo.ingest([sighting("b")])).rejects.toThrow(/holds demonstration data/);
    expect(demo.rows("observation")[0]?.body["is_synthetic"]).toBe(true);
  });
});

test("today's date is accepted where it has begun, and stays that date", async () => {
  using it = testLedger();
  const apia = { ...AVALON, geonameId: 2, name: "Apia", countryCode: "WS", lat: -13.83, lng: -171.77 };
  registerCity(it.ledger, apia, radiusCells(apia.lat, apia.lng, 5));
  const seen = (ref: string, observed_at: string) =>
    sighting(ref, { observed_at, lat: apia.lat, lng: apia.lng });
  const lines = [seen("today", "2026-05-11"), seen("tomorrow", "2026-05-12")]; // it is one in the morning there
  expect(await it.ingest(lines)).toMatchObject({
    accepted: 1,
    lines: 1,
    refused: 0,
    rejectedByReason: { future_date: 1 },
  });
  const [row] = it.rows("observation");
  expect(cityDate(Date.parse(String(row?.body["observed_at"])), apia.lng)).toBe("2026-05-11");
});

/** Names that spell a shop with joiners or a number, and those of files that were damaged or have none. */
const PLAIN_NAMES = [
  "کتاب\u200cفروشی",
  "\u{1f469}\u200d\u{1f373} Kitchen",
  "Subway #4165550100",
  "Joe´s",
  "CAFÉ’S",
];
const UNUSABLE_NAMES = [
  "N/A",
  "#REF!",
  "null",
  "sin nombre",
  "-",
  "CafÃ© Olé",
  "Bed &amp; Bath",
  "Caf\ufffd",
  "Joe\u0092s",
];

describe("runs", () => {
  const good = sighting("good");
  const line = fc.oneof(
    fc.nat(15).map((ref) => sighting(`${ref}`)),
    fc.nat(15).map((ref) => sighting(`${ref}`, { name: "Other" })),
    fc.nat(15).map((ref) => sighting(`${ref}`, { name: "Restaurant" })),
    fc
      .tuple(fc.nat(15), fc.constantFrom(...PLAIN_NAMES, ...UNUSABLE_NAMES))
      .map(([ref, name]) => sighting(`${ref}`, { name })),
    fc.constantFrom<unknown>("{", "[]", "", "  ", { ...good, lat: 0, lng: 0 }, { ...good, lng: 5 }),
    fc
      .json()
      .filter((text) => !/^\[\s*\{/.test(text)) // as the first line it makes the file a JSON array, which is refused
      .map((text) => text.replace(/[\n\r]/g, "")),
  );

  test("accepted + known + rejected = lines read, and a dry run counts the same and writes nothing", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 30 }),
        fc.integer({ min: 1, max: 9 }),
        async (lines, batchLines) => {
          using it = testLedger();
          const before = it.ledger.nextId();
          const dry = await it.accept(lines, { dryRun: true, batchLines });
          expect(it.ledger.pending.counts().waiting).toBe(0);
          expect(it.ledger.nextId()).toBe(before);
          expect(it.ledger.intake.isSynthetic()).toBeUndefined();
          const dryRejects = it.rejects;
          const real = await it.accept(lines, { batchLines });
          expect(real).toEqual({ ...dry, batch: "b1" });
          expect(it.rejects).toBe(dryRejects);
          expect(real.accepted + real.known + real.rejected).toBe(real.read);
          expect(real.read).toBe(
            lines.filter((text) => typeof text !== "string" || text.trim() !== "").length,
          );
          const taken = await it.takeIn();
          expect(taken).toMatchObject({ lines: real.accepted, refused: 0 });
          expect(it.rows("observation").length).toBe(real.accepted - taken.held);
          for (const { body } of it.rows("record")) expect(UNUSABLE_NAMES).not.toContain(body["name"]);
          const again = await it.ingest(lines, { batchLines });
          expect(again).toMatchObject({ accepted: 0, lines: 0, rejected: real.rejected });
        },
      ),
      { numRuns: 25 },
    );
  });

  test("counts are reported after each commit", async () => {
    using it = testLedger();
    const seen: [number, number][] = [];
    await it.accept(
      Array.from({ length: 25 }, (_, at) => sighting(`${at}`)),
      { batchLines: 10, onCommit: ({ read }) => seen.push([read, it.ledger.pending.counts().waiting]) },
    );
    expect(seen).toEqual([
      [10, 10],
      [20, 20],
      [25, 25],
    ]);
  });

  test.for([
    ["padded with zero bytes", Buffer.alloc(512), []],
    [
      "followed by garbage",
      Buffer.from("end"),
      ["warning: 3 bytes after the end of the gzip data were ignored"],
    ],
  ] as const)("a gzip %s is a whole file: its batch has an end", async ([, tail, expected]) => {
    const whole = Buffer.concat([gzipSync(JSON.stringify(sighting("a"))), tail]);
    for (const isLarge of [false, true]) {
      using it = testLedger();
      const path = join(it.home, "large.gz");
      writeFileSync(path, whole);
      const source = isLarge ? { largeFile: openSync(path, "r") } : Readable.from([whole]);
      const warnings: string[] = [];
      const onWarning = (text: string) => warnings.push(text);
      const summary = await it.accept([], { source, onWarning });
      expect(summary).toMatchObject({ read: 1, accepted: 1 });
      expect(warnings).toEqual(expected);
      expect(it.ledger.batches.find(summary.batch ?? "")?.endedAt).not.toBeNull();
    }
  });

  test("a gzip that is cut off gives its complete lines and an error that says so", async () => {
    using it = testLedger();
    const lines = Array.from({ length: 5000 }, (_, at) =>
      JSON.stringify(sighting(`${at}`, { observer: `o${(at * 7919) % 4999}` })),
    );
    const path = join(it.home, "cut.ndjson.gz");
    const whole = gzipSync(lines.join("\n"));
    writeFileSync(path, whole.subarray(0, Math.floor(whole.length * 0.6)));
    const run = () => it.accept([], { source: createReadStream(path), name: "cut.ndjson.gz" });
    await expect(run()).rejects.toThrow(
      /^cut\.ndjson\.gz: the file is truncated or damaged .*: \d+ lines were read up to there/,
    );
    const inputs = Array.from(it.ledger.pending.all(), ({ input }) => JSON.parse(input));
    const taken = inputs.length;
    expect(taken).toBeGreaterThan(1000);
    expect(taken).toBeLessThan(5000);
    expect(it.rejects).toBe("");
    const refs = inputs.map(({ source_ref }) => Number(source_ref));
    expect(Math.max(...refs)).toBe(taken - 1);
    writeFileSync(path, whole);
    const rest = await it.ingest([], { source: createReadStream(path) });
    expect(rest).toMatchObject({ read: 5000, known: taken, accepted: 5000 - taken });
  });

  test("a full disk undoes one batch, keeps those before, and the same file completes it later", async () => {
    using it = testLedger();
    const lines = Array.from({ length: 400 }, (_, at) => sighting(`${at}`));
    const pages = Number(rawLedger(it.ledger).pragma("page_count", { simple: true }));
    rawLedger(it.ledger).pragma(`max_page_count = ${pages + 4}`);
    const failure = await it.accept(lines, { batchLines: 20 }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OperatorError);
    expect(String(failure)).toMatch(/test\.ndjson: .*disk is full.*lines were read up to there/);
    const kept = it.ledger.pending.counts().waiting;
    expect(kept % 20).toBe(0);
    expect(kept).toBeLessThan(400);
    rawLedger(it.ledger).pragma("max_page_count = 1000000");
    expect(await it.ingest(lines)).toMatchObject({ read: 400, known: kept, accepted: 400 - kept });
  });

  test("held lines keep their words for the review desk", async () => {
    using it = testLedger();
    await it.ingest([sighting("a", { name: "For Lease" })]);
    expect(it.ledger.deskRows.heldLines().length).toBe(1);
    expect(it.rows("observation")).toEqual([]);
  });
});
