import { describe, expect, test } from "vitest";
import {
  ASSET,
  bodyOf,
  disclosureOf,
  entryOf,
  type Files,
  fetchFrom,
  ORIGIN,
  RECORD,
  REDACTED,
  signNote,
  siteFiles,
  testKey,
  textOf,
} from "../../../tests/support/pages/published-site.ts";
import { SeededNumbers } from "../../kernel/seeded.ts";
import { formatTreeHead } from "../tlog/note.ts";
import { checkRow, type Report } from "./check-row.ts";
import { type Question, STEPS, verdictOf } from "./outcome.ts";
import { type Fetch, SiteReader, type Subtle } from "./site-reader.ts";

const SIZE = 300; // a full tile, a partial one, and a level above
const ROW = 290;
const LIST = `/api/v1/observations/${RECORD}.json`;
const BUNDLE = "/ledger/tile/entries/001.p/44";
const key = testKey("this site");
const SEAL = entryOf(280, "seal");
const PRISTINE = siteFiles(SIZE, key, new Map([[280, SEAL]]));

function ask(question: Partial<Question>): Question {
  return { row: ROW, record: RECORD, knownKey: "", ...question };
}

async function reportsOf(question: Question, fetch: Fetch, subtle: Subtle | undefined) {
  const reports: Report[] = [];
  for await (const report of checkRow(question, { reader: new SiteReader(fetch), subtle }))
    reports.push(report);
  expect(reports.map(({ step }) => step)).toEqual(STEPS.map(({ name }) => name));
  return reports;
}

async function check(files: Files, question: Partial<Question> = {}) {
  const asked = ask(question);
  const reports = await reportsOf(asked, fetchFrom(files), crypto.subtle);
  return { reports, verdict: verdictOf(asked, reports) };
}

/** The first report that is not `passed`, once it is sure that nothing after it was checked. */
function stopOf(reports: readonly Report[]): Report {
  const at = reports.findIndex(({ state }) => state !== "passed");
  const [stop, ...later] = at < 0 ? [] : reports.slice(at);
  if (stop === undefined) throw new Error("every step passed");
  expect(later.filter(({ state }) => state !== "not checked")).toEqual([]);
  return stop;
}

function edited(edit: (files: Files) => void): Files {
  const files: Files = new Map([...PRISTINE].map(([path, bytes]) => [path, Buffer.from(bytes)]));
  edit(files);
  return files;
}

function editText(path: string, edit: (text: string) => string): Files {
  return edited((files) => {
    const text = files.get(path)?.toString() ?? "";
    expect(edit(text)).not.toBe(text);
    files.set(path, Buffer.from(edit(text)));
  });
}

function flip(path: string, at: number): Files {
  return edited((files) => {
    const bytes = files.get(path) ?? Buffer.alloc(0);
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  });
}

describe("what is in order passes", () => {
  test.each([1, 2, 255, 256, 257, 281, ROW, SIZE])("row %i", async (row) => {
    const { reports, verdict } = await check(PRISTINE, { row });
    const listed = row > SIZE - 50 ? "passed" : "not checked";
    const states = [...Array.from({ length: 5 }, () => "passed"), listed, listed];
    expect(reports.map(({ state }) => state)).toEqual(states);
    expect(verdict.state).toBe(listed === "passed" ? "passed" : "passed in part");
    expect(reports[4]?.body).toEqual(textOf(row));
  });

  test.each([1, 2, 3, 255, 256, 257, 511, 512])("every fifth row of a tree of %i", async (size) => {
    const files = siteFiles(size, key);
    for (let row = 1; row <= size; row += row + 5 < size ? 5 : 1) {
      const { reports } = await check(files, { row });
      expect(reports.slice(0, 4).map(({ state }) => state)).toEqual(Array(4).fill("passed"));
    }
  });

  test("each step names its files, and says what it compared", async () => {
    const { reports, verdict } = await check(PRISTINE);
    expect(reports.map(({ files }) => files)).toEqual([
      ["/ledger/vkey"],
      ["/ledger/checkpoint"],
      [BUNDLE, "/ledger/tile/0/001.p/44"],
      ["/ledger/tile/1/000.p/1"],
      ["/ledger/disclosures/001.ndjson"],
      [LIST],
      ["/ledger/tile/entries/000", "/ledger/tile/0/000", "/ledger/disclosures/000.ndjson"],
    ]);
    expect(reports[3]?.facts.filter(({ name }) => name.startsWith("Root")).map(({ value }) => value)).toEqual(
      [expect.stringMatching(/^[0-9a-f]{64}$/), reports[3]?.facts.at(-1)?.value],
    );
    expect(verdict.says).toContain("this site's key");
    expect(verdict.says).toContain("consistent with itself");
  });

  test("a key that the reader knows is compared, and the verdict says whose key it was", async () => {
    const { reports, verdict } = await check(PRISTINE, { knownKey: key.vkey });
    expect(reports[0]?.says).toContain("the key that you entered");
    expect(verdict.says).toContain("the key that you entered");
    expect(verdict.says).not.toContain("consistent with itself");
  });

  test("a partial file that gave way to the full one", async () => {
    const grown = siteFiles(512, key, new Map([[280, SEAL]]));
    const older = edited((files) => {
      for (const path of ["tile/0/001", "tile/entries/001"]) {
        files.delete(`/ledger/${path}.p/44`);
        files.set(`/ledger/${path}`, grown.get(`/ledger/${path}`) ?? Buffer.alloc(0));
      }
    });
    const { verdict } = await check(older, { row: 281 });
    expect(verdict.state).toBe("passed");
  });

  test("a server that answers without the ending .json", async () => {
    const files = edited((all) => {
      all.set(LIST.slice(0, -".json".length), all.get(LIST) ?? Buffer.alloc(0));
      all.delete(LIST);
    });
    expect((await check(files)).verdict.state).toBe("passed");
  });

  test("name, kind and day of what was checked are said, and what was not", async () => {
    const { reports, verdict } = await check(PRISTINE);
    expect(reports[4]?.says).toContain(
      "an observation of the day that began at 2026-05-01T02:00:00Z (location_presence)",
    );
    expect(verdict.says).toContain(
      `An observation of 2026-05-01 (location_presence, storefront) of the record ${RECORD}. Its list names no changes. Not checked here: observation_verification_state, set_aside, trust_weight.`,
    );
    const left = { name: "trust_weight", value: "0.9\n(not checked here)" };
    expect(reports[6]?.facts).toContainEqual(left);
    expect((await check(PRISTINE, { row: 2 })).reports[4]?.says).toContain(
      `the record “Alpha <b>” (${RECORD})`,
    );
    expect((await check(PRISTINE, { row: 3 })).reports[4]?.says).toContain(`the asset ${ASSET} (storefront)`);
  });
});

describe("what contradicts is a failure of the right step", () => {
  const other = testKey("other");
  const stranger = testKey("other", "example.org/other");
  const head = PRISTINE.get("/ledger/checkpoint")?.toString().split("\n\n")[0] ?? "";
  const smaller = siteFiles(SIZE - 1, key);
  const cases: [string, string, Files][] = [
    [
      "a key whose id is not its own",
      "key",
      editText("/ledger/vkey", (text) => text.replace(/\+\w{8}\+/, "+00000000+")),
    ],
    ["a key of another type", "key", editText("/ledger/vkey", () => `${testKey("x", ORIGIN, 2).vkey}\n`)],
    ["no key at all", "key", editText("/ledger/vkey", () => "key")],
    ["another key", "checkpoint", editText("/ledger/vkey", () => `${other.vkey}\n`)],
    ["a key of another name", "checkpoint", editText("/ledger/vkey", () => `${stranger.vkey}\n`)],
    [
      "a changed size",
      "checkpoint",
      editText("/ledger/checkpoint", (text) => text.replace("\n300\n", "\n299\n")),
    ],
    ["a changed root", "checkpoint", flip("/ledger/checkpoint", `${ORIGIN}\n300\n`.length + 2)],
    ["a changed signature", "checkpoint", flip("/ledger/checkpoint", head.length + ORIGIN.length + 40)],
    ["no signature", "checkpoint", editText("/ledger/checkpoint", () => `${head}\n`)],
    [
      "another origin",
      "checkpoint",
      edited((files) =>
        files.set("/ledger/checkpoint", signNote(head.replace(ORIGIN, "example.org/x").concat("\n"), key)),
      ),
    ],
    [
      "a signed note that is no tree head",
      "checkpoint",
      edited((files) => files.set("/ledger/checkpoint", signNote("hello\n", key))),
    ],
    [
      "a signed root of another tree",
      "path",
      edited((files) =>
        files.set(
          "/ledger/checkpoint",
          signNote(formatTreeHead({ origin: ORIGIN, size: SIZE, root: Buffer.alloc(32) }), key),
        ),
      ),
    ],
    [
      "a flipped bit in the entry",
      "leaf",
      flip(BUNDLE, (PRISTINE.get(BUNDLE)?.indexOf(entryOf(ROW)) ?? 0) + 100),
    ],
    [
      "a bundle cut within an entry",
      "leaf",
      edited((files) => files.set(BUNDLE, files.get(BUNDLE)?.subarray(0, -1) ?? Buffer.alloc(0))),
    ],
    [
      "a bundle cut between entries",
      "leaf",
      edited((files) => files.set(BUNDLE, smaller.get("/ledger/tile/entries/001.p/43") ?? Buffer.alloc(0))),
    ],
    ["a tile hash of the row", "leaf", flip("/ledger/tile/0/001.p/44", 33 * 32)],
    ["a tile hash of another row", "path", flip("/ledger/tile/0/001.p/44", 0)],
    ["a tile hash of the level above", "path", flip("/ledger/tile/1/000.p/1", 31)],
    [
      "a tile cut short",
      "leaf",
      edited((files) => files.set("/ledger/tile/0/001.p/44", Buffer.alloc(43 * 32))),
    ],
    [
      "a disclosure of another row",
      "disclosure",
      editText("/ledger/disclosures/001.ndjson", (text) =>
        text.replace(disclosureOf(ROW), disclosureOf(ROW + 1)),
      ),
    ],
    [
      "a changed disclosure",
      "disclosure",
      editText("/ledger/disclosures/001.ndjson", (text) =>
        text.replace(disclosureOf(ROW), disclosureOf(ROW, "body", { ...bodyOf(ROW), asset: 4 })),
      ),
    ],
    ["two disclosures", "disclosure", editText("/ledger/disclosures/001.ndjson", (text) => text + text)],
    [
      "lines that are no JSON",
      "disclosure",
      editText("/ledger/disclosures/001.ndjson", (text) => text.slice(1)),
    ],
    ["a list of another record", "published", editText(LIST, (text) => text.replace(RECORD, "pr_other"))],
    [
      "a list that names the row twice",
      "published",
      editText(LIST, (text) => text.replaceAll(`"id":${ROW + 1},`, `"id":${ROW},`)),
    ],
    ["a list that is no JSON", "published", editText(LIST, (text) => text.slice(1))],
  ];
  test.each(cases)("%s", async (_, step, files) => {
    const { reports, verdict } = await check(files);
    expect(stopOf(reports)).toMatchObject({ step, state: "failed" });
    expect(verdict.state).toBe("failed");
  });

  const elsewhere = ["record", "observer_tag", "counts", "is_synthetic", "asset_type", "city", "legibility"];
  test.each(Object.keys(bodyOf(1)).filter((name) => !elsewhere.includes(name)))(
    "a published %s that is not the row's",
    async (name) => {
      const field = name === "asset" ? "asset_id" : name;
      const list = JSON.parse(PRISTINE.get(LIST)?.toString() ?? "");
      for (const row of list.observations) if (row.id === ROW) row[field] = "else";
      const { reports } = await check(edited((files) => files.set(LIST, Buffer.from(JSON.stringify(list)))));
      const stop = stopOf(reports);
      const step = name === "asset" ? "related" : "published"; // a later row may move it
      expect(stop).toMatchObject({ step, state: "failed" });
      expect(stop.says).toContain(field);
      expect(stop.facts).toContainEqual({ name: field, value: expect.stringContaining("published: else") });
    },
  );

  test("a published hash that is not the leaf's", async () => {
    const files = editText(LIST, (text) => text.replaceAll(/"ledger_hash":"../g, '"ledger_hash":"zz'));
    expect(stopOf((await check(files)).reports)).toMatchObject({ step: "published", state: "failed" });
  });

  test("entries in each other's place, tiles and root made to fit", async () => {
    const files = siteFiles(
      SIZE,
      key,
      new Map([
        [ROW, entryOf(ROW + 1)],
        [ROW + 1, entryOf(ROW)],
      ]),
    );
    const stop = stopOf((await check(files)).reports);
    expect(stop).toMatchObject({ step: "leaf", state: "failed" });
    expect(stop.says).toContain(`row ${ROW + 1}`);
  });

  test("a disclosure that the leaf holds and that is no body", async () => {
    const observer = disclosureOf(ROW, "observer", "someone");
    const files = siteFiles(SIZE, key, new Map([[ROW, entryOf(ROW, "observation", observer)]]));
    const path = "/ledger/disclosures/001.ndjson";
    files.set(path, Buffer.from(JSON.stringify({ i: ROW, d: observer })));
    expect(stopOf((await check(files)).reports)).toMatchObject({ step: "disclosure", state: "failed" });
  });

  test("the site's key where the reader knows another one", async () => {
    const { reports, verdict } = await check(PRISTINE, { knownKey: other.vkey });
    expect(stopOf(reports)).toMatchObject({ step: "key", state: "failed" });
    expect(verdict.state).toBe("failed");
  });
});

describe("a list says nothing of an observation that its rows do not lead to", () => {
  const [OTHER_RECORD, OTHER_ASSET, VERIFY, REJECT, MERGE, RECOUNT, BACK, VERIFY_RECORD] = [
    10, 11, 12, 13, 14, 15, 17, 18,
  ];
  const [MOVED, MOVED_OTHER] = [19, 20];
  const review = (decision: string, target: number, rest = {}) =>
    ["review", { decision, into: null, tags: null, target, ...rest }] as const;
  const moved = (target: number) =>
    [
      "reassign",
      {
        target,
        record: OTHER_RECORD,
        asset: OTHER_ASSET,
        observer_tag: "tag m",
        reason: "x",
        reviewer: "desk",
      },
    ] as const;
  const tag = `tag ${ROW}`;
  const files = siteFiles(
    SIZE,
    key,
    new Map(),
    new Map<number, readonly [kind: string, body: object]>([
      [OTHER_RECORD, ["record", { name: "Other", public_id: "pr_other" }]],
      [OTHER_ASSET, ["asset", { asset_type: "signage", public_id: "as_other" }]],
      [VERIFY, review("verify", ROW)],
      [VERIFY_RECORD, review("verify", 2)],
      [REJECT, review("reject", ROW)],
      [MERGE, review("merge", 2, { into: OTHER_RECORD, tags: { [tag]: "tag c" } })],
      [RECOUNT, ["recount", { counts: false, target: ROW }]],
      [MOVED, moved(ROW)],
      [MOVED_OTHER, moved(ROW + 1)],
      [BACK, ["recount", { counts: true, target: ROW }]],
    ]),
  );
  const rejected = {
    observation_verification_state: "rejected",
    verif_state: "rejected",
    physical_citation: false,
    counts_as_independent: false,
  };
  const verified = { observation_verification_state: "verified", verif_state: "verified" };
  const atOther = { asset_id: OTHER_ASSET, asset_public_id: "as_other", observer_tag: "tag m" };
  const apart = { set_aside: "private_trace", counts_as_independent: false };

  /** The list with other members in the row's observation, under the id of a record. */
  function listed(change: object, publicId = RECORD): Files {
    const list = JSON.parse(files.get(LIST)?.toString() ?? "");
    const observations = list.observations.map((each: { id: number }) =>
      each.id === ROW ? { ...each, ...change } : each,
    );
    const path = `/api/v1/observations/${publicId}.json`;
    return new Map([
      ...files,
      [path, Buffer.from(JSON.stringify({ ...list, observations, public_id: publicId }))],
    ]);
  }

  test.each<[string, object, string?]>([
    ["verified by a review", { ...verified, changed_by: [VERIFY] }],
    ["rejected by the later one", { ...rejected, changed_by: [VERIFY, REJECT] }],
    ["set aside by a later row", { ...apart, changed_by: [RECOUNT] }],
    ["counted again", { changed_by: [RECOUNT, BACK] }],
    [
      "set aside for what everybody can see",
      { set_aside: "source_cannot_see", counts_as_independent: false },
    ],
    ["at the record that it was merged into", { observer_tag: "tag c", changed_by: [MERGE] }, "pr_other"],
    ["at the record and asset that it was moved to", { ...atOther, changed_by: [MOVED] }, "pr_other"],
    [
      "provisional, which follows from other observations",
      { observation_verification_state: "provisional", verif_state: "provisional" },
    ],
  ])("%s", async (_, change, record = RECORD) => {
    const { verdict, reports } = await check(listed(change, record), { record });
    expect(verdict.state, JSON.stringify(reports.at(-1))).toBe("passed");
  });

  test.each<[string, string, object, string?]>([
    ["another record's list", "public_id", {}, "pr_other"],
    [
      "another record's list, which calls a change what is none of its record",
      "",
      { changed_by: [VERIFY] },
      "pr_other",
    ],
    [
      "the list of a record that it was merged into, without the merge",
      "public_id",
      { observer_tag: "tag c", changed_by: [RECOUNT] },
      "pr_other",
    ],
    ["another asset's public id", "asset_public_id", { asset_public_id: "as_other" }],
    ["another asset", "asset_id", { asset_id: OTHER_ASSET, asset_public_id: "as_other" }],
    [
      "another asset, by a move of another observation",
      "",
      { ...atOther, changed_by: [MOVED_OTHER] },
      "pr_other",
    ],
    ["the record that it was moved from", "public_id", { ...atOther, changed_by: [MOVED] }],
    ["the record that it was moved to, without the move", "public_id", atOther, "pr_other"],
    ["another day", "observed_on", { observed_on: "2026-05-03" }],
    ["no day", "observed_on", { observed_on: "soon" }],
    ["another tag", "observer_tag", { observer_tag: "tag z" }],
    ["a tag that the named merge does not give", "observer_tag", { changed_by: [MERGE] }, "pr_other"],
    ["a lifted state", "observation_verification_state", verified],
    ["a lifted state that a review of another one names", "", { ...verified, changed_by: [MERGE] }],
    [
      "a lifted state in one of its two members",
      "verif_state",
      { observation_verification_state: "verified" },
    ],
    [
      "a lifted state, with the reviews in another order",
      "observation_verification_state",
      { ...verified, changed_by: [REJECT, VERIFY] },
    ],
    [
      "a lifted state, by a review of its record",
      "observation_verification_state",
      { ...verified, changed_by: [VERIFY_RECORD] },
    ],
    [
      "a row counted again, with the changes in another order",
      "set_aside",
      { ...apart, changed_by: [BACK, RECOUNT] },
    ],
    [
      "a lifted state, against the later review",
      "observation_verification_state",
      { ...verified, changed_by: [VERIFY, REJECT] },
    ],
    ["a rejection that no review decided", "observation_verification_state", rejected],
    [
      "a rejected row as a citation",
      "physical_citation",
      { ...rejected, physical_citation: true, changed_by: [REJECT] },
    ],
    ["a row that does not count as one that does", "set_aside", { changed_by: [RECOUNT] }],
    ["a row that counts as one that does not", "set_aside", apart],
    ["a row set aside that counts", "counts_as_independent", { set_aside: "source_cannot_see" }],
    ["a change that is no change", "", { changed_by: [280] }],
    ["a change that is no row", "", { changed_by: ["12"] }],
    ["a change that is the observation itself", "", { changed_by: [ROW] }],
  ])("%s is refused", async (_, named, change, record = RECORD) => {
    const { verdict, reports } = await check(listed(change, record), { record });
    expect(verdict.state).toBe("failed");
    expect(stopOf(reports).says).toContain(named);
  });

  test.each([
    ["names no changes", { changed_by: undefined }, "not checked"],
    ["names a row that the tree does not have", { changed_by: [SIZE + 1] }, "could not check"],
    ["names a row that was withdrawn", { changed_by: [REDACTED] }, "could not check"],
    ["names too many", { changed_by: Array.from({ length: 51 }, () => VERIFY) }, "could not check"],
  ])("where it %s, record and asset are not checked, and that is said", async (_, change, state) => {
    const { verdict, reports } = await check(listed(change));
    expect(stopOf(reports)).toMatchObject({ step: "related", state });
    expect(verdict.state).toBe("passed in part");
    expect(verdict.says).toContain("Record, asset and changes were not checked");
  });

  test("whatever stands in a member of the observation: it is refused, or said not to be checked", async () => {
    const { observations } = JSON.parse(files.get(LIST)?.toString() ?? "");
    const own = observations.find(({ id }: { id: number }) => id === ROW);
    for (const name of [...Object.keys(own), "unknown_member"].filter((each) => each !== "id"))
      for (const value of [null, 0, "", "else", true, [], ["a"], {}, -1]) {
        const { verdict, reports } = await check(listed({ [name]: value }));
        const isSame = JSON.stringify(value) === JSON.stringify(own[name]);
        const said = reports.at(-1)?.facts.find((fact) => fact.name === name)?.value ?? "";
        const isOpen = verdict.state === "passed" && said.endsWith("(not checked here)");
        expect(isSame || isOpen || verdict.state !== "passed", `${name}: ${JSON.stringify(value)}`).toBe(
          true,
        );
      }
  });

  test("a byte that is changed anywhere changes nothing of what is said to be proved", async () => {
    const numbers = new SeededNumbers("bytes");
    const { verdict: whole } = await check(files);
    const paths = [...files.keys()];
    for (let round = 0; round < 400; round += 1) {
      const path = numbers.pick(paths);
      const bytes = Buffer.from(files.get(path) ?? "");
      bytes.writeUInt8(numbers.between(0, 255), numbers.between(0, bytes.length - 1));
      const { verdict, reports } = await check(new Map([...files, [path, bytes]]));
      if (verdict.state === "passed") expect(provedOf(verdict.says)).toBe(provedOf(whole.says));
      expect(reports).toHaveLength(STEPS.length);
    }
  });

  /** What is said before the values that were not checked. */
  function provedOf(says: string): string | undefined {
    return says.split("Not checked here")[0];
  }

  test("a list that calls invented what is not is refused", async () => {
    const list =
      listed({}).get(LIST)?.toString().replace('"is_synthetic":true', '"is_synthetic":false') ?? "";
    const { verdict } = await check(new Map([...files, [LIST, Buffer.from(list)]]));
    expect(verdict.says).toContain("is_synthetic");
    expect(verdict.state).toBe("failed");
  });
});

describe("what is out of reach is no failure", () => {
  test.each([
    ["/ledger/vkey", "key"],
    ["/ledger/checkpoint", "checkpoint"],
    [BUNDLE, "leaf"],
    ["/ledger/tile/0/001.p/44", "leaf"],
    ["/ledger/tile/1/000.p/1", "path"],
    ["/ledger/disclosures/001.ndjson", "disclosure"],
    [LIST, "published"],
  ])("%s is missing, or a page in its place, or the network is down", async (path, step) => {
    const served = fetchFrom(PRISTINE);
    const without = fetchFrom(edited((files) => files.delete(path)));
    const page = () => new Response("<!doctype html>", { headers: { "Content-Type": "text/html" } });
    const answers: Fetch[] = [
      without,
      (address, options) => (address.startsWith(path) ? Promise.resolve(page()) : without(address, options)),
      (address, options) =>
        address === path ? Promise.reject(new TypeError("Failed to fetch")) : served(address, options),
      (address, options) =>
        address === path ? Promise.resolve(new Response("", { status: 503 })) : served(address, options),
    ];
    for (const fetch of answers) {
      const reports = await reportsOf(ask({}), fetch, crypto.subtle);
      expect(stopOf(reports)).toMatchObject({ step, state: "could not check" });
      const isAfterPath = ["disclosure", "published"].includes(step);
      expect(verdictOf(ask({}), reports).state).toBe(isAfterPath ? "passed in part" : "could not check");
    }
  });

  test("a page without WebCrypto, and a browser without Ed25519", async () => {
    const insecure = await reportsOf(ask({}), fetchFrom(PRISTINE), undefined);
    expect(stopOf(insecure)).toMatchObject({ step: "key", state: "could not check" });
    expect(stopOf(insecure).says).toContain("https");
    const old = new Proxy(crypto.subtle, {
      get: (subtle, name) =>
        name === "importKey"
          ? () => Promise.reject(new DOMException("Unrecognized name", "NotSupportedError"))
          : Reflect.get(subtle, name),
    });
    const stop = stopOf(await reportsOf(ask({}), fetchFrom(PRISTINE), old));
    expect(stop.state).toBe("could not check");
    for (const version of ["Firefox 129", "Safari 17", "Chrome 137"]) expect(stop.says).toContain(version);
  });

  test("a row that the tree does not have yet", async () => {
    const stop = stopOf((await check(PRISTINE, { row: SIZE + 1 })).reports);
    expect(stop).toMatchObject({ step: "leaf", state: "could not check" });
    expect(stop.says).toContain("300 rows");
  });

  test("what was given as a key and is none", async () => {
    const stop = stopOf((await check(PRISTINE, { knownKey: "a key" })).reports);
    expect(stop).toMatchObject({ step: "key", state: "could not check" });
  });
});

describe("what has nothing to go by is not checked", () => {
  test("a redacted row still stands in the tree", async () => {
    const { reports, verdict } = await check(PRISTINE, { row: REDACTED });
    expect(reports.slice(0, 4).map(({ state }) => state)).toEqual(Array(4).fill("passed"));
    expect(stopOf(reports)).toMatchObject({ step: "disclosure", state: "not checked" });
    expect(stopOf(reports).says).toContain("withdrawn or not yet sealed");
    expect(verdict).toMatchObject({ state: "passed in part" });
  });

  test("it is withdrawn, not broken, where the site says that it was sealed", async () => {
    const status = Buffer.from(JSON.stringify({ processing: { latest_sealed_row: REDACTED } }));
    const { reports, verdict } = await check(new Map([...PRISTINE, ["/api/v1/status.json", status]]), {
      row: REDACTED,
    });
    expect(stopOf(reports)).toMatchObject({ step: "disclosure", state: "withdrawn" });
    expect(verdict.state).toBe("withdrawn");
    expect(verdict.says).toContain("the log is unbroken");
  });

  test.each([
    ["no record is named", { record: "" }, "No record id given"],
    ["the row is older than the list", { row: 100 }, "without row 100"],
    ["the row is no observation", { row: 280 }, "seal"],
  ])("%s", async (_, question, says) => {
    const { reports, verdict } = await check(PRISTINE, question);
    expect(stopOf(reports)).toMatchObject({ step: "published", state: "not checked" });
    expect(stopOf(reports).says).toContain(says);
    expect(verdict.state).toBe("passed in part");
  });
});
